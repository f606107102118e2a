import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { kendallTauB, midranks, pearson, places, spearman } from './ranks.ts'

const of = (...values: number[]): Float64Array => Float64Array.of(...values)

describe('ranks', () => {
  it('shares the middle rank between equal values', () => {
    expect([...midranks(of(10, 20, 10, 30, 20, 20))]).toEqual([1.5, 4, 1.5, 6, 4, 4])
  })

  it('shares the better place, skips the next, and gives none for nothing', () => {
    expect(places([0.5, 0.9, null, 0.9, 0.1])).toEqual([3, 1, null, 1, 4])
  })
})

describe('correlations', () => {
  it('Spearman without ties is 1 − 6 Σ d² / n(n² − 1): −29/165 for ten pairs with Σ d² = 194', () => {
    const iq = of(106, 100, 86, 101, 99, 103, 97, 113, 112, 110)
    const hours = of(7, 27, 2, 50, 28, 29, 20, 12, 6, 17)
    expect(spearman(iq, hours)).toBeCloseTo(-29 / 165, 12)
  })

  it('τ-b corrects for ties on both sides (figure of scipy.stats.kendalltau)', () => {
    expect(kendallTauB(of(12, 2, 1, 12, 2), of(1, 4, 7, 1, 0))).toBeCloseTo(-0.47140452079103173, 12)
  })

  it('leaves out pairs with a gap and has no value for constants', () => {
    expect(spearman(of(1, 2, NaN, 3), of(1, 2, 9, 3))).toBeCloseTo(1, 12)
    expect(kendallTauB(of(1, 1, 1), of(1, 2, 3))).toBeNull()
    expect(pearson(of(1, 1), of(1, 2))).toBeNull()
    expect(spearman(of(), of())).toBeNull()
  })

  it('are symmetric and turn with the sign', () => {
    const pairs = fc.array(fc.tuple(fc.integer({ min: 0, max: 6 }), fc.integer({ min: 0, max: 6 })), {
      minLength: 2,
      maxLength: 20,
    })
    fc.assert(
      fc.property(pairs, (list) => {
        const [x, y] = [Float64Array.from(list, ([a]) => a), Float64Array.from(list, ([, b]) => b)]
        for (const correlation of [spearman, kendallTauB]) {
          const value = correlation(x, y)
          if (value === null) continue
          expect(Math.abs(value)).toBeLessThanOrEqual(1 + 1e-12)
          expect(correlation(y, x)).toBeCloseTo(value, 12)
          expect(
            correlation(
              x,
              y.map((b) => -b),
            ),
          ).toBeCloseTo(-value, 12)
        }
      }),
    )
  })
})
