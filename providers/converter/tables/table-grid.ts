import { type Box, type Place, type Table, type TableCell, tidy } from '../model/document.ts'
import { withHeaderRow } from '../model/table.ts'
import type { TableObject } from './table-model.ts'

/** A word on a page, in points. */
export interface WordBox {
  text: string
  x: number
  y: number
  width: number
  height: number
}

interface Band {
  from: number
  to: number
}

/** A row or column belongs to a header or a spanning cell when this share of it lies within. */
const MOST_OF_IT = 0.5

/**
 * Words in the rows, columns and spanning cells that a model saw (boxes in points), surest objects first. Each word lands in exactly one cell. Rows and
 * columns without words are left out. Null where that gives less than two rows or columns.
 */
export function gridTable(
  objects: readonly TableObject[],
  words: readonly WordBox[],
  place: Place | null,
): Table | null {
  const rows = usedBands(bandsOf(objects, 'table row', vertical), words, middleY)
  const columns = usedBands(bandsOf(objects, 'table column', horizontal), words, middleX)
  if (rows.length < 2 || columns.length < 2) return null
  const headers = objects.filter(({ label }) => label === 'table column header').map(({ box }) => vertical(box))
  const isHeader = rows.map((row) => headers.some((header) => holds(header, row)))
  const texts = new Map<string, WordBox[]>()
  const cells: TableCell[] = []
  const cellAt = new Map<string, TableCell>()
  for (const { from, to } of [...mergedAreas(objects, rows, columns), ...singlePlaces(rows.length, columns.length)]) {
    const places = placesOf(from, to)
    if (places.some((key) => cellAt.has(key))) continue
    const cell: TableCell = {
      row: from.row,
      column: from.column,
      rowSpan: to.row - from.row + 1,
      columnSpan: to.column - from.column + 1,
      text: '',
      isHeader: isHeader[from.row]!,
    }
    cells.push(cell)
    for (const key of places) cellAt.set(key, cell)
  }
  for (const word of words) {
    const { row, column } = cellAt.get(`${indexAt(rows, middleY(word))} ${indexAt(columns, middleX(word))}`)!
    const key = `${row} ${column}`
    texts.set(key, [...(texts.get(key) ?? []), word])
  }
  for (const cell of cells) cell.text = cellText(texts.get(`${cell.row} ${cell.column}`) ?? [])
  cells.sort((a, b) => a.row - b.row || a.column - b.column)
  return withHeaderRow({ kind: 'table', rows: rows.length, columns: columns.length, cells, caption: null, place })
}

const vertical = ({ top, bottom }: Box): Band => ({ from: top, to: bottom })
const horizontal = ({ left, right }: Box): Band => ({ from: left, to: right })
const middleX = ({ x, width }: WordBox): number => x + width / 2
const middleY = ({ y, height }: WordBox): number => y + height / 2
const extent = ({ from, to }: Band): number => to - from
const shared = (a: Band, b: Band): number => Math.max(0, Math.min(a.to, b.to) - Math.max(a.from, b.from))
const holds = (outer: Band, inner: Band): boolean => shared(outer, inner) > extent(inner) * MOST_OF_IT

/** Rows or columns in their order. Of two that lie over each other the surer one stays. */
function bandsOf(objects: readonly TableObject[], label: TableObject['label'], of: (box: Box) => Band): Band[] {
  const kept: Band[] = []
  for (const object of objects) {
    if (object.label !== label) continue
    const band = of(object.box)
    if (extent(band) > 0 && !kept.some((other) => holds(band, other) || holds(other, band))) kept.push(band)
  }
  return kept.sort((a, b) => a.from + a.to - b.from - b.to)
}

function usedBands(bands: readonly Band[], words: readonly WordBox[], middle: (word: WordBox) => number): Band[] {
  const used = new Set(words.map((word) => indexAt(bands, middle(word))))
  return bands.filter((_, index) => used.has(index))
}

/** The band that a point belongs to: gaps are shared between their neighbours, what lies outside belongs to the outermost. */
function indexAt(bands: readonly Band[], point: number): number {
  const after = bands.findIndex((band, index) => {
    const next = bands[index + 1]
    return next === undefined || point < (band.to + next.from) / 2
  })
  return Math.max(0, after)
}

interface Area {
  from: { row: number; column: number }
  to: { row: number; column: number }
}

/** Places that spanning cells cover, surest first; a projected header takes its rows from the first column to the last. */
function mergedAreas(objects: readonly TableObject[], rows: readonly Band[], columns: readonly Band[]): Area[] {
  const covered = (bands: readonly Band[], by: Band): number[] =>
    bands.flatMap((band, index) => (holds(by, band) ? [index] : []))
  return objects.flatMap(({ label, box }) => {
    if (label !== 'table spanning cell' && label !== 'table projected row header') return []
    const down = covered(rows, vertical(box))
    const across = label === 'table projected row header' ? [...columns.keys()] : covered(columns, horizontal(box))
    if (down.length === 0 || across.length === 0 || down.length * across.length === 1) return []
    return [{ from: { row: down[0]!, column: across[0]! }, to: { row: down.at(-1)!, column: across.at(-1)! } }]
  })
}

const singlePlaces = (rows: number, columns: number): Area[] =>
  Array.from({ length: rows * columns }, (_, index) => {
    const at = { row: Math.floor(index / columns), column: index % columns }
    return { from: at, to: at }
  })

function placesOf({ row, column }: Area['from'], to: Area['to']): string[] {
  const keys: string[] = []
  for (let y = row; y <= to.row; y += 1) for (let x = column; x <= to.column; x += 1) keys.push(`${y} ${x}`)
  return keys
}

/** Words of a cell line by line. */
function cellText(words: readonly WordBox[]): string {
  const lines: WordBox[][] = []
  for (const word of [...words].sort((a, b) => middleY(a) - middleY(b))) {
    const line = lines.at(-1)
    const isSame = line !== undefined && middleY(word) - middleY(line[0]!) < Math.max(word.height, line[0]!.height) / 2
    if (isSame) line.push(word)
    else lines.push([word])
  }
  return tidy(lines.flatMap((line) => line.sort((a, b) => a.x - b.x).map(({ text }) => text)).join(' '))
}
