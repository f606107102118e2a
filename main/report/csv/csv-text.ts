/** A table cell: text is quoted where necessary, numbers are not, null is an empty cell. */
export type CsvValue = string | number | boolean | null

/** A spreadsheet reads a cell that begins with one of these as a formula. */
const FORMULA_START = /^[\s]*[=+\-@|%]/u

/**
 * One value as a field of RFC 4180. A text that a spreadsheet would run as a formula gets an apostrophe before it; only text does, so
 * numbers stay numbers.
 */
export function csvField(value: CsvValue): string {
  if (value === null) return ''
  if (typeof value !== 'string') return String(value)
  const safe = FORMULA_START.test(value) || /^[\t\r\n]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) || safe !== value ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Header and rows with `\n` line ends. */
export function* csvText(columns: readonly string[], rows: Iterable<readonly CsvValue[]>): Generator<string> {
  yield `${columns.map(csvField).join(',')}\n`
  for (const row of rows) yield `${row.map(csvField).join(',')}\n`
}
