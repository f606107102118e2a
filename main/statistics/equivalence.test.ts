import { describe, expect, it } from 'vitest'
import { isTestedPair } from '../../contract/evidence/statistics.ts'
import { seededRandom } from '../../tests/helpers/seeded-random.ts'
import { comparePairs } from './compare-pairs.ts'
import { EQUIVALENCE_MARGIN } from './equivalence.ts'
import type { ScoreTable } from './score-table.ts'

/** Two 0/1 approaches that agree on most questions; `shift` is the true difference. */
function tableOf(seed: string, count: number, shift: number, size = 1): ScoreTable {
  const random = seededRandom(seed)
  const scores = Array.from({ length: count }, () => {
    const luck = random.uniform()
    const a = luck < 0.5 + shift / 2 ? 1 : 0
    return [a, luck < 0.5 - shift / 2 ? 1 : 0]
  })
  return {
    metric: seed,
    questions: scores.map((_, index) => ({ id: `q${index}`, cluster: `c${Math.floor(index / size)}` })),
    approaches: ['a', 'b'],
    scores: Float64Array.from(scores.flat()),
    range: [0, 1],
  }
}

const options = { seed: 's', resamples: 500 }

describe('equivalence', () => {
  it('is shown for two approaches that agree, and its 90 % interval is within the margin', () => {
    for (const method of [undefined, 'student'] as const) {
      const table = tableOf('alike', 200, 0.01)
      const [pair] = comparePairs(table, { ...options, ...(method && { method }) }).pairs
      expect(pair!.decision).toBe('undecided')
      const equivalence = pair!.equivalence!
      expect(equivalence).toMatchObject({ margin: EQUIVALENCE_MARGIN, equivalent: true })
      expect(equivalence.low).toBeGreaterThan(-0.1)
      expect(equivalence.high).toBeLessThan(0.1)
    }
  })

  it('is not shown by few questions, and is not tested without an interval or a scale', () => {
    const few = comparePairs(tableOf('few', 12, 0), options).pairs[0]!
    expect(few.equivalence).toMatchObject({ equivalent: false })
    expect(isTestedPair(few)).toBe(true)
    const untested = comparePairs(tableOf('groups', 60, 0, 20), options).pairs[0]!
    expect(untested.equivalence).toBeNull()
    expect([untested.p === null, isTestedPair(untested)]).toEqual([true, false])
    const { range: _range, ...unbounded } = tableOf('seconds', 60, 0)
    expect(comparePairs(unbounded, options).pairs[0]!.equivalence).toBeNull()
  })

  it.each([
    { count: 24, size: 1 },
    { count: 40, size: 1 },
    { count: 90, size: 1 },
    { count: 90, size: 3 },
  ])('is claimed in at most 5 % of $count-question runs whose true difference is the margin', ({ count, size }) => {
    // One approach is never better: its rare losses are the hardest case, because few of them also make a small error.
    const runs = 1000
    let wrong = 0
    for (let run = 0; run < runs; run += 1) {
      const table = tableOf(`edge ${run}`, count, 0.1, size)
      if (comparePairs(table, { ...options, method: 'student' }).pairs[0]!.equivalence!.equivalent) wrong += 1
    }
    // A share of 1,000 has a standard error of 0.7 %.
    expect(wrong / runs).toBeLessThanOrEqual(0.064)
  })

  it('takes another margin', () => {
    const { equivalence } = comparePairs(tableOf('wide', 90, 0.1), { ...options, equivalenceMargin: 0.25 }).pairs[0]!
    expect(equivalence).toMatchObject({ margin: 0.25, equivalent: true })
  })

  it('is corrected over all pairs of the metric', () => {
    const random = seededRandom('several')
    const approaches = ['a', 'b', 'c', 'd']
    const scores = Array.from({ length: 120 }, () => {
      const luck = random.uniform()
      return approaches.map(() => (random.uniform() < 0.8 ? luck : random.uniform()))
    })
    const { pairs } = comparePairs(
      {
        metric: 'several',
        questions: scores.map((_, index) => ({ id: `q${index}`, cluster: `q${index}` })),
        approaches,
        scores: Float64Array.from(scores.flat()),
        range: [0, 1],
      },
      options,
    )
    const smallest = pairs.map(({ equivalence }) => equivalence!).sort((left, right) => left.p - right.p)[0]!
    expect(smallest.p_adjusted).toBeCloseTo(Math.min(1, 6 * smallest.p), 12)
  })
})
