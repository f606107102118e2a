import type { LayoutBlock, LayoutCell, Rect } from '@llamaindex/liteparse'
import { tidy, withoutControls, type Block, type Box, type Place, type TableCell } from '../model/document.ts'
import { withHeaderRow } from '../model/table.ts'

const round = (value: number): number => Math.round(value * 10) / 10

export const boxOf = ({ x, y, width, height }: Rect): Box => ({
  left: round(x),
  top: round(y),
  right: round(x + width),
  bottom: round(y + height),
})

/** The layout engine's blocks of one page as ours, in its reading order. */
export function modelBlocks(blocks: readonly LayoutBlock[], page: number): Block[] {
  return blocks.flatMap((block): Block[] => {
    const place: Place = { page, box: block.bbox === undefined ? null : boxOf(block.bbox) }
    const isMarkdown = block.kind === 'paragraph' || block.kind === 'list_item'
    const text = withoutLeaders(tidy(isMarkdown ? withoutMarks(block.text ?? '') : (block.text ?? '')))
    switch (block.kind) {
      case 'heading':
        return text === '' ? [] : [{ kind: 'heading', level: Math.min(6, Math.max(1, block.level ?? 1)), text, place }]
      case 'paragraph':
        return text === '' ? [] : [{ kind: 'paragraph', text, place }]
      case 'list_item':
        return text === ''
          ? []
          : [
              {
                kind: 'list_item',
                level: Math.max(0, block.level ?? 0),
                ordered: block.ordered === true,
                ...(block.ordered === true && block.marker !== undefined ? { marker: tidy(block.marker) } : {}),
                text,
                place,
              },
            ]
      case 'code':
        return lines(block) === '' ? [] : [{ kind: 'code', language: block.lang ?? null, text: lines(block), place }]
      case 'grid_fallback':
        return (block.lines ?? [])
          .map(tidy)
          .filter((line) => line !== '')
          .map((line) => ({ kind: 'paragraph' as const, text: line, place }))
      case 'table':
        return tableBlock(block, place)
      case 'figure':
        return [{ kind: 'figure', caption: null, image: null, place }]
      case 'rule':
        return []
    }
  })
}

/**
 * The engine writes paragraphs and list items as Markdown: emphasis in asterisks, and a backslash before every asterisk, underscore and backslash of
 * the text itself. A word that is hyphenated within emphasis is joined as the engine joins others. Headings and cells are plain.
 */
const withoutMarks = (text: string): string =>
  text.replaceAll(/\\([\\*_])|(?<=\p{L})-\*+ \*+(?=\p{Ll})|\*+/gu, (_, escaped?: string) => escaped ?? '')

/** Dots that lead from a title to its page carry no text. */
const withoutLeaders = (text: string): string => text.replaceAll(/(?: ?\.){5,} ?/g, ' ').trim()

const lines = (block: LayoutBlock): string => withoutControls((block.lines ?? []).join('\n'))

function tableBlock(block: LayoutBlock, place: Place): Block[] {
  const body = block.rows ?? []
  const all = block.header === undefined ? body : [block.header, ...body]
  const sentences = all.findIndex((row) => !isSentence(row))
  const rows = all.slice(sentences < 0 ? all.length : sentences)
  const above = all.slice(0, all.length - rows.length).flatMap((row): Block[] => [
    {
      kind: 'paragraph',
      text: tidy(row.map(({ text }) => text).join(' ')),
      place: { page: place.page, box: boxOfCells(row) },
    },
  ])
  if (rows.length === 0) return above
  const columns = Math.max(...rows.map((row) => row.length))
  const edges = columnEdges(rows, columns)
  const cells = rows.flatMap((row, index) =>
    rowCells(row, index, edges, columns).map((cell) => ({
      ...cell,
      isHeader: block.header !== undefined && above.length === 0 && index === 0,
    })),
  )
  const box = above.length === 0 ? place.box : boxOfCells(rows.flat())
  const own: Place = { page: place.page, box }
  return [...above, withHeaderRow({ kind: 'table', rows: rows.length, columns, cells, caption: null, place: own })]
}

/** A line of text right above a table is taken for its first row: one cell alone, or cells no further apart than words, longer than a cell's title. */
function isSentence(row: readonly LayoutCell[]): boolean {
  const filled = row.filter(({ text }) => text.trim() !== '')
  const length = filled.reduce((sum, { text }) => sum + text.trim().length, 0)
  return filled.length > 0 && filled.length < row.length && length > 30 && filled.slice(1).every(isNextWord(filled))
}

/** Cells of a ruled table meet, columns without rules are wider apart than words. */
const isNextWord =
  (cells: readonly LayoutCell[]) =>
  ({ bbox }: LayoutCell, index: number): boolean => {
    const former = cells[index]!.bbox
    if (bbox === undefined || former === undefined) return false
    const gap = bbox.x - former.x - former.width
    return gap > 0.2 && gap < bbox.height * 0.35
  }

/** Around all cells with text. */
function boxOfCells(cells: readonly LayoutCell[]): Box | null {
  const boxes = cells.flatMap(({ text, bbox }) => (text.trim() === '' || bbox === undefined ? [] : [boxOf(bbox)]))
  if (boxes.length === 0) return null
  return {
    left: Math.min(...boxes.map(({ left }) => left)),
    top: Math.min(...boxes.map(({ top }) => top)),
    right: Math.max(...boxes.map(({ right }) => right)),
    bottom: Math.max(...boxes.map(({ bottom }) => bottom)),
  }
}

/** Left and right edge of each column: the narrowest cell of a column shows it. */
function columnEdges(
  rows: readonly (readonly LayoutCell[])[],
  columns: number,
): ({ left: number; right: number } | null)[] {
  return Array.from({ length: columns }, (_, column) => {
    const boxes = rows.flatMap((row) =>
      row[column]?.bbox === undefined || row[column].text === '' ? [] : [row[column].bbox],
    )
    const narrowest = boxes.sort((a, b) => a.width - b.width)[0]
    return narrowest === undefined ? null : { left: narrowest.x, right: narrowest.x + narrowest.width }
  })
}

/** The engine gives a cell that spans columns the whole width and leaves the places it covers empty. */
function rowCells(
  row: readonly LayoutCell[],
  index: number,
  edges: ReturnType<typeof columnEdges>,
  columns: number,
): Omit<TableCell, 'isHeader'>[] {
  const cells: Omit<TableCell, 'isHeader'>[] = []
  for (let column = 0; column < columns; column += 1) {
    const cell = row[column]
    let columnSpan = 1
    if (cell?.bbox !== undefined && cell.text !== '')
      while (
        column + columnSpan < columns &&
        (row[column + columnSpan]?.text ?? '') === '' &&
        row[column + columnSpan]?.bbox === undefined &&
        covers(cell.bbox, edges[column + columnSpan] ?? null)
      )
        columnSpan += 1
    cells.push({ row: index, column, rowSpan: 1, columnSpan, text: tidy(cell?.text ?? '') })
    column += columnSpan - 1
  }
  return cells
}

const covers = (box: Rect, edge: { left: number; right: number } | null): boolean =>
  edge !== null && box.x + box.width >= edge.right - 2
