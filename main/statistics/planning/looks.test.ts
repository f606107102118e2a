import { expect, it } from 'vitest'
import { seededRandom } from '../../../tests/helpers/seeded-random.ts'
import { comparePairs } from '../compare-pairs.ts'
import { shareOfLook, withLook } from './looks.ts'

const look = (questions: number) => ({ at: '2026-11-28T05:00:00.000Z', questions, metric: 'facts_found' })
const ledger = (plan: 'open' | 'fixed', ...counts: number[]) => ({ plan, seen: counts.map(look) })

it('a look at another number of questions is another look, and the same result made again is not', () => {
  const first = withLook(ledger('open'), look(20))
  expect(withLook(first, look(20))).toBe(first)
  expect(withLook(first, look(40)).seen.map(({ questions }) => questions)).toEqual([20, 40])
})

it('questions that may grow spend four fifths of what is left at each look, a fixed plan everything at its one look', () => {
  expect(shareOfLook(ledger('open', 20))).toBe(0.8)
  expect(shareOfLook(ledger('open', 20, 40))).toBeCloseTo(0.16, 10)
  const all = Array.from({ length: 40 }, (_, at) =>
    shareOfLook(ledger('open', ...Array.from({ length: at + 1 }, () => 1))),
  )
  expect(all.reduce((sum, share) => sum + share, 0)).toBeLessThanOrEqual(1 + 1e-12)
  expect(shareOfLook(ledger('fixed', 20))).toBe(1)
  expect(shareOfLook(ledger('fixed', 20, 40))).toBe(0)
})

/** Runs of equal approaches in which some of five looks, at 20 to 100 questions, decides the pair. */
function falseDecisions(runs: number, shareAt: (look: number) => number): number {
  const random = seededRandom('five looks')
  let wrong = 0
  for (let run = 0; run < runs; run += 1) {
    const scores = Float64Array.from({ length: 200 }, () => random.uniform())
    const isDecided = [20, 40, 60, 80, 100].some((questions, at) => {
      const table = {
        metric: 'alike',
        questions: Array.from({ length: questions }, (_, index) => ({ id: `q${index}`, cluster: `q${index}` })),
        approaches: ['a', 'b'],
        scores: scores.slice(0, 2 * questions),
        range: [0, 1] as const,
      }
      return comparePairs(table, { seed: 'looks', method: 'student', alphaShare: shareAt(at) }).decided.decided > 0
    })
    if (isDecided) wrong += 1
  }
  return wrong / runs
}

it('five looks at equal approaches decide falsely in at most 5 % of runs; without the correction in more than 10 %', () => {
  const counts = [20, 40, 60, 80, 100]
  expect(falseDecisions(1500, (at) => shareOfLook(ledger('open', ...counts.slice(0, at + 1))))).toBeLessThanOrEqual(
    0.05,
  )
  expect(falseDecisions(500, () => 1)).toBeGreaterThan(0.1)
})

it('the interval of a corrected pair excludes 0 exactly where the pair is decided', () => {
  const random = seededRandom('agree')
  for (let run = 0; run < 200; run += 1) {
    const scores = Float64Array.from({ length: 60 }, (_, cell) => random.uniform() + (cell % 2 === 0 ? 0.25 : 0))
    const table = {
      metric: 'shifted',
      questions: Array.from({ length: 30 }, (_, index) => ({ id: `q${index}`, cluster: `q${index}` })),
      approaches: ['a', 'b'],
      scores,
    }
    const { decision, difference } = comparePairs(table, { seed: 'x', method: 'student', alphaShare: 0.16 }).pairs[0]!
    const { low, high } = difference.interval!
    expect(low > 0 || high < 0).toBe(decision !== 'undecided')
  }
})
