import { blocksOf, type Block } from '../../models/builtin/language/blocks.ts'
import { plainText } from '../../models/builtin/language/plain-text.ts'

/**
 * Describes where in its document a chunk is. `headings`: those above it, outermost first, without the document's title. `before`: what introduces it, in
 * the document's order: the first paragraphs of the sections around it as far as they are near, and the paragraph right before it.
 */
export interface ChunkSection {
  headings: string[]
  before: string
}

/** Of one paragraph: the first ones are cut at their end, the one right before the chunk at its start. */
const MAX_PARAGRAPH_CHARS = 600
/** Read of a paragraph's Markdown for so much plain text: a document may be one paragraph of megabytes, which each of its chunks would read. */
const MAX_MARKDOWN_CHARS = 4 * MAX_PARAGRAPH_CHARS
/** An introduction farther away, such as that of a whole book, is little related to the chunk. */
const NEAR_CHARS = 4000

interface Section {
  level: number
  heading: string
  /** Index of its first block after the heading. */
  first: number
}

interface OutlinedBlock extends Block {
  /** The sections around the block, outermost first; the first one is the document. */
  sections: readonly Section[]
}

/** The outline of a document, read once; answers for a chunk by the offset where its text starts. */
export function outlineOf(text: string, title: string): (offset: number) => ChunkSection {
  const blocks = outlined(text)
  return (offset) => {
    const at = firstEndingAfter(blocks, offset)
    const block = blocks[at]
    if (block === undefined) return { headings: [], before: '' }
    const headings = block.sections
      .map(({ heading }) => heading)
      .filter((heading) => heading !== '' && heading !== title)
    return { headings, before: introduction(text, blocks, at, offset) }
  }
}

function outlined(text: string): OutlinedBlock[] {
  let sections: Section[] = [{ level: 0, heading: '', first: 0 }]
  return blocksOf(text).map((block, at) => {
    if (block.kind === 'heading') {
      const heading = plainText(text.slice(block.start, block.end))
      sections = [
        ...sections.filter(({ level }) => level < block.level),
        { level: block.level, heading, first: at + 1 },
      ]
    }
    return { ...block, sections }
  })
}

/** The first block that is not wholly before an offset: the one that the offset is in, or the next. */
function firstEndingAfter(blocks: readonly OutlinedBlock[], offset: number): number {
  let low = 0
  let high = blocks.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (blocks[middle]!.end > offset) high = middle
    else low = middle + 1
  }
  return low
}

function introduction(text: string, blocks: readonly OutlinedBlock[], at: number, offset: number): string {
  const { start, sections } = blocks[at]!
  const nearest = start < offset ? at : at - 1
  const isText = (index: number): boolean => index <= nearest && blocks[index]!.kind !== 'heading'
  const openings = sections
    .map(({ first }) => first)
    .filter((first) => isText(first) && first !== nearest && offset - blocks[first]!.start <= NEAR_CHARS)
  const startOf = (index: number): string => {
    const { start: from, end } = blocks[index]!
    const markdown = text.slice(from, Math.min(end, offset, from + MAX_MARKDOWN_CHARS))
    return plainText(markdown).slice(0, MAX_PARAGRAPH_CHARS)
  }
  const endOf = (index: number): string => {
    const { start: from, end } = blocks[index]!
    const to = Math.min(end, offset)
    return plainText(text.slice(Math.max(from, to - MAX_MARKDOWN_CHARS), to)).slice(-MAX_PARAGRAPH_CHARS)
  }
  const parts = openings.map(startOf)
  const ownSection = sections.at(-1)!.first
  if (nearest >= ownSection && isText(nearest)) parts.push(endOf(nearest))
  return parts.join('\n\n')
}
