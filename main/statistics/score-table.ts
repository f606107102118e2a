import { StatisticsError } from './statistics-error.ts'

/** The scores of one metric: a question may miss for some approaches, and missing is never 0. */
export interface ScoreTable {
  metric: string
  /** Cluster names are free; questions of one name are resampled together. */
  questions: readonly { id: string; cluster: string }[]
  approaches: readonly string[]
  /** A row per question, a column per approach; NaN where there is no score. */
  scores: Float64Array
  /** For latency and cost; a is better where its value is lower. */
  lowerIsBetter?: boolean
  /** The ends that no score can pass; none for latency and cost. */
  range?: readonly [low: number, high: number]
}

/** One score as evidence holds it; several for one question and approach are repetitions. */
export interface ScoreEntry {
  question: string
  approach: string
  score: number
}

/** Table from single scores: with repetitions, the mean of those that were scored. Entries of other questions or approaches are refused. */
export function scoreTableOf(head: Omit<ScoreTable, 'scores'>, entries: Iterable<ScoreEntry>): ScoreTable {
  const rows = new Map(head.questions.map(({ id }, index) => [id, index]))
  const columns = new Map(head.approaches.map((approach, index) => [approach, index]))
  const sums = new Float64Array(rows.size * columns.size)
  const counts = new Float64Array(sums.length)
  for (const { question, approach, score } of entries) {
    const row = rows.get(question)
    const column = columns.get(approach)
    if (row === undefined || column === undefined)
      throw new StatisticsError('bad_input', `${head.metric}: unknown question ${question} or approach ${approach}`)
    sums[row * columns.size + column]! += score
    counts[row * columns.size + column]! += 1
  }
  return { ...head, scores: sums.map((sum, cell) => (counts[cell] === 0 ? NaN : sum / counts[cell]!)) }
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
