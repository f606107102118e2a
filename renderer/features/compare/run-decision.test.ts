import { expect, it } from 'vitest'
import { decisionOf, isOpen, type Difference } from './run-decision.ts'

const pair = { difference: 0, low: -0.1, high: 0.1, p: 1, decision: 'undecided' } as unknown as Difference['pair']
const difference: Difference = {
  model: 'bm25',
  other: 'before',
  common: 80,
  mean: 0.5,
  otherMean: 0.5,
  changed: 3,
  pair,
  where: 'both',
}

it('an approach of two runs is as its test decides, and not known before that', () => {
  expect(decisionOf(difference)).toBe('undecided')
  expect(isOpen(difference)).toBe(true)
  expect(decisionOf({ ...difference, pair: null })).toBe('unknown')
})

it('an approach that one of two runs lacks is not open: no question could decide it', () => {
  for (const where of ['here', 'there'] as const) {
    expect(decisionOf({ ...difference, where })).toBe(where)
    expect(isOpen({ ...difference, where })).toBe(false)
  }
})

it('an approach with the same value for every question is equal, not open', () => {
  expect(decisionOf({ ...difference, changed: 0 })).toBe('equal')
  expect(isOpen({ ...difference, changed: 0 })).toBe(false)
  expect(decisionOf({ ...difference, changed: 0, common: 0 })).toBe('noShared')
  expect(isOpen({ ...difference, changed: 0, common: 0 })).toBe(false)
})
