import type { RowQuestion } from '../../contract/evidence/canonical-row.ts'
import { Column } from './aggregate/column.ts'
import { metricOutcome, type ScoreMetric } from './aggregate/metric-outcome.ts'
import { readFigureRows } from './read-evidence.ts'

/** The scores of a dataset run by question, for a comparison with another run. */
export interface QuestionScores {
  questions: ReadonlyMap<string, RowQuestion>
  /** Of all approaches with a row. */
  models: ReadonlySet<string>
  /** Models that graded answers; empty where none did. */
  graders: ReadonlySet<string>
  /** Context budgets of its answers, null for those without one. */
  budgets: ReadonlySet<number | null>
  /** Mean over the answers of an approach to a question; NaN where there is no score. */
  score: (metric: ScoreMetric, model: string, question: string) => number
}

/** Reads the scores of an evidence file. Throws `ReportError`. */
export async function readQuestionScores(evidence: string, metrics: readonly ScoreMetric[]): Promise<QuestionScores> {
  const questions = new Map<string, RowQuestion>()
  const indexes = new Map<string, number>()
  const models = new Set<string>()
  const graders = new Set<string>()
  const budgets = new Set<number | null>()
  const columns = new Map<string, Column>()
  const keyOf = (metric: string, model: string): string => `${metric} ${model}`
  for await (const rows of readFigureRows(evidence))
    for (const row of rows) {
      const { id } = row.question
      questions.set(id, row.question)
      models.add(row.approach.model)
      budgets.add(row.reproducibility.runtime.context_budget ?? null)
      const { evaluator_model: grader } = row.metrics.ragas
      if (grader !== null) graders.add(grader)
      const index = indexes.get(id) ?? indexes.size
      indexes.set(id, index)
      for (const metric of metrics) {
        const outcome = metricOutcome(row, metric)
        if (outcome.kind !== 'scored') continue
        const key = keyOf(metric, row.approach.model)
        const column = columns.get(key) ?? new Column()
        columns.set(key, column)
        column.set(index, outcome.score, row.repeat ?? 1)
      }
    }
  return {
    questions,
    models,
    graders,
    budgets,
    score: (metric, model, question) =>
      columns.get(keyOf(metric, model))?.meanAt(indexes.get(question) ?? -1) ?? Number.NaN,
  }
}
