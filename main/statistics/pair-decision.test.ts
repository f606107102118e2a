import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { holmAdjusted, movingClusters } from './pair-decision.ts'

describe('holmAdjusted', () => {
  it('multiplies by the hypotheses that are left, never falling, at most 1', () => {
    const adjusted = holmAdjusted([0.04, 0.01, 0.03, 0.02, 0.05])
    expect(adjusted.map((p) => Number(p!.toFixed(12)))).toEqual([0.09, 0.05, 0.09, 0.08, 0.09])
    expect(holmAdjusted([0.6, 0.7])).toEqual([1, 1])
  })

  it('passes over what was not tested', () => {
    expect(holmAdjusted([null, 0.02, null, 0.03])).toEqual([null, 0.04, null, 0.04])
    expect(holmAdjusted([])).toEqual([])
  })

  it('lies between the plain value and Bonferroni, in the same order', () => {
    const chances = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(chances, (values) => {
        const adjusted = holmAdjusted(values) as number[]
        for (const [index, p] of values.entries()) {
          expect(adjusted[index]).toBeGreaterThanOrEqual(p)
          expect(adjusted[index]).toBeLessThanOrEqual(Math.min(1, p * values.length))
          for (const [other, q] of values.entries())
            if (p < q) expect(adjusted[index]!).toBeLessThanOrEqual(adjusted[other]!)
        }
      }),
    )
  })
})

it('movingClusters counts no cluster as moving that differs by rounding only', () => {
  const [up, down] = [0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1]
  expect(up).not.toBe(down)
  expect(movingClusters(Float64Array.of(up, 2), Float64Array.of(down, 1))).toBe(1)
  expect(movingClusters(Float64Array.of(-8.9e-16, 1, 0), null)).toBe(1)
})
