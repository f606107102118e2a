import { columnWidths, totalWidth, type TableColumn, type TableRow } from './table-layout.ts'

/** The names of the seven approaches fit into the narrowest of these. */
const NAME_WIDTHS = [40, 28, 21]
const SHORT_NAME_WIDTHS = [16, 10]
const BAR_WIDTHS = [6, 5, 4, 3, 0]

/** How much room a table takes: columns of a bar (0: none) and of a name. */
export interface Shape {
  barWidth: number
  nameWidth: number
  /** Score columns that fit. */
  scores: number
  /** Whether there is room for the decisions beside the first score. */
  decisions: boolean
}

export interface Table {
  columns: TableColumn[]
  rows: TableRow[]
}

/** The roomiest shape that fits: bars give way first, then flavor names, then score columns, then all names, then decisions. */
export function fitted(width: number, scores: number, build: (shape: Shape) => Table): FittedTable {
  const shapes = [
    ...countdown(scores).flatMap((kept) => shapesFor(kept, NAME_WIDTHS)),
    ...shapesFor(1, SHORT_NAME_WIDTHS),
    ...shapesFor(1, SHORT_NAME_WIDTHS, false),
  ]
  for (const shape of shapes.slice(0, -1)) {
    const table = fittedAs(shape, build)
    if (totalWidth(table.widths) <= width) return table
  }
  return fittedAs(shapes.at(-1)!, build)
}

/** Columns that a table needs to show everything: bars and flavor names give way first. */
export const widthForAll = (scores: number, build: (shape: Shape) => Table): number =>
  Math.min(...shapesFor(scores, NAME_WIDTHS).map((shape) => totalWidth(fittedAs(shape, build).widths)))

export interface FittedTable extends Table {
  widths: number[]
  scores: number
  decisions: boolean
}

function fittedAs(shape: Shape, build: (shape: Shape) => Table): FittedTable {
  const table = build(shape)
  const { scores, decisions } = shape
  return { ...table, widths: columnWidths(table.columns, table.rows), scores, decisions }
}

const countdown = (from: number): number[] => Array.from({ length: from }, (_, step) => from - step)
const shapesFor = (scores: number, nameWidths: readonly number[], decisions = true): Shape[] =>
  nameWidths.flatMap((nameWidth) => BAR_WIDTHS.map((barWidth) => ({ barWidth, nameWidth, scores, decisions })))
