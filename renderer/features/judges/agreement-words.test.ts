import { describe, expect, it } from 'vitest'
import type { Estimate } from '../../../contract/evidence/statistics.ts'
import { alphaSentence, kappaSentence, positionSentence } from './agreement-words.ts'

const estimate = (value: number | null, low?: number, high?: number): Estimate => ({
  value,
  n: 24,
  clusters: 24,
  effective_clusters: 24,
  se: null,
  interval:
    low === undefined
      ? null
      : {
          low,
          high: high!,
        },
  no_interval: low === undefined ? 'too_few_clusters' : null,
})

describe('alpha', () => {
  it.each([
    [estimate(0.9, 0.82, 0.95), 'well enough'],
    [estimate(0.85, 0.7, 0.9), 'tentative'],
    [estimate(0.75, 0.5, 0.9), 'also allow 0.50'],
    [estimate(0.4, 0.2, 0.6), 'better than by chance'],
    [estimate(-0.05, -0.2, 0.1), 'no better than chance'],
    [estimate(0.9), 'read it with care'],
  ])('promises no more than its lower end holds', (alpha, words) => {
    expect(alphaSentence(alpha, 2)).toContain(words)
  })
  it('reports when there is nothing to agree on', () => {
    expect(alphaSentence(estimate(0.9, 0.8, 1), 1)).toContain('only one judge')
    expect(alphaSentence({ ...estimate(null), no_interval: 'not_defined' }, 2)).toContain('equal')
  })
})

it('kappa in words', () => {
  expect(
    [-0.1, 0.2, 0.4, 0.6, 0.8, 0.81].map((value) => kappaSentence(estimate(value, value - 0.1, value + 0.1))),
  ).toEqual(['no better than chance', 'slight', 'fair', 'moderate', 'substantial', 'almost perfect'])
  // A word for a strength would promise more than a few questions hold.
  expect(kappaSentence(estimate(0.3))).toBe('inconclusive: too few questions')
})

it('an effect of place is one only when its interval leaves zero out', () => {
  expect(positionSentence(estimate(0.2, 0.1, 0.3))).toBe('favours later answers')
  expect(positionSentence(estimate(-0.2, -0.3, -0.1))).toBe('favours earlier answers')
  expect(positionSentence(estimate(0.2, -0.1, 0.3))).toBe('no effect seen')
  expect(positionSentence(estimate(0.2))).toBe('inconclusive: too few questions')
})
