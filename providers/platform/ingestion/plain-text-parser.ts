import { isUtf8 } from 'node:buffer'
import path from 'node:path'
import type { DocumentParser } from './document-parser.ts'

const EXTENSIONS = new Set(['.md', '.txt', '.rst', '.csv', '.json'])
const WITH_HEADINGS = new Set(['.md', '.rst'])
const FENCE = /^ {0,3}(?:```|~~~)/
const HASH_HEADING = /^ {0,3}#{1,6}[ \t]+([^ \t].*)$/
const UNDERLINE = /^ {0,3}([=\-~^"*+#])\1{2,}[ \t]*$/

/** Reads .md, .txt, .rst, .csv and .json as UTF-8 text, strictly; the title is the first heading, else the file's name. */
export const plainTextParser: DocumentParser = {
  name: 'plain_text',
  accepts: ({ path: file }) => EXTENSIONS.has(path.posix.extname(file).toLowerCase()),
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
