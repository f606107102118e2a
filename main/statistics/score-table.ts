import { StatisticsError } from './statistics-error.ts'

/** The scores of one metric: a question may miss for some approaches, and missing is never 0. */
export interface ScoreTable {
  metric: string
  /** Cluster names are free; questions of one name are resampled together. */
  questions: readonly { id: string; cluster: string }[]
  /** Links between questions that were cut when clusters were made, per link that was kept; 0. */
  cutPerKept?: number
  approaches: readonly string[]
  /** A row per question, a column per approach; NaN where there is no score. */
  scores: Float64Array
  /** For latency and cost; a is better where its value is lower. */
  lowerIsBetter?: boolean
  /** For times: two of them are compared by their ratio, where none is 0. */
  hasRatios?: boolean
  /** The ends that no score can pass; none for latency and cost. */
  range?: readonly [low: number, high: number]
}

/** Throws `bad_input` when sizes do not fit, ids repeat, or a score is infinite. */
export function assertScoreTable(table: ScoreTable): void {
  const { metric, questions, approaches, scores } = table
  const refuse = (reason: string): never => {
    throw new StatisticsError('bad_input', `${metric}: ${reason}`)
  }
  if (scores.length !== questions.length * approaches.length)
    refuse(`${scores.length} scores for ${questions.length} questions and ${approaches.length} approaches`)
  if (new Set(approaches).size !== approaches.length) refuse('duplicate approach')
  if (new Set(questions.map(({ id }) => id)).size !== questions.length) refuse('duplicate question')
  if (scores.some((score) => score === Infinity || score === -Infinity)) refuse('a score is infinite')
}
