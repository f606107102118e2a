import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { distributionOf, quantile, rounded, sampleDeviation } from './numbers.ts'

it('rounded keeps whole numbers and six digits of others', () => {
  expect([1_234_567, 1234.56789, 0.123456789, -0].map(rounded)).toEqual([1_234_567, 1234.57, 0.123457, 0])
})

describe('quantile', () => {
  it('interpolates between neighbours as R type 7 and NumPy do', () => {
    const values = Float64Array.of(1, 2, 3, 4)
    expect([0, 0.25, 0.5, 0.95, 1].map((p) => quantile(values, p))).toEqual([1, 1.75, 2.5, 3.8499999999999996, 4])
    expect(quantile(new Float64Array(), 0.5)).toBe(null)
  })
  it('lies between the ends and does not fall', () => {
    fc.assert(
      fc.property(fc.float64Array({ minLength: 1, noNaN: true, min: -1e6, max: 1e6 }), (values) => {
        const sorted = values.toSorted()
        const steps = [0, 0.1, 0.5, 0.9, 1].map((p) => quantile(sorted, p)!)
        expect(steps.every((step, index) => index === 0 || steps[index - 1]! <= step)).toBe(true)
        expect(steps[0] === sorted[0] && steps.at(-1) === sorted.at(-1)).toBe(true)
      }),
    )
  })
})

describe('distributionOf', () => {
  it('is null throughout for nothing', () => {
    const { n, ...figures } = distributionOf(new Float64Array())
    expect(n).toBe(0)
    expect(new Set(Object.values(figures))).toEqual(new Set([null]))
  })
  it('has the deviation of the sample', () => {
    expect(sampleDeviation(Float64Array.of(2, 4, 4, 4, 5, 5, 7, 9))).toBeCloseTo(2.13809, 5)
    expect(sampleDeviation(Float64Array.of(2))).toBe(null)
  })
})
