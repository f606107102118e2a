import { describe, expect, it } from 'vitest'
import { MetricComparison } from '../../contract/evidence/statistics.ts'
import { compareWithoutResampling } from './compare-large.ts'
import { comparePairs, compareTables } from './compare-pairs.ts'
import { seededRandom } from '../../tests/helpers/seeded-random.ts'
import type { ScoreTable } from './score-table.ts'

function tableOf(count: number, size: number, gaps = 0): ScoreTable {
  const random = seededRandom('large')
  const levels = [0.4, 0.55, 0.56]
  return {
    metric: 'm',
    questions: Array.from({ length: count }, (_, index) => ({
      id: `q${index}`,
      cluster: `c${Math.floor(index / size)}`,
    })),
    approaches: ['low', 'high', 'alike'],
    scores: Float64Array.from({ length: count * 3 }, (_, cell) => {
      const score = levels[cell % 3]! + (random.uniform() - 0.5) * 0.8
      return random.uniform() < gaps ? NaN : score
    }),
  }
}

describe('compareWithoutResampling', () => {
  it.each([0, 0.1])('gives what resampling gives with many clusters (gaps %d)', (gaps) => {
    const table = tableOf(1200, 2, gaps)
    const [closed, resampled] = [
      compareWithoutResampling(table, { seed: 's' }),
      comparePairs(table, { seed: 's', resamples: 4000 }),
    ]
    expect(MetricComparison.parse(closed)).toEqual(closed)
    for (const [index, pair] of closed.pairs.entries()) {
      const other = resampled.pairs[index]!
      expect(pair.difference.value).toBeCloseTo(other.difference.value!, 12)
      expect(pair.difference.se).toBeCloseTo(other.difference.se!, 12)
      const width = other.difference.interval!.high - other.difference.interval!.low
      expect(Math.abs(pair.difference.interval!.low - other.difference.interval!.low)).toBeLessThan(0.06 * width)
      expect(Math.abs(pair.difference.interval!.high - other.difference.interval!.high)).toBeLessThan(0.06 * width)
      expect([pair.a, pair.b, pair.decision, pair.wins, pair.ties, pair.losses]).toEqual([
        other.a,
        other.b,
        other.decision,
        other.wins,
        other.ties,
        other.losses,
      ])
      expect(Math.abs(pair.p! - other.p!)).toBeLessThan(0.03)
    }
    expect(closed.decided).toEqual(resampled.decided)
    expect(closed.unequal_coverage).toBe(resampled.unequal_coverage)
    expect(closed.approaches.map(({ common }) => common?.n)).toEqual(
      resampled.approaches.map(({ common }) => common?.n),
    )
    expect(closed.settings).toMatchObject({
      mean_interval: 'student',
      difference_interval: 'adjusted_student',
      resamples: 0,
    })
  })

  it('is what the method asks for, turns around where lower is better, and leaves open what has no data', () => {
    const table = tableOf(60, 1)
    const lower = { ...table, lowerIsBetter: true }
    const [higher, turned] = compareTables([table, lower], { seed: 's', method: 'student' })
    expect(higher).toEqual(compareWithoutResampling(table, { seed: 's' }))
    expect(turned!.pairs[0]!.decision).toBe(higher!.pairs[0]!.decision === 'worse' ? 'better' : 'worse')
    const empty = compareWithoutResampling({ ...table, scores: table.scores.map(() => NaN) }, { seed: 's' })
    expect(empty.pairs.every(({ p, decision }) => p === null && decision === 'undecided')).toBe(true)
    expect(empty.decided).toEqual({ decided: 0, comparable: 0 })
  })

  it('decides a constant difference only with clusters enough and on a scale that bounds what was not seen', () => {
    const constant = (count: number): ScoreTable => ({
      metric: 'm',
      questions: Array.from({ length: count }, (_, index) => ({ id: `q${index}`, cluster: `q${index}` })),
      approaches: ['a', 'b'],
      scores: Float64Array.from({ length: count * 2 }, (_, cell) => (cell % 2 === 0 ? 0.5 : 0.25)),
      range: [0, 1],
    })
    expect(compareWithoutResampling(constant(40), { seed: 's' }).pairs[0]).toMatchObject({ decision: 'better' })
    const { range: _none, ...unbounded } = constant(40)
    expect(compareWithoutResampling(unbounded, { seed: 's' }).pairs[0]!.decision).toBe('undecided')
    expect(compareWithoutResampling(constant(5), { seed: 's' }).pairs[0]!.decision).toBe('undecided')
  })
})
