import type { Aggregate, ApproachSummary, SharedUse } from '../../../contract/evidence/aggregate.ts'
import { joinedUsage, type ModelUsage } from '../../../contract/evidence/model-usage.ts'
import type { JudgeInput } from './judge-input.ts'
import type { FigureRow } from '../../evidence/rows/interned-rows.ts'

/** Returns what a cell's models used; `answer` is null where the row does not record it. A platform that calls no paid model need not report more. */
export function usageOfRow({ metrics: { operational, ragas } }: Pick<FigureRow, 'metrics'>): {
  answer: readonly ModelUsage[] | null
  grading: readonly ModelUsage[]
} {
  const { server } = operational
  const answer = server === null ? null : (server.model_usage ?? (server.cloud_calls === 0 ? [] : null))
  return { answer, grading: ragas.model_usage ?? [] }
}

/** Adds up the usage of rows, a line for each model. */
export class UsageTally {
  #answers: ModelUsage[] = []
  #grading: ModelUsage[] = []
  #unknown = 0
  #ungraded = 0

  add(row: Pick<FigureRow, 'metrics'>): void {
    const { answer, grading } = usageOfRow(row)
    if (answer === null) this.#unknown += 1
    else if (answer.length > 0) this.#answers = joinedUsage([...this.#answers, ...answer])
    if (grading.length > 0) this.#grading = joinedUsage([...this.#grading, ...grading])
    else if (row.metrics.ragas.error_type !== undefined) this.#ungraded += 1
  }

  /** Nothing where no row names a model, so that artifacts of such runs keep their bytes. */
  summary(): Pick<ApproachSummary, 'usage'> {
    if (this.#answers.length + this.#grading.length === 0) return {}
    const usage = { answers: this.#answers, grading: this.#grading, unknown_cells: this.#unknown }
    return { usage: this.#ungraded === 0 ? usage : { ...usage, ungraded_cells: this.#ungraded } }
  }
}

/** Returns what the judges used, failed verdicts included; nothing where no verdict records it. */
export function judgingUse(judge: JudgeInput): Pick<Aggregate, 'judging_use'> {
  if (judge.state !== 'read') return {}
  const { queries, errors = [] } = judge.judgments
  const verdicts = queries.flatMap(({ per_judge: verdictOf }) =>
    Object.values(verdictOf).flatMap(({ rotations = [] }) => rotations),
  )
  const models = joinedUsage([...verdicts, ...errors].flatMap(({ usage }) => usage ?? []))
  return models.length === 0 ? {} : { judging_use: { models, seconds: null } }
}

/** The sum of several uses. */
export const joinedUse = (uses: readonly SharedUse[]): SharedUse => ({
  models: joinedUsage(uses.flatMap(({ models }) => models)),
  seconds: uses.reduce<number | null>(
    (sum, { seconds }) => (sum === null || seconds === null ? null : sum + seconds),
    0,
  ),
})
