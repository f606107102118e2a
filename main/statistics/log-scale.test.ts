import { expect, it } from 'vitest'
import { seededRandom } from '../../tests/helpers/seeded-random.ts'
import { comparePairs } from './compare-pairs.ts'
import type { ScoreTable } from './score-table.ts'

const random = seededRandom('latencies')
const normal = (): number => Math.sqrt(-2 * Math.log(1 - random.uniform())) * Math.cos(2 * Math.PI * random.uniform())

/** Times of two approaches on 24 questions, one `ratio` times as slow and with heavy stalls. */
const times = (ratio: number, rest: Partial<ScoreTable> = {}): ScoreTable => ({
  metric: 'latency_ms',
  questions: Array.from({ length: 24 }, (_, index) => ({ id: `q${index}`, cluster: `q${index}` })),
  approaches: ['a', 'b'],
  scores: Float64Array.from({ length: 48 }, (_, cell) =>
    cell % 2 === 0 ? 800 * ratio * Math.exp(1.4 * normal()) : 800 * Math.exp(0.4 * normal()),
  ),
  lowerIsBetter: true,
  hasRatios: true,
  ...rest,
})

it('the ratio of two skewed times has an interval that holds, where the difference of means does not', () => {
  const experiments = 1500
  let [held, heldByDifference] = [0, 0]
  // Means are exp(σ²/2) times the medians.
  const truth = 800 * (1.5 * Math.exp(1.4 ** 2 / 2) - Math.exp(0.4 ** 2 / 2))
  for (let experiment = 0; experiment < experiments; experiment += 1) {
    const table = times(1.5)
    const { ratio } = comparePairs(table, { seed: 'log', method: 'student' }).pairs[0]!
    if (ratio!.low <= 1.5 && ratio!.high >= 1.5) held += 1
    const { difference } = comparePairs({ ...table, hasRatios: false }, { seed: 'log', method: 'student' }).pairs[0]!
    if (difference.interval!.low <= truth && difference.interval!.high >= truth) heldByDifference += 1
  }
  expect(held / experiments).toBeGreaterThanOrEqual(0.93)
  expect(held / experiments).toBeLessThanOrEqual(0.975)
  expect(heldByDifference / experiments).toBeLessThan(0.93)
})

it('a pair of times is decided exactly where the interval of its ratio excludes 1, resampled or not', () => {
  for (let run = 0; run < 60; run += 1) {
    const table = times(2)
    const [closed, resampled] = [
      comparePairs(table, { seed: 'x', method: 'student' }),
      comparePairs(table, { seed: 'x', resamples: 200 }),
    ]
    const { ratio, decision, difference, a } = closed.pairs[0]!
    expect(resampled.pairs[0]).toMatchObject({ ratio, decision })
    expect(resampled.settings.difference_interval).toBe('log_student')
    expect(a).toBe('a')
    expect(decision).toBe(ratio!.low > 1 ? 'worse' : ratio!.high < 1 ? 'better' : 'undecided')
    expect(difference.interval!.low > 0).toBe(ratio!.low > 1)
  }
})

it('times of 0 have no ratio and are compared by their difference', () => {
  const table = times(1)
  table.scores[0] = 0
  const compared = comparePairs(table, { seed: 'zero', method: 'student' })
  expect(compared.settings.difference_interval).toBe('adjusted_student')
  expect(compared.pairs[0]!.ratio).toBeUndefined()
})
