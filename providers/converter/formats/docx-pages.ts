import { strFromU8 } from 'fflate'
import { tidy } from '../model/document.ts'
import type { Block, Page } from '../model/document.ts'
import type { Archive } from './archive.ts'

/** Stands in the text where Word broke a page when it last drew the document. */
const BREAK = '\u{E002}'
const MAX_PAGES = 100_000
const TWIPS_PER_POINT = 20
/** A letter page, where the document states no size. */
const USUAL_TWIPS = { width: 12_240, height: 15_840 }

/** Keeps Word's notes of where its pages broke through a conversion that knows no pages. */
export const keepPageBreaks = (xml: string): string =>
  xml.replaceAll(/<w:lastRenderedPageBreak\s*\/>/g, `<w:t>${BREAK}</w:t>`)

/** The pages that Word counted when it saved, in the size of the last section; none where it did not count. */
export function savedPages(parts: Archive, xml: string): Page[] {
  const app = parts['docProps/app.xml']
  const count = app === undefined ? 0 : Number(/<Pages>(\d+)<\/Pages>/.exec(strFromU8(app))?.[1] ?? 0)
  const size = /<w:pgSz\s[^>]*>/.exec(xml)?.[0] ?? ''
  const points = (name: string, usual: number): number =>
    Number(new RegExp(`w:${name}="(\\d{1,6})"`).exec(size)?.[1] ?? usual) / TWIPS_PER_POINT
  const [widthPt, heightPt] = [points('w', USUAL_TWIPS.width), points('h', USUAL_TWIPS.height)]
  return Array.from({ length: count < MAX_PAGES ? count : 0 }, (_, index) => ({ number: index + 1, widthPt, heightPt }))
}

/**
 * Blocks with the page on which each starts, when Word's notes are as many as its pages have borders. Programs that break pages only when they draw
 * leave none, and an edit since makes them wrong: then no block has a page.
 */
export function placeOnPages(blocks: readonly Block[], pages: readonly Page[]): Block[] {
  const breaks = blocks.reduce((sum, block) => sum + count(textOf(block)), 0)
  const areTrue = breaks > 0 && breaks === pages.length - 1
  let page = 1
  return blocks.flatMap((block): Block[] => {
    const text = textOf(block)
    page += count(/^[\s\u{E002}]*/u.exec(text)![0])
    const place = areTrue ? { page, box: null } : block.place
    page += count(text.trimStart().replace(/^[\s\u{E002}]*/u, ''))
    const bare = withoutBreaks(block)
    return text !== '' && textOf(bare) === '' ? [] : [{ ...bare, place }]
  })
}

const count = (text: string): number => text.split(BREAK).length - 1
const without = (text: string): string => (text.includes(BREAK) ? tidy(text.replaceAll(BREAK, ' ')) : text)

function textOf(block: Block): string {
  if (block.kind === 'table') return block.cells.map(({ text }) => text).join('')
  return block.kind === 'figure' ? (block.caption ?? '') : block.text
}

function withoutBreaks(block: Block): Block {
  if (block.kind === 'table')
    return { ...block, cells: block.cells.map((cell) => ({ ...cell, text: without(cell.text) })) }
  if (block.kind === 'figure') return block
  return { ...block, text: without(block.text) }
}
