import { describe, expect, it } from 'vitest'
import { StatisticsError } from '../../main/statistics/statistics-error.ts'
import { scoreTableOf } from './score-table.ts'

const questions = [
  { id: 'q1', cluster: 'c' },
  { id: 'q2', cluster: 'c' },
]
const head = { metric: 'm', questions, approaches: ['a', 'b'] }

describe('scoreTableOf', () => {
  it('averages repetitions and leaves gaps as NaN', () => {
    const table = scoreTableOf(head, [
      { question: 'q1', approach: 'a', score: 1 },
      { question: 'q1', approach: 'a', score: 0 },
      { question: 'q2', approach: 'b', score: 0 },
    ])
    expect(table).toEqual({ ...head, scores: Float64Array.of(0.5, NaN, NaN, 0) })
  })

  it('refuses an entry without a place', () => {
    expect(() => scoreTableOf(head, [{ question: 'q3', approach: 'a', score: 1 }])).toThrow(StatisticsError)
  })
})
