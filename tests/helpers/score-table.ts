import type { ScoreTable } from '../../main/statistics/score-table.ts'
import { StatisticsError } from '../../main/statistics/statistics-error.ts'

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
