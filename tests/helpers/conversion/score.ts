import type { Block, Table } from '../../../providers/converter/model/document.ts'
import { tableGrid } from '../../../providers/converter/model/table.ts'
import type { Content } from './writers.ts'

const words = (text: string): string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? []

/** All text of blocks in their order. */
export const blocksText = (blocks: readonly Block[]): string =>
  blocks
    .map((block) => {
      if (block.kind === 'table') return block.cells.map(({ text }) => text).join(' ')
      return block.kind === 'figure' ? (block.caption ?? '') : block.text
    })
    .join('\n')

export function contentText({ title, sections }: Content): string {
  return [
    title,
    ...sections.flatMap(({ heading, paragraphs, items = [], table = [] }) => [
      heading,
      ...paragraphs,
      ...items,
      ...table.flat(),
    ]),
  ].join('\n')
}

/** Share of the words of `truth`, each as often as it occurs, that `found` has. */
export function textRecall(truth: string, found: string): number {
  const left = new Map<string, number>()
  for (const word of words(found)) left.set(word, (left.get(word) ?? 0) + 1)
  const wanted = words(truth)
  let hits = 0
  for (const word of wanted) {
    const count = left.get(word) ?? 0
    if (count > 0) hits += 1
    left.set(word, count - 1)
  }
  return wanted.length === 0 ? 1 : hits / wanted.length
}

/** F1 over cells: one is right when its text is in its row and column. Each true table is held against the found one that fits it best. */
export function cellF1(truth: readonly string[][][], found: readonly Table[]): number | null {
  if (truth.length === 0) return null
  const spare = new Set(
    found.map((table) => tableGrid(table).map((row) => row.map((cell) => words(cell?.text ?? '').join(' ')))),
  )
  let total = 0
  for (const table of truth) {
    let best = 0
    let fit: string[][] | null = null
    for (const other of spare) {
      const filled = other.flat().filter((text) => text !== '').length
      const wanted = table.flat().filter((text) => text !== '').length
      const hits = table.flatMap((row, y) =>
        row.filter((text, x) => text !== '' && words(text).join(' ') === other[y]?.[x]),
      ).length
      const f1 = filled + wanted === 0 ? 0 : (2 * hits) / (filled + wanted)
      if (f1 > best) [best, fit] = [f1, other]
    }
    if (fit !== null) spare.delete(fit)
    total += best
  }
  return total / truth.length
}

/** Share of the pairs of paragraphs that have the same order in the text as in the truth; 1 for one paragraph or none. */
export function readingOrder({ sections }: Content, found: string): number {
  const text = words(found).join(' ')
  const paragraphsOnce = new Set(sections.flatMap(({ paragraphs }) => paragraphs))
  const starts = [...paragraphsOnce].map((paragraph) => text.indexOf(words(paragraph).slice(0, 6).join(' ')))
  let pairs = 0
  let right = 0
  for (let first = 0; first < starts.length; first += 1)
    for (let second = first + 1; second < starts.length; second += 1) {
      pairs += 1
      if (starts[first]! >= 0 && starts[first]! < starts[second]!) right += 1
    }
  return pairs === 0 ? 1 : right / pairs
}
