import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cohenKappa, type KappaWeights, type TwoRatings } from './kappa.ts'
import { StatisticsError } from '../statistics-error.ts'

const options = { seed: 's', resamples: 1000 }

const ratingsOf = (a: readonly number[], b: readonly number[]): TwoRatings => ({
  clusters: a.map((_, unit) => `u${unit}`),
  a: Float64Array.from(a),
  b: Float64Array.from(b),
})

/** From a square table of counts: rater a in rows, rater b in columns. */
function tabulated(table: readonly (readonly number[])[]): TwoRatings {
  const cells = table.flatMap((row, i) =>
    row.flatMap((count, j) => Array.from({ length: count }, () => [i + 1, j + 1])),
  )
  return ratingsOf(
    cells.map(([i]) => i!),
    cells.map(([, j]) => j!),
  )
}

const kappa = (ratings: TwoRatings, weights: KappaWeights): number | null =>
  cohenKappa(ratings, weights, options).estimate.value

describe('cohenKappa', () => {
  it('gives the textbook value for two psychiatrists (Fleiss 1981, Statistical Methods for Rates and Proportions, table 13.1)', () => {
    const ratings = tabulated([
      [75, 1, 4],
      [5, 4, 1],
      [0, 0, 10],
    ])
    expect(kappa(ratings, 'nominal')).toBeCloseTo(0.68, 2)
  })

  it('gives the published values for husbands and wives (Agresti 1990, table 2.10; figures of the R package vcd)', () => {
    const ratings = tabulated([
      [7, 7, 2, 3],
      [2, 8, 3, 7],
      [1, 5, 4, 9],
      [2, 8, 9, 14],
    ])
    const [plain, linear] = [cohenKappa(ratings, 'nominal', options), cohenKappa(ratings, 'linear', options)]
    expect(plain.estimate.value).toBeCloseTo(0.1293, 4)
    expect(linear.estimate.value).toBeCloseTo(0.2374, 4)
    // The asymptotic errors are 0.0686 and 0.0783.
    expect(Math.abs(plain.estimate.se! - 0.0686)).toBeLessThan(0.003)
    expect(Math.abs(linear.estimate.se! - 0.0783)).toBeLessThan(0.003)
  })

  it('gives the published quadratic value for 20 ratings of anxiety (data and figure of the R package irr)', () => {
    const first = [3, 3, 3, 4, 5, 5, 2, 3, 5, 2, 2, 6, 1, 5, 2, 2, 1, 2, 4, 3]
    const second = [3, 6, 4, 6, 2, 4, 2, 4, 3, 3, 2, 3, 3, 3, 2, 2, 1, 3, 3, 4]
    expect(kappa(ratingsOf(first, second), 'quadratic')).toBeCloseTo(0.297, 3)
  })

  it('with quadratic weights is 1 − mean squared distance over its expectation (Fleiss and Cohen 1973)', () => {
    const scale = fc.integer({ min: 1, max: 5 })
    fc.assert(
      fc.property(fc.array(fc.tuple(scale, scale), { minLength: 3, maxLength: 40 }), (pairs) => {
        const [a, b] = [pairs.map(([x]) => x), pairs.map(([, y]) => y)]
        const value = kappa({ ...ratingsOf(a, b), levels: [1, 2, 3, 4, 5] }, 'quadratic')
        const observed = pairs.reduce((sum, [x, y]) => sum + (x - y) ** 2, 0) / pairs.length
        const expected = a.flatMap((x) => b.map((y) => (x - y) ** 2)).reduce((sum, d) => sum + d, 0) / pairs.length ** 2
        if (expected === 0) expect(value).toBeNull()
        else expect(value).toBeCloseTo(1 - observed / expected, 10)
      }),
      { numRuns: 50 },
    )
  })

  it('leaves out what one rater did not rate', () => {
    const { estimate } = cohenKappa(ratingsOf([1, 2, NaN, 2, 1], [1, 2, 2, NaN, 2]), 'quadratic', options)
    expect(estimate).toMatchObject({ n: 3, no_interval: 'too_few_clusters' })
  })

  it('refuses a rating off the scale', () => {
    expect(() => kappa({ ...ratingsOf([1, 6], [1, 2]), levels: [1, 2, 3, 4, 5] }, 'quadratic')).toThrow(StatisticsError)
    expect(() => kappa({ ...ratingsOf([1], [1]), clusters: [] }, 'quadratic')).toThrow(StatisticsError)
  })
})
