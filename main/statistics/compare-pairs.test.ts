import { describe, expect, it } from 'vitest'
import { MetricComparison } from '../../contract/evidence/statistics.ts'
import { comparePairs, compareTables } from './compare-pairs.ts'
import { seededRandom } from '../../tests/helpers/seeded-random.ts'
import type { ScoreTable } from './score-table.ts'

const options = { seed: 's', resamples: 2000 }

/** Random scores around a level per approach; `gaps` is the chance that one is missing. */
function tableOf(
  levels: Record<string, number>,
  count: number,
  { gaps = 0, seed = 'table', size = 1 } = {},
): ScoreTable {
  const random = seededRandom(seed)
  const approaches = Object.keys(levels)
  return {
    metric: seed,
    questions: Array.from({ length: count }, (_, index) => ({
      id: `q${index}`,
      cluster: `c${Math.floor(index / size)}`,
    })),
    approaches,
    scores: Float64Array.from({ length: count * approaches.length }, (_, cell) => {
      const score = levels[approaches[cell % approaches.length]!]! + (random.uniform() - 0.5) * 0.4
      return random.uniform() < gaps ? NaN : score
    }),
  }
}

describe('comparePairs', () => {
  it('decides the clear pairs, leaves the close one open, and counts them', () => {
    const result = comparePairs(tableOf({ low: 0.3, high: 0.6, alike: 0.6 }, 60), options)
    expect(MetricComparison.parse(result)).toEqual(result)
    expect(result.pairs.map(({ a, b, decision }) => [a, b, decision])).toEqual([
      ['low', 'high', 'worse'],
      ['low', 'alike', 'worse'],
      ['high', 'alike', 'undecided'],
    ])
    expect(result.decided).toEqual({ decided: 2, comparable: 3 })
    expect(result.pairs[0]!.difference.value).toBeCloseTo(-0.3, 1)
    expect(result.unequal_coverage).toBe(false)
    expect(result.approaches.map(({ common }) => common)).toEqual([null, null, null])
  })

  it('turns around where lower is better', () => {
    const table = tableOf({ low: 0.3, high: 0.6 }, 60)
    const [quality, latency] = [comparePairs(table, options), comparePairs({ ...table, lowerIsBetter: true }, options)]
    expect([quality.pairs[0]!.decision, latency.pairs[0]!.decision]).toEqual(['worse', 'better'])
    expect(latency.pairs[0]!.difference).toEqual(quality.pairs[0]!.difference)
    expect([latency.pairs[0]!.wins, latency.pairs[0]!.losses]).toEqual([
      quality.pairs[0]!.losses,
      quality.pairs[0]!.wins,
    ])
  })

  it('pairs only questions that both have, and never reads missing as 0', () => {
    const table: ScoreTable = {
      metric: 'm',
      questions: Array.from({ length: 4 }, (_, index) => ({ id: `q${index}`, cluster: `q${index}` })),
      approaches: ['a', 'b', 'never'],
      scores: Float64Array.of(1, 0.5, NaN, 0.8, 0.8, NaN, NaN, 0.2, NaN, 0.4, NaN, NaN),
    }
    const result = comparePairs(table, options)
    expect(result.pairs[0]).toMatchObject({ wins: 1, ties: 1, losses: 0, decision: 'undecided' })
    expect(result.pairs[0]!.difference).toMatchObject({ n: 2, value: 0.25, no_interval: 'too_few_clusters' })
    expect(result.pairs[1]).toMatchObject({
      p: null,
      p_adjusted: null,
      decision: 'undecided',
      smallest_detectable: null,
    })
    expect(result.pairs[1]!.difference).toMatchObject({ n: 0, value: null, no_interval: 'no_data' })
    expect(result.decided).toEqual({ decided: 0, comparable: 1 })
    expect(result.approaches.map(({ mean }) => [mean.n, mean.value])).toEqual([
      [3, (1 + 0.8 + 0.4) / 3],
      [3, 1.5 / 3],
      [0, null],
    ])
    expect(result.unequal_coverage).toBe(true)
    expect(result.approaches.map(({ common }) => common && [common.n, common.value])).toEqual([
      [2, 0.9],
      [2, 0.65],
      null,
    ])
    expect(MetricComparison.parse(result)).toEqual(result)
  })

  it('counts ties within the tolerance', () => {
    const table: ScoreTable = {
      metric: 'm',
      questions: Array.from({ length: 3 }, (_, index) => ({ id: `q${index}`, cluster: `q${index}` })),
      approaches: ['a', 'b'],
      scores: Float64Array.of(0.5, 0.49, 0.5, 0.5, 0.4, 0.5),
    }
    const outcomes = (tieTolerance?: number): number[] => {
      const pair = comparePairs(table, { ...options, ...(tieTolerance === undefined ? {} : { tieTolerance }) })
        .pairs[0]!
      return [pair.wins, pair.ties, pair.losses]
    }
    expect(outcomes()).toEqual([1, 1, 1])
    expect(outcomes(0.05)).toEqual([0, 2, 1])
  })

  it('gives the same figures with and without gaps elsewhere', () => {
    // A third approach with gaps gives other columns to its own pairs, not to this one.
    const full = tableOf({ a: 0.5, b: 0.55, c: 0.6 }, 40)
    const gappy = { ...full, scores: full.scores.map((score, cell) => (cell === 5 ? NaN : score)) }
    const [before, after] = [comparePairs(full, options), comparePairs(gappy, options)]
    expect(after.pairs[0]!.difference).toEqual(before.pairs[0]!.difference)
    expect(after.pairs[0]!.p).toBe(before.pairs[0]!.p)
    expect(after.pairs[1]!.difference.n).toBe(39)
  })

  it('a pair over its own columns agrees with one over shared columns', () => {
    const table = tableOf({ a: 0.5, b: 0.6 }, 40)
    const [shared] = comparePairs(table, options).pairs
    // One more question, which only b has, takes the columns apart but not the pair.
    const apart = comparePairs(
      {
        ...table,
        questions: [...table.questions, { id: 'more', cluster: 'c0' }],
        scores: Float64Array.of(...table.scores, NaN, 0.5),
      },
      options,
    ).pairs[0]!
    expect(apart.difference.value).toBeCloseTo(shared!.difference.value!, 12)
    expect(apart.difference.se).toBeCloseTo(shared!.difference.se!, 12)
    expect(apart.difference.interval!.low).toBeCloseTo(shared!.difference.interval!.low, 12)
    expect(apart.p).toBeCloseTo(shared!.p!, 12)
  })

  it('is wider over clusters than over questions when clusters agree', () => {
    const single = tableOf({ a: 0.5, b: 0.5 }, 12)
    const tripled = {
      ...single,
      questions: single.questions.flatMap(({ cluster }) =>
        [1, 2, 3].map((copy) => ({ id: `${cluster}-${copy}`, cluster })),
      ),
      scores: Float64Array.from({ length: 72 }, (_, cell) => single.scores[Math.floor(cell / 6) * 2 + (cell % 2)]!),
    }
    const clustered = comparePairs(tripled, options).pairs[0]!
    const naive = comparePairs(
      { ...tripled, questions: tripled.questions.map(({ id }) => ({ id, cluster: id })) },
      options,
    )
    const width = ({ interval }: { interval: { low: number; high: number } | null }): number =>
      interval!.high - interval!.low
    // Never seen differences are of questions: less weight for one that is a third of a cluster.
    const ratio = width(clustered.difference) / width(comparePairs(single, options).pairs[0]!.difference)
    expect(ratio).toBeGreaterThan(0.9)
    expect(ratio).toBeLessThanOrEqual(1)
    expect(width(clustered.difference)).toBeGreaterThan(1.5 * width(naive.pairs[0]!.difference))
  })

  it('decides a difference that is the same everywhere only where the scale bounds what was not seen', () => {
    const always: ScoreTable = {
      metric: 'm',
      questions: Array.from({ length: 30 }, (_, index) => ({ id: `q${index}`, cluster: `q${index}` })),
      approaches: ['always', 'never', 'too'],
      scores: Float64Array.from({ length: 90 }, (_, cell) => (cell % 3 === 1 ? 0 : 1)),
    }
    const unbounded = comparePairs(always, options).pairs
    expect(unbounded.map(({ decision }) => decision)).toEqual(['undecided', 'undecided', 'undecided'])
    expect(unbounded[0]!.difference).toMatchObject({ value: 1, interval: null, no_interval: 'no_variation' })
    const { pairs, approaches } = comparePairs({ ...always, range: [0, 1] }, options)
    expect(pairs.map(({ decision }) => decision)).toEqual(['better', 'undecided', 'worse'])
    expect(pairs[0]!.difference).toMatchObject({ value: 1, no_interval: null, interval: { high: 1 } })
    expect(pairs[0]!.difference.interval!.low).toBeCloseTo(0.847, 2)
    expect(pairs[1]).toMatchObject({ p: 1, ties: 30 })
    expect(approaches[0]!.mean.interval).toMatchObject({ high: 1 })
    expect(approaches[0]!.mean.interval!.low).toBeCloseTo(0.878, 2)
  })

  it('does not decide a constant against 0 or 1 when no 0 happened to come, and shows no rounding error as a difference', () => {
    const scores = Array.from({ length: 24 }, () => [0.96, 1])
    const table: ScoreTable = {
      metric: 'm',
      questions: scores.map((_, index) => ({ id: `q${index}`, cluster: `q${index}` })),
      approaches: ['constant', 'lucky'],
      scores: Float64Array.from(scores.flat()),
      range: [0, 1],
    }
    expect(comparePairs(table, options).pairs[0]).toMatchObject({ decision: 'undecided' })
    expect(comparePairs(table, options).pairs[0]!.p).toBeGreaterThan(0.05)
    const parts = [0.1, 0.2, 0.3, 0.7, 0.6, 0.55, 0.15, 0.35, 0.45]
    const dust = {
      ...table,
      questions: table.questions.slice(0, 9),
      scores: Float64Array.from(parts.flatMap((part, index) => [part, parts[8 - index]!])),
    }
    expect(comparePairs(dust, options).pairs[0]!.difference.value).toBe(0)
  })

  it('has a p-value of at most 5 % exactly where its interval excludes 0', () => {
    const random = seededRandom('agreement')
    const seen = { open: 0, decided: 0 }
    for (let run = 0; run < 400; run += 1) {
      const count = 8 + random.below(30)
      const chance = random.uniform()
      const table: ScoreTable = {
        metric: 'm',
        questions: Array.from({ length: count }, (_, index) => ({ id: `q${index}`, cluster: `c${index}` })),
        approaches: ['a', 'b'],
        scores: Float64Array.from({ length: 2 * count }, (_, cell) =>
          random.uniform() < (cell % 2 ? chance : 0.5) ? 1 : 0,
        ),
        range: [0, 1],
      }
      const { p, difference } = comparePairs(table, options).pairs[0]!
      const excludes = difference.interval!.low > 0 || difference.interval!.high < 0
      expect(p! <= 0.05).toBe(excludes)
      seen[excludes ? 'decided' : 'open'] += 1
    }
    expect(Math.min(seen.open, seen.decided)).toBeGreaterThan(50)
  })

  it('gives the smallest difference that it could see, for each pair and over all', () => {
    const { pairs, smallest_detectable } = comparePairs(tableOf({ a: 0.5, b: 0.5, c: 0.5 }, 60), options)
    const each = pairs.map((pair) => pair.smallest_detectable!).sort((left, right) => left - right)
    expect(smallest_detectable).toEqual({ smallest: each[0], median: each[1], largest: each[2] })
    // (t of 1 − 0.05/6 at 59 degrees of freedom + t of 0.8) · the error of the interval, of ± 2.001 of them
    const { low, high } = pairs[0]!.difference.interval!
    expect(pairs[0]!.smallest_detectable! / ((high - low) / 2)).toBeCloseTo((2.464 + 0.848) / 2.001, 2)
    expect((high - low) / 2 / 2.001).toBeGreaterThan(pairs[0]!.difference.se!)
  })

  it('has none for a pair that no outcome could decide: with five groups even equal signs have a mid-p of 2⁻⁵, above 0.05 over three pairs', () => {
    const differingIn = (clusters: number) =>
      comparePairs(
        {
          metric: 'm',
          questions: Array.from({ length: 20 }, (_, index) => ({ id: `q${index}`, cluster: `q${index}` })),
          approaches: ['a', 'b', 'c'],
          scores: Float64Array.from(
            Array.from({ length: 20 }, (_, row) => [(row < clusters ? 1 : 0) + (row % 4), row % 4, 10 - row]).flat(),
          ),
        },
        options,
      ).pairs[0]!
    expect(differingIn(5)).toMatchObject({ p: 2 ** -5, decision: 'undecided', smallest_detectable: null })
    const reached = differingIn(6)
    expect(reached).toMatchObject({ p: 2 ** -6, decision: 'better' })
    expect(reached.smallest_detectable).toBeGreaterThan(0)
  })
})

describe('compareTables', () => {
  it('gives each table what it gets alone, also two of one name or other clusters', () => {
    const tables = [
      tableOf({ a: 0.5, b: 0.6 }, 30, { gaps: 0.1 }),
      { ...tableOf({ a: 0.5, b: 0.6 }, 30, { seed: 'other' }), metric: 'table' },
      tableOf({ a: 0.4, b: 0.6 }, 30, { size: 3 }),
    ]
    expect(compareTables(tables, options)).toEqual(tables.map((table) => comparePairs(table, options)))
  })

  it('takes an empty table', () => {
    const empty = { metric: 'm', questions: [], approaches: ['a', 'b'], scores: new Float64Array() }
    expect(comparePairs(empty, options)).toMatchObject({ questions: 0, decided: { decided: 0, comparable: 0 } })
  })
})
