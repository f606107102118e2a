import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { normalCdf, normalQuantile, studentCdf, studentQuantile, invertedQuantile } from './distributions.ts'

it('normal distribution has its tabulated values', () => {
  expect(normalCdf(0)).toBe(0.5)
  expect(normalCdf(1)).toBeCloseTo(0.8413447460685429, 14)
  expect(normalCdf(-3)).toBeCloseTo(0.0013498980316300946, 14)
  expect(normalCdf(40)).toBe(1)
  expect(normalCdf(-40)).toBe(0)
  expect(normalQuantile(0.975)).toBeCloseTo(1.959963984540054, 12)
})

describe("Student's distribution", () => {
  it.each([
    [1, 12.7062],
    [2, 4.30265],
    [10, 2.22814],
    [23, 2.06866],
    [120, 1.97993],
    [1_000_000, 1.95997],
  ])('97.5 %% at %i degrees of freedom is %f', (df, t) => expect(studentQuantile(0.975, df)).toBeCloseTo(t, 4))

  it('takes degrees of freedom that are not whole, and is symmetric', () => {
    expect(studentQuantile(0.975, 2.5)).toBeGreaterThan(studentQuantile(0.975, 3))
    expect(studentQuantile(0.975, 2.5)).toBeLessThan(studentQuantile(0.975, 2))
    expect(studentQuantile(0.025, 7.3)).toBeCloseTo(-studentQuantile(0.975, 7.3), 10)
  })

  it('quantile and distribution undo each other', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.0005, max: 0.9995, noNaN: true }),
        fc.double({ min: 1, max: 5000, noNaN: true }),
        (p, df) => {
          expect(studentCdf(studentQuantile(p, df), df)).toBeCloseTo(p, 9)
          expect(normalCdf(normalQuantile(p))).toBeCloseTo(p, 12)
        },
      ),
      { numRuns: 50 },
    )
  })

  it('of Student’s t is the same by its series, where that is used', () => {
    for (const df of [1000, 1234.5, 20_000])
      for (const p of [0.0001, 0.01, 0.2, 0.8, 0.975, 0.99999])
        expect(studentQuantile(p, df)).toBeCloseTo(invertedQuantile(p, df), 9)
  })
})
