import { expect, it } from 'vitest'
import { decisionOf, type Difference } from './run-decision.ts'

const difference: Difference = {
  model: 'bm25',
  common: 80,
  mean: 0.5,
  otherMean: 0.5,
  changed: 3,
  change: null,
  state: 'open',
  where: 'both',
}

it('an approach of two runs is as its test shows, and unknown before that', () => {
  expect(decisionOf(difference)).toBe('open')
  expect(decisionOf({ ...difference, state: null })).toBe('unknown')
})

it('a fall on too few questions is not tested, whatever its size', () => {
  expect(decisionOf({ ...difference, common: 3, mean: 0, otherMean: 1, state: 'not_tested' })).toBe('not_tested')
})

it('an approach that one of two runs lacks is named so, with or without a test', () => {
  for (const where of ['here', 'there'] as const) expect(decisionOf({ ...difference, where })).toBe(where)
})

it('an approach with the same score for every question has the same scores, which is no claim of equality', () => {
  expect(decisionOf({ ...difference, changed: 0 })).toBe('same')
  expect(decisionOf({ ...difference, changed: 0, common: 0 })).toBe('noShared')
})
