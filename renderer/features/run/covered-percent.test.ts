import { expect, it } from 'vitest'
import type { CoverageAlias } from '../../../contract/control/cells.ts'
import { coveredPercent } from './covered-percent.ts'

const alias = (...metrics: object[]): CoverageAlias => ({ metrics }) as unknown as CoverageAlias
const metric = (scored: number, expected: number, more: object = {}) => ({
  state: 'partial',
  scored,
  expected,
  unevaluable_by_reason: {},
  ...more,
})

it('the share of measured scores leaves out what no approach could have, and what was not asked for', () => {
  const noGold = { unevaluable_by_reason: { gold_evidence_required: 14 } }
  expect(coveredPercent({ aliases: [alias(metric(98, 112, noGold), metric(0, 112, { state: 'disabled' }))] })).toBe(100)
  expect(coveredPercent({ aliases: [alias(metric(98, 112, noGold)), alias(metric(49, 112, noGold))] })).toBe(75)
})

it('the share of measured scores is 100 only where none is missing, and unknown where nothing can be measured', () => {
  expect(coveredPercent({ aliases: [alias(metric(999, 1000))] })).toBe(99)
  expect(coveredPercent({ aliases: [] })).toBe(null)
})
