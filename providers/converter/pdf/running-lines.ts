import type { ParsedPage } from '@llamaindex/liteparse'
import { tidy, type Block, type Page } from '../model/document.ts'
import { boxOf } from './layout-blocks.ts'

type Line = Extract<Block, { kind: 'paragraph' | 'heading' }>

const MOST_CHARACTERS = 120
/** Fewer pages show no rule. */
const FEWEST_PAGES = 4
/** Share of a page's height at its top and bottom, for our own judgement and for what the layout engine may have taken out. */
const EDGE = 0.08
const ENGINE_EDGE = 0.15

/** The pages of a document without its running lines; what was left out besides numbers of pages is in the warnings. */
export function withoutRunningLines(
  blocks: readonly Block[],
  pages: readonly Page[],
  dropped: readonly Line[],
): { blocks: Block[]; warnings: string[] } {
  const heights = new Map(pages.map(({ number, heightPt }) => [number, heightPt]))
  const isAtEdge = (block: Block): block is Line => {
    const box = block.place?.box
    if ((block.kind !== 'paragraph' && block.kind !== 'heading') || box === null || box === undefined) return false
    const height = heights.get(block.place!.page) ?? 0
    return block.text.length <= MOST_CHARACTERS && (box.bottom <= height * EDGE || box.top >= height * (1 - EDGE))
  }
  const candidates = pages.length < FEWEST_PAGES ? [] : blocks.filter(isAtEdge)
  const running = runningOf(candidates, Math.max(FEWEST_PAGES, pages.length / 2))
  const pagesWithMore = new Set(blocks.filter((block) => !running.has(block)).map(({ place }) => place?.page))
  const left = blocks.filter((block) => running.has(block) && pagesWithMore.has(block.place?.page)) as Line[]
  // The engine takes out what is alike but for its numbers: what is not a number of a page comes back.
  const ofEngine = runningOf(dropped, 2)
  const kept = restored(
    blocks.filter((block) => !left.includes(block as Line)),
    dropped.filter((line) => !ofEngine.has(line)),
  )
  return { blocks: kept, warnings: warningsOf([...left, ...ofEngine]) }
}

/** Lines at one height that are the same on as many pages, or differ only in the number of their page. */
function runningOf(lines: readonly Line[], fewest: number): Set<Block> {
  const alike = Map.groupBy(
    lines,
    ({ text, place }) => `${Math.round(place!.box!.top / 6)} ${text.replaceAll(/\d+/g, '#')}`,
  )
  const running = new Set<Block>()
  for (const group of alike.values()) {
    const parts = countsPages(group) ? [group] : [...Map.groupBy(group, ({ text }) => text).values()]
    for (const part of parts)
      if (new Set(part.map(({ place }) => place!.page)).size >= fewest) for (const line of part) running.add(line)
  }
  return running
}

/** True where each number is the same in all lines, or stands alone and grows with the pages. */
function countsPages(group: readonly Line[]): boolean {
  const numbers = group.map(({ text }) => [...text.matchAll(/\d+/g)].map(([digits]) => digits))
  return numbers[0]!.every((first, at) => {
    if (numbers.every((each) => each[at] === first)) return true
    const offset = Number(first) - group[0]!.place!.page
    return group.every(({ text, place }, index) => {
      const digits = numbers[index]![at]!
      const isAlone =
        new RegExp(`(?:^|[\\s|/([–—·•-])${digits}(?:$|[\\s|/)\\]–—·•.,-])`).test(text) && !/\d[-./]\d/.test(text)
      return isAlone && !digits.startsWith('0') && Number(digits) - place!.page === offset
    })
  })
}

/** Lines of a page's edges that are in none of its blocks. */
export function droppedLines({ pageNum, height, textItems }: ParsedPage, blocks: readonly Block[]): Line[] {
  if (blocks.length === 0) return []
  const bare = (text: string): string => text.replaceAll(/[^\p{L}\p{N}]/gu, '')
  const shown = bare(blocks.map(textOf).join(''))
  return textItems.flatMap((item): Line[] => {
    const box = boxOf(item)
    const text = tidy(item.text)
    const isAtEdge = box.bottom <= height * ENGINE_EDGE || box.top >= height * (1 - ENGINE_EDGE)
    if (!isAtEdge || bare(text) === '' || text.length > MOST_CHARACTERS || shown.includes(bare(text))) return []
    return [{ kind: 'paragraph', text, place: { page: pageNum, box } }]
  })
}

function textOf(block: Block): string {
  if (block.kind === 'table') return block.cells.map(({ text }) => text).join('')
  if (block.kind === 'figure') return block.caption ?? ''
  return block.kind === 'list_item' ? `${block.marker ?? ''}${block.text}` : block.text
}

/** Lines above the first block of their page, or below its last. */
function restored(blocks: readonly Block[], lines: readonly Line[]): Block[] {
  const all = [...blocks]
  for (const line of lines) {
    const { page, box } = line.place!
    const isBelow = (block: Block): boolean =>
      block.place !== null &&
      (block.place.page > page || (block.place.page === page && (block.place.box?.top ?? 0) > box!.top))
    const at = all.findIndex(isBelow)
    all.splice(at < 0 ? all.length : at, 0, line)
  }
  return all
}

/** A line that only counts pages tells a reader nothing. */
const ONLY_PAGES = /^\W*(?:page|seite|p\.|s\.)?\W*(?:\d+|[ivxlc]+)\W*(?:(?:of|von|\/)\W*\d+)?\W*$/iu
const MOST_NAMED = 3

function warningsOf(lines: readonly Block[]): string[] {
  const texts = lines.map(textOf).filter((text) => !ONLY_PAGES.test(text))
  const different = [...new Map(texts.map((text) => [text.replaceAll(/\d+/g, '#'), text])).values()]
  if (different.length === 0) return []
  const named = different
    .slice(0, MOST_NAMED)
    .map((text) => `"${text}"`)
    .join(', ')
  const more = different.length > MOST_NAMED ? ` and ${different.length - MOST_NAMED} more` : ''
  return [`running lines of the pages were left out: ${named}${more}`]
}
