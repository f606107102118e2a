// Tables for a terminal: coloured segments, columns of equal width, and the shape that fits into a given width.
import { APPROACHES, type BaseApproach } from '../../../contract/approaches.ts'
import { displayWidth, pad } from '../../lib/text/terminal-text.ts'

const BASE_MARK = '■'
/** Flavors have their approach's hue and another marker. */
const FLAVOR_MARKS = ['◆', '▼', '◇', '□', '▽']

export type Style = 'bold' | 'dim' | 'red' | 'yellow' | 'green' | 'cyan' | BaseApproach

const CODES: Readonly<Record<string, [number, number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  yellow: [33, 39],
  green: [32, 39],
  cyan: [36, 39],
}

/** A piece of a line. Its text is already free of escape codes. */
export interface Segment {
  text: string
  style?: Style
}

/** Segments → text with colours, or plain. */
export function paint(segments: readonly Segment[], color: boolean): string {
  return segments.map(({ text, style }) => (color && style !== undefined ? painted(text, style) : text)).join('')
}

function painted(text: string, style: Style): string {
  const code = CODES[style]
  if (code !== undefined) return `\u001b[${code[0]}m${text}\u001b[${code[1]}m`
  const hex = APPROACHES[style as BaseApproach].colour
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16))
  return `\u001b[38;2;${red};${green};${blue}m${text}\u001b[39m`
}

/** The marker of an alias: its base's square, or one of its flavors' marks in the order of the table. */
export function approachMark(flavor: string | null, index: number): string {
  return flavor === null ? BASE_MARK : FLAVOR_MARKS[index % FLAVOR_MARKS.length]!
}

export const GAP = '  '

/** A column of a terminal table; a row's cell is a list of segments. */
export interface TableColumn {
  head: string
  align: 'left' | 'right'
}

/** A row of cells, or one text across all columns but the first. */
export type TableRow = { cells: readonly (readonly Segment[])[] } | { first: readonly Segment[]; rest: Segment }

const widthOf = (segments: readonly Segment[]): number =>
  segments.reduce((width, { text }) => width + displayWidth(text), 0)

/** Width of each column: its head or its widest cell. */
function columnWidths(columns: readonly TableColumn[], rows: readonly TableRow[]): number[] {
  return columns.map(({ head }, index) =>
    Math.max(
      displayWidth(head),
      ...rows.map((row) => ('cells' in row ? widthOf(row.cells[index]!) : index === 0 ? widthOf(row.first) : 0)),
    ),
  )
}

const totalWidth = (widths: readonly number[]): number =>
  widths.reduce((sum, width) => sum + width, 0) + GAP.length * Math.max(0, widths.length - 1)

const blanks = (segments: readonly Segment[], width: number): string =>
  ' '.repeat(Math.max(0, width - widthOf(segments)))

/** Head and rows as lines with equal column widths, without trailing blanks. */
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
    const restWidth = totalWidth(widths.slice(1))
    const text = pad(row.rest.text, restWidth).trimEnd()
    return cell(row.first, 0) + GAP + paint([{ ...row.rest, text }], color)
  })
  return [paint([{ text: head, style: 'dim' }], color), ...lines]
}

/** The names of the seven approaches fit into the narrowest of these. */
const NAME_WIDTHS = [40, 28, 21]
const SHORT_NAME_WIDTHS = [16, 10]
const BAR_WIDTHS = [6, 5, 4, 3, 0]

/** The widths of a table: columns of a bar (0: none) and of a name. */
export interface Shape {
  barWidth: number
  nameWidth: number
  /** Score columns that fit. */
  scores: number
  /** True when the decisions are shown beside the first score. */
  decisions: boolean
}

export interface Table {
  columns: TableColumn[]
  rows: TableRow[]
}

/** The widest shape that fits. Shortened in this order: bars, flavor names, score columns, all names, decisions. */
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

/** The width at which a table shows all scores, with shortened bars and flavor names. */
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
