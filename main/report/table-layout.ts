import { displayWidth, pad } from '../lib/terminal-text.ts'
import { paint, type Segment } from './terminal-paint.ts'

export const GAP = '  '

/** A column of a terminal table; a row's cell is a list of segments. */
export interface TableColumn {
  head: string
  align: 'left' | 'right'
}

/** A row of cells, or one text that goes over all columns but the first. */
export type TableRow = { cells: readonly (readonly Segment[])[] } | { first: readonly Segment[]; rest: Segment }

const widthOf = (segments: readonly Segment[]): number =>
  segments.reduce((width, { text }) => width + displayWidth(text), 0)

/** Width of each column: its head or its widest cell. */
export function columnWidths(columns: readonly TableColumn[], rows: readonly TableRow[]): number[] {
  return columns.map(({ head }, index) =>
    Math.max(
      displayWidth(head),
      ...rows.map((row) => ('cells' in row ? widthOf(row.cells[index]!) : index === 0 ? widthOf(row.first) : 0)),
    ),
  )
}

export const totalWidth = (widths: readonly number[]): number =>
  widths.reduce((sum, width) => sum + width, 0) + GAP.length * Math.max(0, widths.length - 1)

const blanks = (segments: readonly Segment[], width: number): string =>
  ' '.repeat(Math.max(0, width - widthOf(segments)))

/** Head and rows as lines of equal column widths, blanks at line ends cut off. */
export function layoutTable(
  columns: readonly TableColumn[],
  rows: readonly TableRow[],
  widths: readonly number[],
  color: boolean,
): string[] {
  const cell = (segments: readonly Segment[], index: number): string => {
    const text = paint(segments, color)
    const fill = blanks(segments, widths[index]!)
    return columns[index]!.align === 'left' ? text + fill : fill + text
  }
  const head = columns
    .map(({ head: text, align }, index) => pad(text, widths[index]!, align))
    .join(GAP)
    .trimEnd()
  const lines = rows.map((row) => {
    if ('cells' in row) return row.cells.map(cell).join(GAP).trimEnd()
    const room = totalWidth(widths.slice(1))
    const text = pad(row.rest.text, room).trimEnd()
    return cell(row.first, 0) + GAP + paint([{ ...row.rest, text }], color)
  })
  return [paint([{ text: head, style: 'dim' }], color), ...lines]
}
