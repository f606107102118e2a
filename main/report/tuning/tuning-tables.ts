import type { SettingValues } from '../../../contract/evidence/tuning.ts'
import { durationWords } from '../../../contract/words.ts'
import { meanOf, qualityWords, settingWords, type SettingResult, type TuningResult } from './tuning-result.ts'

// The tables of a tuning: its settings, its frontier, and a map over two parameters. The terminal, Markdown and the page show the same ones.

type Value = SettingValues[string]

/** Mean quality over the values of two parameters. */
export interface HeatMap {
  /** Name of the parameter of the rows, and of the columns. */
  names: readonly [rows: string, columns: string]
  rows: Value[]
  columns: Value[]
  /** By row and column: the mean over all settings with these two values; null where none was tried. */
  cells: (number | null)[][]
  low: number
  high: number
}

/** More values than these have no map that can be read. */
const MOST_VALUES = 20

function valuesOf({ settings }: TuningResult, name: string): Value[] {
  const values = new Map(settings.map((each) => [JSON.stringify(each.values[name]), each.values[name]!]))
  return [...values.values()].toSorted((one, other) =>
    typeof one === 'number' && typeof other === 'number'
      ? one - other
      : JSON.stringify(one) < JSON.stringify(other)
        ? -1
        : 1,
  )
}

/** Tuned parameters that a map can have: with some values, and not too many to read. */
export const mappable = (result: TuningResult): string[] =>
  result.plan.tuned.filter((name) => {
    const { length } = valuesOf(result, name)
    return length > 1 && length <= MOST_VALUES
  })

/** The map over two tuned parameters; null where one of them has one value or too many, or is not tuned. */
export function heatMap(result: TuningResult, names: readonly string[] | null): HeatMap | null {
  const { plan, settings } = result
  const able = mappable(result)
  const [row, column] = (names ?? plan.tuned).filter((name) => able.includes(name))
  if (row === undefined || column === undefined) return null
  const [rows, columns] = [valuesOf(result, row), valuesOf(result, column)]
  const cells = rows.map((of) =>
    columns.map((at) =>
      meanOf(
        settings.filter(({ values }) => same(values[row], of) && same(values[column], at)).map(({ mean }) => mean),
      ),
    ),
  )
  const all = cells.flat().filter((cell) => cell !== null)
  return { names: [row, column], rows, columns, cells, low: Math.min(...all), high: Math.max(...all) }
}

const same = (one: Value | undefined, other: Value): boolean => JSON.stringify(one) === JSON.stringify(other)

export const valueText = (value: Value): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** Places a cell between the lowest and the highest, 0 to 1; 1 where all are equal. */
export const shadeOf = ({ low, high }: HeatMap, cell: number): number =>
  high === low ? 1 : (cell - low) / (high - low)

const SHADES = ['░', '▒', '▓', '█']

/** The map as lines of text: each cell with a sign that is darker where it is better. */
export function heatMapLines(map: HeatMap, result: TuningResult): string[] {
  const [rowName, columnName] = map.names
  const text = (cell: number | null): string =>
    cell === null
      ? '–'
      : `${SHADES[Math.min(3, Math.floor(shadeOf(map, cell) * 4))]!} ${qualityWords(result.plan, cell)}`
  const head = [`${rowName} ↓  ${columnName} →`, ...map.columns.map(valueText)]
  return alignedLines([head, ...map.rows.map((value, at) => [valueText(value), ...map.cells[at]!.map(text)])])
}

/** Rows of cells in columns of equal width, two blanks apart; the first column to the left, the others to the right. */
export function alignedLines(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)))
  return rows.map((row) =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!)))
      .join('  ')
      .trimEnd(),
  )
}

export const SETTING_HEAD = ['setting', 'quality', 'tokens', 'time', 'questions', 'p, corrected', ''] as const

/** Cells of a setting in the order of `SETTING_HEAD`. */
export function settingCells(each: SettingResult, result: TuningResult): string[] {
  const marks = [
    ...(each.setting === 0 ? ['as it is'] : []),
    ...(each.setting === result.winner && each.setting !== 0 ? ['winner'] : []),
    ...(each.isOnFrontier ? ['frontier'] : []),
    ...(each.isComplete ? [] : ['stopped early']),
    ...(each.failed > 0 ? [`${each.failed} failed`] : []),
  ]
  return [
    settingWords(each.values),
    qualityWords(result.plan, each.mean),
    each.tokens === null ? '–' : String(Math.round(each.tokens)),
    each.seconds === null ? '–' : durationWords(each.seconds * 1000),
    String(each.questions),
    each.p === null ? '–' : each.p < 0.001 ? '< 0.001' : each.p.toFixed(3),
    marks.join(', '),
  ]
}

/** Settings by quality, best first: those that finished before those that were stopped. */
export const ranked = ({ settings }: TuningResult): SettingResult[] =>
  settings.toSorted(
    (one, other) =>
      Number(other.isComplete) - Number(one.isComplete) ||
      (other.mean ?? -Infinity) - (one.mean ?? -Infinity) ||
      one.setting - other.setting,
  )

/** Counts what the result took: `4,000 questions asked, 100 of them embedded, 2,000 reranked, no answer written`. */
export function callWords({ calls }: TuningResult): string {
  const written = calls.chats === 0 ? 'no model wrote anything' : `${calls.chats} calls of models that write`
  return `${calls.questions} questions asked: ${calls.embedded} embedded, ${calls.reranked} calls of a reranker, ${written}`
}
