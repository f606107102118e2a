import { DOCUMENT_EXTENSIONS, PLAIN_TEXT_EXTENSIONS, RECORDING_EXTENSIONS } from '../../../../core/document-formats.ts'

/** The path under which a dropped file is stored: below the folder that was chosen, as it is there. */
export function storedName(file: Pick<File, 'name'> & { webkitRelativePath?: string; path?: string }): string {
  const parts = (file.webkitRelativePath || file.path || file.name)
    .split('/')
    .filter((part) => part !== '' && part !== '.')
  return (parts.length > 1 ? parts.slice(1) : parts).join('/')
}

/** Returns true when the converter can show what ingestion will read of the file; a text is read as it is. */
export const isConverted = (name: string): boolean => hasEnding(name, DOCUMENT_EXTENSIONS)

const hasEnding = (name: string, endings: readonly string[]): boolean =>
  endings.some((ending) => name.toLowerCase().endsWith(ending))

/** Returns true when ingestion has a reader for the file. */
export const isReadable = (name: string): boolean =>
  hasEnding(name, PLAIN_TEXT_EXTENSIONS) || hasEnding(name, RECORDING_EXTENSIONS) || isConverted(name)

/** A recording becomes text at ingestion only, by speech to text. */
export const isRecording = (name: string): boolean => hasEnding(name, RECORDING_EXTENSIONS)

/** Files that no person put into the folder: those of the system and of editors. */
export const isHidden = (file: Pick<File, 'name'>): boolean =>
  /^(?:\.|~\$)|^(?:Thumbs\.db|desktop\.ini)$/i.test(file.name)

/** The bytes of a file in base64, by parts, so that a large file does not overflow the arguments of a call. */
export async function base64Of(file: Blob): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  const PART = 0x8000
  let binary = ''
  for (let offset = 0; offset < bytes.length; offset += PART)
    binary += String.fromCharCode(...bytes.subarray(offset, offset + PART))
  return btoa(binary)
}
