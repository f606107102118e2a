import type { StoredChunk } from '../../vector-store/vector-store.ts'

/** Longest document text put beside a chunk, in UTF-16 units: beyond it small models lose the chunk. */
export const MAX_DOCUMENT_CHARS = 24_000

const HEAD_CHARS = 4000
const CUT = '\n[…]\n'

/** A document put together from its chunks, and where each chunk's text starts in it. */
export interface ReassembledDocument {
  text: string
  starts: number[]
}

/** What stood between two chunks was white space; a paragraph break when there was room for one. */
function filler(gap: number): string {
  if (gap <= 0) return ''
  return gap === 1 ? ' ' : '\n\n'
}

/** Joins the chunks of one document by their offsets; text that overlapping chunks share appears once. */
export function reassembleDocument(chunks: readonly StoredChunk[]): ReassembledDocument {
  const starts = chunks.map(() => 0)
  const order = chunks.map((_, index) => index).sort((a, b) => chunks[a]!.startChar - chunks[b]!.startChar)
  let text = ''
  let end: number | null = null
  for (const index of order) {
    const chunk = chunks[index]!
    if (end === null || chunk.startChar >= end) {
      text += filler(end === null ? 0 : chunk.startChar - end)
      starts[index] = text.length
      text += chunk.content
      end = chunk.endChar
    } else {
      const shared = end - chunk.startChar
      starts[index] = Math.max(0, text.length - shared)
      text += chunk.content.slice(shared)
      end = Math.max(end, chunk.endChar)
    }
  }
  return { text, starts }
}

/** The document, or for a long one its beginning and the surroundings of the chunk. */
export function documentAround(document: ReassembledDocument, index: number, chunkLength: number): string {
  const { text, starts } = document
  if (text.length <= MAX_DOCUMENT_CHARS) return text
  const middle = starts[index]! + chunkLength / 2
  const room = MAX_DOCUMENT_CHARS - HEAD_CHARS - 2 * CUT.length
  const from = Math.max(0, Math.min(Math.round(middle - room / 2), text.length - room))
  if (from <= HEAD_CHARS) return text.slice(0, MAX_DOCUMENT_CHARS - CUT.length) + CUT
  const rest = text.slice(from, from + room)
  return `${text.slice(0, HEAD_CHARS)}${CUT}${rest}${from + room < text.length ? CUT : ''}`
}
