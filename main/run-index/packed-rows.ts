import type { CellRecord } from './cell-record.ts'
import { INDEX_METRICS } from './metric-columns.ts'
import type { IndexRow } from './parsed-blocks.ts'

/** Rows on their way between threads: a few large lists, which are copied in an eighth of the time that their objects take. */
export interface PackedRows {
  /** What several rows may have in common, each once. */
  shared: unknown[]
  /** `WIDTH` of each row; NaN for null. */
  numbers: Float64Array
  texts: (string | null)[]
}

const FIGURES = [
  'evaluation',
  'queueMs',
  'latencyMs',
  'attempts',
  'serverSeconds',
  'totalTokens',
  'answerChars',
  'finishedMs',
] as const satisfies (keyof CellRecord)[]
const METRICS = INDEX_METRICS.length
/** Four places in `shared`, offset, length, the count of sources and the repetition come before the figures, values and states of a row. */
const HEAD = 8
const WIDTH = HEAD + FIGURES.length + 2 * METRICS

/** The other side's `unpackRows` gives equal rows, and what was one object in them is one again. */
export function packRows(rows: readonly IndexRow[]): PackedRows {
  const shared = new Map<unknown, number>()
  const placeOf = (value: unknown): number => {
    const known = shared.get(value)
    if (known !== undefined) return known
    shared.set(value, shared.size)
    return shared.size - 1
  }
  const scores: (number | null)[] = []
  const numbers = new Float64Array(rows.length * WIDTH)
  const texts: (string | null)[] = []
  for (const [index, { runId, dataset, provenance, record, offset, length }] of rows.entries()) {
    let at = index * WIDTH
    for (const value of [dataset, provenance, record.question, record.alias]) numbers[at++] = placeOf(value)
    numbers[at++] = offset
    numbers[at++] = length
    numbers[at++] = record.sources.length
    numbers[at++] = record.repeat
    for (const name of FIGURES) numbers[at++] = record[name] ?? NaN
    for (const value of record.values) numbers[at++] = value ?? NaN
    for (const state of record.states) numbers[at++] = state
    texts.push(runId, record.rowId, record.status, record.errorType, record.reasons, record.searchable)
    for (const { title, document, score } of record.sources) {
      texts.push(title, document)
      scores.push(score)
    }
  }
  return { shared: [...shared.keys(), scores], numbers, texts }
}

const orNull = (value: number): number | null => (Number.isNaN(value) ? null : value)

export function unpackRows({ shared, numbers, texts }: PackedRows): IndexRow[] {
  const scores = shared.at(-1) as (number | null)[]
  let [text, source] = [0, 0]
  const nextText = (): string => texts[text++]!
  return Array.from({ length: numbers.length / WIDTH }, (_, index): IndexRow => {
    const start = index * WIDTH
    const sharedAt = (place: number): unknown => shared[numbers[start + place]!]
    const figure = (name: (typeof FIGURES)[number]): number | null =>
      orNull(numbers[start + HEAD + FIGURES.indexOf(name)]!)
    const metrics = start + HEAD + FIGURES.length
    return {
      runId: nextText(),
      dataset: sharedAt(0) as IndexRow['dataset'],
      provenance: sharedAt(1) as IndexRow['provenance'],
      offset: numbers[start + 4]!,
      length: numbers[start + 5]!,
      record: {
        question: sharedAt(2) as CellRecord['question'],
        repeat: numbers[start + 7]!,
        alias: sharedAt(3) as CellRecord['alias'],
        rowId: nextText(),
        status: nextText() as CellRecord['status'],
        errorType: nextText(),
        reasons: nextText(),
        searchable: nextText(),
        evaluation: figure('evaluation'),
        queueMs: figure('queueMs'),
        latencyMs: figure('latencyMs'),
        attempts: figure('attempts'),
        serverSeconds: figure('serverSeconds'),
        totalTokens: figure('totalTokens'),
        answerChars: figure('answerChars'),
        finishedMs: figure('finishedMs'),
        values: Array.from(numbers.subarray(metrics, metrics + METRICS), orNull),
        states: Array.from(numbers.subarray(metrics + METRICS, metrics + 2 * METRICS)),
        sources: Array.from({ length: numbers[start + 6]! }, () => ({
          title: nextText(),
          document: nextText(),
          score: scores[source++]!,
        })),
      },
    }
  })
}
