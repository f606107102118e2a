import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import path from 'node:path'
import { ConversionResult } from '../../../contract/http/conversion.ts'
import { DOCUMENT_EXTENSIONS, PLAIN_TEXT_EXTENSIONS, RECORDING_EXTENSIONS } from '../../../core/document-formats.ts'
import { speechPrompt } from '../../../contract/http/speech-prompt.ts'
import { AdvancedTranscription } from '../../../contract/http/speech.ts'
import type { ParserName } from '../../../contract/manifests/consumer.ts'
import type { CorpusFile } from './corpus.ts'
import { serviceUpload } from './service-upload.ts'
import type { ServiceAddress } from './service-upload.ts'

export interface ParsedDocument {
  title: string
  text: string
  /** For the record of the job, such as a part that was omitted. */
  warnings?: readonly string[]
}

/** The texts of the corpus in plain files; read once, when a parser needs them. */
export type CorpusTexts = () => Promise<readonly string[]>

/** Reads one kind of corpus file. The profile's parser order decides which of the registered parsers is tried first. */
export interface DocumentParser {
  name: ParserName
  accepts(file: Pick<CorpusFile, 'path'>): boolean
  /** Throws when the file is not valid for its type; the job then fails with the file's name. */
  parse(file: CorpusFile, signal: AbortSignal, corpus: CorpusTexts): Promise<ParsedDocument>
  /**
   * All that changes the text of a file besides its name and bytes, such as version and models of a service. Texts are kept for as long as it stays the same;
   * they are not kept where it is null or absent.
   */
  revision?(signal: AbortSignal, corpus: CorpusTexts): Promise<string | null>
}

const TEXT_EXTENSIONS = new Set(PLAIN_TEXT_EXTENSIONS)
const WITH_HEADINGS = new Set(['.md', '.rst'])
const FENCE = /^ {0,3}(?:```|~~~)/
const HASH_HEADING = /^ {0,3}#{1,6}[ \t]+([^ \t].*)$/
const UNDERLINE = /^ {0,3}([=\-~^"*+#])\1{2,}[ \t]*$/

/** Reads .md, .txt, .rst, .csv and .json as UTF-8 text, strictly; the title is the first heading, else the file's name. */
export const plainTextParser: DocumentParser = {
  name: 'plain_text',
  accepts: ({ path: file }) => TEXT_EXTENSIONS.has(path.posix.extname(file).toLowerCase()),
  parse: async (file) => {
    const bytes = await file.read()
    if (!isUtf8(bytes)) throw new Error(`not UTF-8: invalid byte at offset ${firstInvalidOffset(bytes)}`)
    const text = new TextDecoder().decode(bytes)
    const { name, ext } = path.posix.parse(file.path)
    const heading = WITH_HEADINGS.has(ext.toLowerCase()) ? firstHeading(text) : null
    return { title: heading ?? name, text }
  },
}

/** Text of the first heading outside code fences: `# …`, or a line with an underline of three or more marks; null without one. */
export function firstHeading(text: string): string | null {
  let fenced = false
  let former = ''
  for (const line of text.split(/\r\n|\n|\r/, 1000)) {
    if (FENCE.test(line)) fenced = !fenced
    else if (!fenced) {
      const hashed = HASH_HEADING.exec(line)?.[1]
      const heading =
        (hashed === undefined ? null : withoutClosingMarks(hashed)) ??
        (UNDERLINE.test(line) && /\p{L}|\p{N}/u.test(former) ? former.trim() : null)
      if (heading !== null) return heading
    }
    former = line
  }
  return null
}

/** The text of `# …` without the marks that may close it. */
function withoutClosingMarks(heading: string): string {
  const text = heading.trimEnd()
  let end = text.length
  while (end > 0 && text[end - 1] === '#') end -= 1
  return end === 0 ? text : text.slice(0, end).trimEnd()
}

/** Offset of the first character that is not valid UTF-8; the length when all are. */
export function firstInvalidOffset(bytes: Buffer): number {
  let at = 0
  while (at < bytes.length) {
    const lead = bytes[at]!
    const length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4
    if (length > 1 && (at + length > bytes.length || !isUtf8(bytes.subarray(at, at + length)))) return at
    at += length
  }
  return at
}

const CONVERTER_EXTENSIONS = new Set(DOCUMENT_EXTENSIONS)

/** Returns true when the converter reads files of this name. */
export const isConvertible = (file: string): boolean => CONVERTER_EXTENSIONS.has(path.posix.extname(file).toLowerCase())

/** Reads documents and pictures through the converter's HTTP contract, as Markdown. Throws `ParserServiceError` with the reason that the service gave. */
export function converterParser(address: ServiceAddress): DocumentParser & { close(): Promise<void> } {
  const service = serviceUpload('converter', address)
  return {
    name: 'converter',
    accepts: ({ path: file }) => isConvertible(file),
    close: () => service.close(),
    revision: async (signal) => (await service.health(signal))?.revision ?? null,
    async parse(file, signal) {
      const answer = await service.send('/v1/document/convert', file, {}, signal)
      const { content, metadata } = ConversionResult.parse(JSON.parse(answer))
      const title = firstHeading(content) ?? path.posix.parse(file.path).name
      return { title, text: content, warnings: metadata.warnings }
    },
  }
}

const SPEECH_EXTENSIONS = new Set(RECORDING_EXTENSIONS)

/**
 * Reads recordings through the speech-to-text service's HTTP contract, a line per
 * sentence; the corpus's texts go along as vocabulary. Throws `ParserServiceError` with the reason that the service gave.
 */
export function speechParser(address: ServiceAddress): DocumentParser & { close(): Promise<void> } {
  const service = serviceUpload('speech', address)
  return {
    name: 'speech',
    accepts: ({ path: file }) => SPEECH_EXTENSIONS.has(path.posix.extname(file).toLowerCase()),
    close: () => service.close(),
    async revision(signal, corpus) {
      const { revision, uses_prompt: usesPrompt = true } = (await service.health(signal)) ?? {}
      if (revision === undefined || !usesPrompt) return revision ?? null
      return `${revision} ${hash('sha256', speechPrompt(await corpus()))}`
    },
    async parse(file, signal, corpus) {
      const { name } = path.posix.parse(file.path)
      const prompt = speechPrompt(await corpus())
      const fields = { return_timestamps: 'true', ...(prompt === '' ? {} : { prompt }) }
      const answer = await service.send('/v1/audio/transcriptions/advanced', file, fields, signal)
      const { text, segments = [] } = AdvancedTranscription.parse(JSON.parse(answer))
      return {
        title: name.replaceAll(/[-_]+/g, ' '),
        // A recognizer without timestamps returns no segments either.
        text: segments.length === 0 ? text : segments.map((segment) => segment.text).join('\n'),
      }
    },
  }
}
