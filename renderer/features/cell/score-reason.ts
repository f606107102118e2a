import { plural, score } from '../../components/format.ts'
import { CELL_WORDS } from './cell-words.ts'

const WORDS = CELL_WORDS.reasons

type Entry = Record<string, unknown>

const isEntry = (value: unknown): value is Entry => typeof value === 'object' && value !== null && !Array.isArray(value)
const isYes = (value: unknown): boolean => value === 1 || value === true
const textOf = (value: unknown): string =>
  value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value)
const because = (reason: unknown): string => (textOf(reason) === '' ? '' : ` (${textOf(reason)})`)

/** One thing that an evaluator looked at, by the forms that the metrics are documented to return; null for another form. */
function lineOf(entry: Entry): string | null {
  const { statement, question, index, reason } = entry
  if (statement !== undefined && 'attributed' in entry)
    return `${WORDS.attributed[isYes(entry.attributed) ? 'yes' : 'no']}: ${textOf(statement)}${because(reason)}`
  if (statement !== undefined && typeof entry.state === 'string')
    return `${WORDS.states[entry.state] ?? entry.state}: ${textOf(statement)}${because(reason)}`
  if (statement !== undefined)
    return `${WORDS.supported[isYes(entry.verdict) ? 'yes' : 'no']}: ${textOf(statement)}${because(reason)}`
  if (question !== undefined && 'cosine' in entry)
    return WORDS.question(
      textOf(question),
      typeof entry.cosine === 'number' ? score(entry.cosine) : '–',
      isYes(entry.noncommittal),
    )
  if (typeof index === 'number' && 'verdict' in entry)
    return `${WORDS.context(index + 1, isYes(entry.verdict))}${because(reason)}`
  return null
}

const plainLines = (value: Entry, before = ''): string[] =>
  Object.entries(value).flatMap(([key, each]) => {
    const name = `${before}${key.replaceAll('_', ' ')}`
    return isEntry(each) ? plainLines(each, `${name} › `) : [`${name}: ${textOf(each)}`]
  })

/** Lists each line once, with how often it occurs. */
function countedLines(lines: readonly string[]): string[] {
  const times = new Map<string, number>()
  for (const line of lines) times.set(line, (times.get(line) ?? 0) + 1)
  return [...times].map(([line, count]) => (count === 1 ? line : WORDS.times(line, count)))
}

/** Returns what an evaluator gave as reason of a score, a line each, and equal ones once. Evaluators elsewhere may return other forms: their fields are listed with their names. */
export function reasonLines(reason: unknown): string[] {
  if (!isEntry(reason)) return textOf(reason) === '' ? [] : textOf(reason).split('\n')
  const lines = Object.entries(reason).flatMap(([key, value]) => {
    if (key === 'statements_omitted' && typeof value === 'number') return [WORDS.omitted(plural(value, 'statement'))]
    if (!Array.isArray(value)) return plainLines({ [key]: value })
    if (value.length === 0) return [WORDS.none(key.replaceAll('_', ' '))]
    return value.flatMap((each: unknown) => (isEntry(each) ? (lineOf(each) ?? plainLines(each)) : [textOf(each)]))
  })
  return countedLines(lines)
}
