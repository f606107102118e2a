import { describe, expect, it } from 'vitest'
import type { JudgedRotation } from '../../contract/evidence/judgments.ts'
import { randomFrom } from '../../tests/helpers/random.ts'
import { answerOrder } from './blinding.ts'
import { queryOutcome, verdictOfRotations } from './query-outcome.ts'

// The same answers under two aliases (A/A): a panel must not prefer either, however much its judges prefer a place.

const ALIASES = ['one', 'other']
const QUESTIONS = 40
const PANELS = 300

type Order = typeof answerOrder

/** A judge that grades by chance and gives the first place a point more in seven of ten prompts. */
function grades(order: readonly string[], random: () => number): JudgedRotation['scores'] {
  const first = random() < 0.7 ? 1 : 0
  return Object.fromEntries(
    order.map((alias, place) => [alias, 1 + Math.floor(random() * 4) + (place === 0 ? first : 0)]),
  )
}

/** For each question 1 when the panel of two judges puts `one` first, 0 when the other, .5 for a tie. */
function panelOf(seed: number, rotations: number, orderOf: Order): number[] {
  const random = randomFrom(seed)
  return Array.from({ length: QUESTIONS }, (_, question) => {
    const verdicts = ['judge-a', 'judge-b'].map((judge) => {
      const made = Array.from({ length: rotations }, (__, rotation): JudgedRotation => {
        const order = orderOf(ALIASES, { queryId: `q${seed}-${question}`, judge, rotation })
        const scores = grades(order, random)
        const [a, b] = [scores['one']!, scores['other']!]
        return { rotation, order, scores, best: a === b ? null : a > b ? 'one' : 'other', attempts: 1 }
      })
      return verdictOfRotations(made, ALIASES)!
    })
    const { mean_by_approach: means } = queryOutcome(verdicts, ALIASES)
    return 0.5 + 0.5 * Math.sign(means['one']! - means['other']!)
  })
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** The share that `one` wins over many panels, with its standard error, and the share of panels whose 95 % interval does not hold one half. */
function shareOf(rotations: number, orderOf: Order) {
  const panels = Array.from({ length: PANELS }, (_, seed) => panelOf(seed, rotations, orderOf))
  const errorOf = (values: readonly number[]): number => {
    const own = mean(values)
    return Math.sqrt(values.reduce((sum, value) => sum + (value - own) ** 2, 0) / (values.length - 1) / values.length)
  }
  const shares = panels.map(mean)
  const rejected = panels.map((panel, at) => (Math.abs(shares[at]! - 0.5) > 1.96 * errorOf(panel) ? 1 : 0))
  return { share: mean(shares), error: errorOf(shares), rejected: mean(rejected) }
}

describe('the same answers under two aliases', () => {
  it.each([1, 2, 4])('win one half each with %i rotations, although the judges prefer the first place', (rotations) => {
    const { share, error, rejected } = shareOf(rotations, answerOrder)
    expect(Math.abs(share - 0.5)).toBeLessThan(3 * error)
    expect(error).toBeLessThan(0.01)
    expect(rejected).toBeLessThan(0.1)
  })

  it('do not where every prompt shows them in one order', () => {
    const { share, error, rejected } = shareOf(2, (models) => [...models])
    expect(share - 0.5).toBeGreaterThan(10 * error)
    expect(rejected).toBeGreaterThan(0.5)
  })
})
