import { MAX_CHUNKS, type ConversionChunk } from '../../../contract/http/conversion.ts'
import { ConversionError } from '../model/conversion-error.ts'
import type { Block, Document } from '../model/document.ts'
import { tableGrid } from '../model/table.ts'
import { toMarkdown } from './markdown.ts'

type ChunkType = ConversionChunk['metadata']['chunk_type']

interface Piece {
  text: string
  type: ChunkType
  section: string | null
  page: number | null
}

/**
 * The document in pieces of at most `size` characters. Sections are not mixed; tables are cut between rows and repeat their header; neighbours
 * of running text share up to `overlap` characters, whole words. Throws `too_many_chunks` above `MAX_CHUNKS`.
 */
export function chunkDocument(document: Document, size: number, overlap: number): ConversionChunk[] {
  const pieces = documentPieces(document, size, overlap)
  if (pieces.length > MAX_CHUNKS)
    throw new ConversionError(
      'too_many_chunks',
      `the document gives ${pieces.length} chunks; at most ${MAX_CHUNKS} are returned: use a larger chunk_size`,
    )
  return pieces.map(({ text, type, section, page }, index) => ({
    text,
    metadata: { chunk_index: index, chunk_type: type, section_title: section, page },
  }))
}

function documentPieces(document: Document, size: number, overlap: number): Piece[] {
  const pieces: Piece[] = []
  let section: string | null = null
  let page: number | null = null
  let text = ''
  let textPage: number | null = null
  const flush = (): void => {
    if (text.trim() !== '')
      pieces.push(
        ...split(text, size, overlap).map((part) => ({ text: part, type: 'text' as const, section, page: textPage })),
      )
    text = ''
  }
  for (const block of document.blocks) {
    page = block.place?.page ?? page
    if (block.kind === 'heading') {
      flush()
      section = block.text
    }
    if (block.kind === 'table' || block.kind === 'code' || block.kind === 'formula') {
      const type = block.kind
      flush()
      pieces.push(...own(block, size).map((part) => ({ text: part, type, section, page })))
      continue
    }
    const words = block.kind === 'figure' ? (block.caption ?? '') : plain(block)
    if (words === '') continue
    // A heading stays with the text under it.
    if (text !== '' && text !== section && text.length + words.length + 2 > size) {
      const room = words.length < size ? size - words.length - 2 : overlap
      const shared = tail(text, Math.min(overlap, room))
      flush()
      text = shared
      textPage = page
    }
    if (text === '') textPage = page
    text += text === '' ? words : `\n\n${words}`
  }
  flush()
  return pieces
}

const plain = (block: Exclude<Block, { kind: 'table' | 'figure' }>): string =>
  block.kind === 'list_item' ? `${block.marker ?? '-'} ${block.text}` : block.text

function own(block: Extract<Block, { kind: 'table' | 'code' | 'formula' }>, size: number): string[] {
  if (block.kind !== 'table') return split(block.text, size, 0)
  const header = tableGrid(block)[0]?.some((cell) => cell?.isHeader === true) === true
  const lines = toMarkdown({
    sourceFormat: 'html',
    pages: [],
    blocks: [{ ...block, caption: null }],
    images: [],
    warnings: [],
  })
    .trimEnd()
    .split('\n')
  const head = header ? lines.slice(0, 2).join('\n') : ''
  const caption = block.caption === null ? '' : `${block.caption}\n\n`
  const parts: string[] = []
  let part = ''
  for (const row of lines.slice(2)) {
    const start = `${parts.length === 0 ? caption : ''}${head}`
    if (part !== '' && part.length + row.length + 1 > size) {
      parts.push(part)
      part = ''
    }
    part =
      part === '' ? `${head === '' && start === '' ? '' : `${start === '' ? head : start}\n`}${row}` : `${part}\n${row}`
  }
  if (part === '') part = `${caption}${head}`
  if (part !== '') parts.push(part)
  // A row that is longer than a chunk is cut like text.
  return parts.flatMap((each) => (each.length <= size * 2 ? [each] : split(each, size, 0)))
}

/** Cuts at the last sentence end, else the last space, else anywhere; never inside a surrogate pair. */
function split(text: string, size: number, overlap: number): string[] {
  const parts: string[] = []
  let from = 0
  while (text.length - from > size) {
    const window = text.slice(from, from + size)
    const sentence = Math.max(
      ...[...window.matchAll(/[.!?]["”»)]?\s|\n\n/g)].map((match) => match.index + match[0].length),
      0,
    )
    const space = window.lastIndexOf(' ') + 1
    let end = from + (sentence > size / 2 ? sentence : space > size / 2 ? space : size)
    if (isLowSurrogate(text, end)) end -= 1
    parts.push(text.slice(from, end).trim())
    from = overlapStart(text, end, overlap)
  }
  parts.push(text.slice(from).trim())
  return parts.filter((part) => part !== '')
}

/** The last whole words of a text, at most so many characters. */
function tail(text: string, length: number): string {
  if (length <= 0) return ''
  const trimmed = text.trimEnd()
  if (trimmed.length <= length) return trimmed
  const start = trimmed.length - length
  const space = trimmed.slice(start - 1).search(/\s/)
  return space < 0 ? '' : trimmed.slice(start - 1 + space).trim()
}

function overlapStart(text: string, end: number, overlap: number): number {
  if (overlap === 0) return end
  const space = text
    .slice(0, end)
    .trimEnd()
    .indexOf(' ', end - overlap)
  return space < 0 || space >= end ? end : space + 1
}

const isLowSurrogate = (text: string, at: number): boolean => /[\uDC00-\uDFFF]/.test(text[at] ?? '')
