import { describe, expect, it } from 'vitest'
import { assertScoreTable } from './score-table.ts'
import { StatisticsError } from './statistics-error.ts'

const questions = [
  { id: 'q1', cluster: 'c' },
  { id: 'q2', cluster: 'c' },
]
const head = { metric: 'm', questions, approaches: ['a', 'b'] }

describe('assertScoreTable', () => {
  it.each([
    ['sizes', { ...head, scores: new Float64Array(3) }],
    ['approaches', { ...head, approaches: ['a', 'a'], scores: new Float64Array(4) }],
    ['questions', { ...head, questions: [questions[0]!, questions[0]!], scores: new Float64Array(4) }],
    ['infinity', { ...head, scores: Float64Array.of(0, 0, Infinity, 0) }],
  ])('refuses wrong %s', (_, table) => {
    expect(() => assertScoreTable(table)).toThrow(StatisticsError)
  })

  it('accepts gaps', () => {
    expect(() => assertScoreTable({ ...head, scores: new Float64Array(4).fill(NaN) })).not.toThrow()
  })
})
