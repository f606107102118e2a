import { ConversionError } from './conversion-error.ts'
import type { Place, Table, TableCell } from './document.ts'

/** Most places one table may have: a spreadsheet that claims more is refused, not guessed at. */
export const MAX_TABLE_PLACES = 2_000_000

/** A table of plain rows without spans; short rows are filled up. The first row is the header where `hasHeader`. */
export function tableOfRows(rows: readonly (readonly string[])[], hasHeader: boolean, place: Place | null): Table {
  const columns = Math.max(0, ...rows.map((row) => row.length))
  const cells = rows.flatMap((row, index) =>
    row.map((text, column): TableCell => ({
      row: index,
      column,
      rowSpan: 1,
      columnSpan: 1,
      text,
      isHeader: hasHeader && index === 0,
    })),
  )
  return { kind: 'table', rows: rows.length, columns, cells, caption: null, place }
}

/** Which cell covers each place, row by row; null where none does. */
export function tableGrid(table: Table): (TableCell | null)[][] {
  const grid = Array.from({ length: table.rows }, () =>
    Array.from({ length: table.columns }, (): TableCell | null => null),
  )
  for (const cell of table.cells)
    for (let row = cell.row; row < Math.min(cell.row + cell.rowSpan, table.rows); row += 1)
      for (let column = cell.column; column < Math.min(cell.column + cell.columnSpan, table.columns); column += 1)
        grid[row]![column] = cell
  return grid
}

/** Cells that span more places than this for each of them hold nothing: a page of 2 kB gave 8 MB of empty table lines. */
const MOST_PLACES_PER_CELL = 100
const FEW_PLACES = 20_000

/** Returns true when a table of so many places is mostly empty. */
export const isMostlyEmpty = (places: number, filledCells: number): boolean =>
  places > FEW_PLACES && places > filledCells * MOST_PLACES_PER_CELL

/** A cell as a row of a table markup gives it, before its column is known. */
export interface LooseCell {
  text: string
  rowSpan: number
  columnSpan: number
  isHeader: boolean
}

/** Places the cells of a row-by-row markup, in which earlier cells that span rows push later ones to the right (HTML's table model). */
export function tableOfLooseRows(
  rows: readonly (readonly LooseCell[])[],
  caption: string | null,
  place: Place | null,
): Table {
  const spanned = rows.reduce(
    (sum, row, rowIndex) =>
      sum +
      row.reduce(
        (places, cell) => places + Math.min(cell.rowSpan, rows.length - rowIndex) * Math.min(cell.columnSpan, 1000),
        0,
      ),
    0,
  )
  if (isMostlyEmpty(spanned, rows.flat().length)) {
    const single = rows.map((row) => row.map((cell) => ({ ...cell, rowSpan: 1, columnSpan: 1 })))
    return tableOfLooseRows(single, caption, place)
  }
  if (spanned > MAX_TABLE_PLACES)
    throw new ConversionError('too_large', `a table has more than ${MAX_TABLE_PLACES} places`)
  const taken = new Set<string>()
  const cells: TableCell[] = []
  let columns = 0
  rows.forEach((row, rowIndex) => {
    let column = 0
    for (const cell of row) {
      while (taken.has(`${rowIndex} ${column}`)) column += 1
      const rowSpan = Math.max(1, Math.min(cell.rowSpan, rows.length - rowIndex))
      const columnSpan = Math.max(1, Math.min(cell.columnSpan, 1000))
      for (let y = rowIndex; y < rowIndex + rowSpan; y += 1)
        for (let x = column; x < column + columnSpan; x += 1) taken.add(`${y} ${x}`)
      cells.push({ row: rowIndex, column, rowSpan, columnSpan, text: cell.text, isHeader: cell.isHeader })
      column += columnSpan
      columns = Math.max(columns, column)
    }
  })
  return { kind: 'table', rows: rows.length, columns, cells, caption, place }
}

const NUMBER = /^[-+(]?\p{Sc}?\s?[\d.,\s]*\d[\d.,\s]*\s?[%)\p{Sc}]?$/u

/** A table whose format marks no header gets its first row as one, where that row is full and names things instead of counting them. */
export function withHeaderRow(table: Table): Table {
  const first = table.cells.filter(({ row }) => row === 0)
  const isHeader =
    table.rows > 1 &&
    !table.cells.some((cell) => cell.isHeader) &&
    first.length > 1 &&
    first.every(({ text }, index) => (text !== '' || index === 0) && !NUMBER.test(text))
  return isHeader ? { ...table, cells: table.cells.map((cell) => ({ ...cell, isHeader: cell.row === 0 })) } : table
}
