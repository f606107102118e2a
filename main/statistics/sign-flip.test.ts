import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../tests/helpers/seeded-random.ts'
import { signFlipValues } from './sign-flip.ts'

const alone = [{ plus: 0, minus: null }]

describe('signFlipValues', () => {
  // Fisher 1935, The Design of Experiments, §21: Darwin's 15 pairs of maize, eighths of an inch; 863 of 2¹⁵ sign patterns reach the sum of 314.
  const maize = Float64Array.of(49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48)

  it("counts every pattern when there are few: Fisher's example", () => {
    expect(signFlipValues([maize], alone, 10_000, 's')).toEqual([(2 * 863) / 2 ** 15])
  })

  it('draws patterns when there are many, close to the exact value', () => {
    const more = Float64Array.of(...maize, 1e-6)
    const [p] = signFlipValues([more], alone, 200_000, 's')
    expect(Math.abs(p! - (2 * 863) / 2 ** 15)).toBeLessThan(0.002)
  })

  it('sees the difference of two columns, exact and drawn alike, and is symmetric', () => {
    const random = seededRandom('data')
    for (const clusters of [9, 70]) {
      const a = new Float64Array(clusters).map(() => random.uniform())
      const b = new Float64Array(clusters).map(() => random.uniform())
      const contrasts = [
        { plus: 0, minus: 1 },
        { plus: 1, minus: 0 },
        { plus: 2, minus: null },
      ]
      const [ab, ba, difference] = signFlipValues([a, b, a.map((value, at) => value - b[at]!)], contrasts, 5000, 's')
      expect([ba, difference]).toEqual([ab, ab])
    }
  })

  it('is 1 where nothing differs, and never 0', () => {
    expect(signFlipValues([new Float64Array(30)], alone, 1000, 's')).toEqual([1])
    expect(signFlipValues([new Float64Array(40).fill(1)], alone, 1000, 's')).toEqual([1 / 1001])
    expect(signFlipValues([Float64Array.of(1, 1, 1, 1)], alone, 1000, 's')).toEqual([2 / 16])
  })

  it('is uniform where there is no difference', () => {
    const random = seededRandom('null')
    const columns = Array.from({ length: 400 }, () => new Float64Array(24).map(() => random.uniform() - 0.5))
    const contrasts = columns.map((_, plus) => ({ plus, minus: null }))
    const values = signFlipValues(columns, contrasts, 1000, 's')
    for (const level of [0.05, 0.2, 0.5]) {
      const share = values.filter((p) => p <= level).length / values.length
      expect(Math.abs(share - level)).toBeLessThan(3 * Math.sqrt((level * (1 - level)) / values.length))
    }
  })
})
