import { ConversionError } from '../model/conversion-error.ts'
import type { SourceFormat } from '../model/document.ts'
import { entryNames, mainPart, openArchive } from './archive.ts'

const starts = (bytes: Uint8Array, ...values: number[]): boolean =>
  values.every((value, index) => bytes[index] === value)

const latin1 = (bytes: Uint8Array): string => new TextDecoder('latin1').decode(bytes)

/** What the bytes are, whatever the name says. Throws `unsupported` or `encrypted`. */
export function detectFormat(bytes: Uint8Array, filename: string): SourceFormat {
  const head = latin1(bytes.subarray(0, 1024))
  if (head.startsWith('%PDF-')) return 'pdf'
  if (starts(bytes, 0x89, 0x50, 0x4e, 0x47)) return 'png'
  if (starts(bytes, 0xff, 0xd8, 0xff)) return 'jpg'
  if (/^(II[*+]\0|MM\0[*+])/.test(head)) return 'tiff'
  if (starts(bytes, 0x50, 0x4b)) return officeFormat(bytes)
  if (starts(bytes, 0xd0, 0xcf, 0x11, 0xe0)) return compoundFormat(bytes)
  if (looksLikeHtml(bytes, filename)) return 'html'
  // After what looks like nothing else: some programs write other bytes before the head.
  if (head.includes('%PDF-')) return 'pdf'
  throw unsupported(filename)
}

function officeFormat(bytes: Uint8Array): SourceFormat {
  const names = new Set(entryNames(bytes))
  if (names.size === 0) throw new ConversionError('damaged', 'the file is a ZIP archive whose directory cannot be read')
  if (names.has('word/document.xml')) return 'docx'
  if (names.has('xl/workbook.xml')) return 'xlsx'
  if (names.has('ppt/presentation.xml')) return 'pptx'
  const main = mainPart(openArchive(bytes, (name) => name === '_rels/.rels')) ?? ''
  if (names.has(main)) {
    if (main.startsWith('word/')) return 'docx'
    if (main.startsWith('xl/')) return 'xlsx'
    if (main.startsWith('ppt/')) return 'pptx'
  }
  throw new ConversionError('unsupported', 'the file is a ZIP archive but no Word, Excel or PowerPoint document')
}

/** Stream names of an OLE file stand in its directory as UTF-16. */
function compoundFormat(bytes: Uint8Array): SourceFormat {
  const has = (name: string): boolean =>
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(Buffer.from(name, 'utf16le'))
  if (has('EncryptedPackage')) throw encrypted()
  if (has('WordDocument')) return 'doc'
  if (has('PowerPoint Document')) return 'ppt'
  throw new ConversionError(
    'unsupported',
    'the file is an old Office file but no Word or PowerPoint document (save spreadsheets as XLSX)',
  )
}

/** The message says what to do, as nobody can be asked for the password here. */
export const encrypted = (): ConversionError =>
  new ConversionError('encrypted', 'the document is encrypted: remove its password and send it again')

const MARKUP = /<(!doctype\s+html|html|head|body|title|div|p|table|h[1-6]|article|section|ul|ol|span|meta)[\s>/]/i

function looksLikeHtml(bytes: Uint8Array, filename: string): boolean {
  const text = decodeText(bytes.subarray(0, 8192))
  if (text.includes('\0')) return false
  const shown = text.replace(/^\uFEFF?\s*(<\?xml[^>]*>\s*)?(<!--[\s\S]*?-->\s*)*/, '')
  if (/^<(!doctype\s+html|html|head|body)/i.test(shown)) return true
  return /\.x?html?$/i.test(filename) ? MARKUP.test(text) : shown.startsWith('<') && MARKUP.test(shown.slice(0, 64))
}

/** Text in the encoding that its first bytes or its own declaration name; UTF-8 where neither does, else Windows-1252. */
export function decodeText(bytes: Uint8Array): string {
  if (starts(bytes, 0xff, 0xfe)) return new TextDecoder('utf-16le').decode(bytes)
  if (starts(bytes, 0xfe, 0xff)) return new TextDecoder('utf-16be').decode(bytes)
  const declared = /<meta[^>]+charset\s*=\s*["']?([\w-]+)/i.exec(latin1(bytes.subarray(0, 2048)))?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(declared, { fatal: declared.toLowerCase() === 'utf-8' }).decode(bytes)
  } catch {
    // Not valid UTF-8, or a name nobody knows. A cut character at the end is no reason to give up on UTF-8.
    const text = new TextDecoder('utf-8').decode(bytes)
    const broken = text.slice(0, -4).split('\uFFFD').length - 1
    return broken === 0 ? text : new TextDecoder('windows-1252').decode(bytes)
  }
}

function unsupported(filename: string): ConversionError {
  const extension = /\.(\w{1,8})$/.exec(filename)?.[1]
  const named = extension === undefined ? '' : ` (its name ends in .${extension})`
  return new ConversionError(
    'unsupported',
    `the content is none of PDF, DOCX, DOC, PPTX, PPT, XLSX, HTML, PNG, JPEG and TIFF${named}`,
  )
}

const EXTENSIONS: Record<SourceFormat, readonly string[]> = {
  pdf: ['pdf'],
  docx: ['docx', 'docm', 'dotx'],
  doc: ['doc', 'dot'],
  pptx: ['pptx', 'pptm', 'ppsx'],
  ppt: ['ppt', 'pps'],
  xlsx: ['xlsx', 'xlsm'],
  html: ['html', 'htm', 'xhtml'],
  png: ['png'],
  jpg: ['jpg', 'jpeg'],
  tiff: ['tiff', 'tif'],
}

/** A sentence where the name claims another format than the content has; null where they agree. */
export function extensionWarning(format: SourceFormat, filename: string): string | null {
  const extension = /\.(\w{1,8})$/.exec(filename)?.[1]?.toLowerCase()
  if (extension === undefined || EXTENSIONS[format].includes(extension)) return null
  return `the name ends in .${extension} but the content is ${format}; it was read as ${format}`
}
