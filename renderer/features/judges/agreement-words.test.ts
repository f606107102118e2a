import { describe, expect, it } from 'vitest'
import type { Estimate } from '../../../contract/evidence/statistics.ts'
import { alphaSentence, kappaSentence, panelWords, positionSentence } from './agreement-words.ts'

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
    [estimate(0.9, 0.82, 0.95), 'agree well with each other'],
    [estimate(0.85, 0.7, 0.9), 'tentative'],
    [estimate(0.75, 0.5, 0.9), 'also allow 0.50'],
    [estimate(0.4, 0.2, 0.6), 'agree better than by chance'],
    [estimate(0.1, -0.2, 0.4), 'not shown to agree'],
    [estimate(-0.05, -0.2, 0.1), 'not shown to agree'],
    [estimate(0.9), 'read it with care'],
  ])('promises no more than its lower end holds', (alpha, words) => {
    expect(alphaSentence(alpha, 2)).toContain(words)
  })
  it('concludes nothing from a value without an interval', () => {
    for (const value of [0.95, 0.7, 0.3, -0.2])
      expect(alphaSentence(estimate(value), 2)).not.toMatch(/rely|agree enough|by chance|no measure/)
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
  expect(kappaSentence(estimate(0.3))).toBe('no interval: fewer than 8 independent groups')
})

it('an effect of place is one only when its interval leaves zero out', () => {
  expect(positionSentence(estimate(0.2, 0.1, 0.3))).toBe('favours later answers')
  expect(positionSentence(estimate(-0.2, -0.3, -0.1))).toBe('favours earlier answers')
  expect(positionSentence(estimate(0.2, -0.1, 0.3))).toBe('no effect seen')
  expect(positionSentence(estimate(0.2))).toBe('no interval: fewer than 8 independent groups')
  expect(positionSentence({ ...estimate(0), no_interval: 'no_variation' })).toBe('the same in every group of questions')
})

describe('the panel in a sentence', () => {
  const runtime = { rotations: 2, reference: true }

  it.each([
    [2, runtime, false, '2 judges saw each question in 2 orders, with the reference answer.'],
    [1, null, true, 'Round closed. 1 judge.'],
    [0, null, true, 'Round closed.'],
    [0, null, false, null],
  ] as const)('of %i judges, with %j, closed %j, reads %j', (judges, how, isClosed, words) => {
    expect(panelWords(judges, how, isClosed)).toBe(words)
  })
})
