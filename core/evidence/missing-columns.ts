// Graded metrics and judges that gave no value for any answer of a run, and metrics that gave none for some. The same words in terminal, pages and reports.
import type { Aggregate } from '../../contract/evidence/aggregate.ts'
import type { Judgments } from '../../contract/evidence/judgments.ts'
import type { MissingColumn } from '../../contract/evidence/missing-column.ts'
import { METRIC_LABELS } from '../../contract/metrics/metrics.ts'
import { capital, countWords, plural } from '../../contract/words.ts'
import { NO_JSON, reasonWords, UNGRADABLE } from './gap-reasons.ts'

/** The most frequent of these causes; null for none. */
function mostFrequent(causes: ReadonlyMap<string, number>): string | null {
  const [first] = [...causes].toSorted(([, a], [, b]) => b - a)
  return first?.[0] ?? null
}

/** Requested metrics that the evaluator failed for answers that it could have scored. */
function missingMetrics({ approaches, metrics }: Aggregate): MissingColumn[] {
  return metrics.flatMap((name) => {
    const summaries = approaches.flatMap(({ selected, ragas }) => (selected ? (ragas[name] ?? []) : []))
    const causes = new Map<string, number>()
    const count = (cause: string, times: number): void => {
      if (times > 0) causes.set(cause, (causes.get(cause) ?? 0) + times)
    }
    for (const { timeouts, errors_by_reason: errors } of summaries) {
      count('the evaluator timed out', timeouts)
      for (const [reason, times] of Object.entries(errors)) count(reasonWords(reason), times)
    }
    // Answers that claim nothing have no statement to check, and rules cannot grade every metric: the evaluator did not fail.
    for (const word of UNGRADABLE) causes.delete(reasonWords(word))
    const scored = summaries.reduce((sum, summary) => sum + summary.scored, 0)
    // Nor did it where some have a score: recall of a ground truth that claims nothing is no number.
    if (scored > 0) causes.delete(reasonWords('score_not_finite'))
    const cause = mostFrequent(causes)
    if (cause === null) return []
    const missing = [...causes.values()].reduce((sum, times) => sum + times, 0)
    return [
      { kind: 'metric' as const, name, cause, ...(scored === 0 ? {} : { answers: { missing, of: scored + missing } }) },
    ]
  })
}

/** Judges of a panel that gave no verdict at all. */
export function missingJudges({ judges, queries, errors = [], blocked = [] }: Judgments): MissingColumn[] {
  return judges.flatMap((judge) => {
    if (queries.some(({ per_judge: verdicts }) => verdicts[judge] !== undefined)) return []
    const causes = new Map<string, number>()
    for (const failure of errors)
      if (failure.judge === judge) {
        const cause = judgeFailureWords(failure)
        causes.set(cause, (causes.get(cause) ?? 0) + 1)
      }
    const isBlocked = blocked.length > 0 && blocked.length === queries.length
    const cause = mostFrequent(causes) ?? (isBlocked ? BLOCKED : null)
    return cause === null ? [] : [{ kind: 'judge' as const, name: judge, cause }]
  })
}

const BLOCKED = 'every question would have shown whose answer it is'

function judgeFailureWords({ code, message }: NonNullable<Judgments['errors']>[number]): string {
  switch (code) {
    case 'timeout':
      return 'the model did not answer in time'
    case 'connection_failed':
      return 'the service could not be reached'
    case 'invalid_verdict':
      return message.includes('holds no JSON') ? NO_JSON : `its verdict cannot be used: ${message}`
    default:
      return message
  }
}

/** Everything that is graded and lacks values in a dataset run; empty where each answer has its grades and each judge gave a verdict. */
export function missingColumns(aggregate: Aggregate): MissingColumn[] {
  const { judge_panel: panel } = aggregate
  return [...missingMetrics(aggregate), ...('missing' in panel ? (panel.missing ?? []) : [])]
}

/** Columns of several datasets as one list: a column that is missing in each is listed once. */
export function allMissing(lists: readonly (readonly MissingColumn[])[]): MissingColumn[] {
  const keyOf = ({ kind, name, cause, answers }: MissingColumn): string => JSON.stringify([kind, name, cause, answers])
  return [...new Map(lists.flat().map((column) => [keyOf(column), column])).values()]
}

/** `2 graded metrics missing: the model did not write JSON; 8 of 56 answers without faithfulness: the model did not answer in time`. */
export function missingWords(columns: readonly MissingColumn[]): string {
  const metrics = columns.filter(({ kind, answers }) => kind === 'metric' && answers === undefined)
  const partial = columns.flatMap((column) => (column.answers === undefined ? [] : [{ ...column, ...column.answers }]))
  const byAnswers = Map.groupBy(partial, ({ missing, of, cause }) => `${missing} of ${of} ${cause}`)
  const byCause = Map.groupBy(metrics, ({ cause }) => cause)
  return [
    ...[...byCause].map(
      ([cause, same]) => `${plural(new Set(same.map(({ name }) => name)).size, 'graded metric')} missing: ${cause}`,
    ),
    ...[...byAnswers.values()].map((same) => {
      const { missing, of, cause } = same[0]!
      const names = same.map(({ name }) => labelOf(name).toLowerCase()).join(', ')
      return `${countWords(missing)} of ${plural(of, 'answer')} without ${names}: ${cause}`
    }),
    ...columns.flatMap(({ kind, name, cause }) => (kind === 'judge' ? [`judge ${name} missing: ${cause}`] : [])),
  ].join('; ')
}

const labelOf = (name: string): string => (METRIC_LABELS as Readonly<Record<string, string>>)[name] ?? name

/** A sentence for each cause with the names of what is missing, for notes. */
export function missingNotes(columns: readonly MissingColumn[]): string[] {
  const nameOf = ({ kind, name }: MissingColumn): string => (kind === 'metric' ? labelOf(name) : `judge ${name}`)
  return [...Map.groupBy(columns, ({ kind, cause }) => `${kind} ${cause}`).values()].map((same) => {
    const names = [...new Set(same.map(nameOf))]
    return `${capital(names.join(', '))} ${names.length === 1 ? 'is' : 'are'} missing for every answer: ${same[0]!.cause}.`
  })
}
