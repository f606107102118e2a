import { describe, expect, it } from 'vitest'
import { Agreement } from '../../../contract/evidence/statistics.ts'
import { type AlphaScale, krippendorffAlpha, type Ratings } from './krippendorff.ts'
import { seededRandom } from '../../../tests/helpers/seeded-random.ts'
import { StatisticsError } from '../statistics-error.ts'

const options = { seed: 's', resamples: 1000 }
const none = NaN

/** A row per rater, as the sources print them. */
const ratingsOf = (rows: readonly (readonly number[])[]): Ratings => ({
  clusters: rows[0]!.map((_, unit) => `u${unit}`),
  raters: rows.length,
  values: Float64Array.from(
    { length: rows.length * rows[0]!.length },
    (_, at) => rows[at % rows.length]![Math.floor(at / rows.length)]!,
  ),
})

// Krippendorff 2011, Computing Krippendorff's Alpha-Reliability, example E: four observers, twelve units, values missing.
const published = ratingsOf([
  [1, 2, 3, 3, 2, 1, 4, 1, 2, none, none, none],
  [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, none, 3],
  [none, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, none],
  [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, none],
])

describe('krippendorffAlpha', () => {
  it.each<[AlphaScale, number]>([
    ['nominal', 0.743],
    ['ordinal', 0.815],
    ['interval', 0.849],
  ])('gives the published value on the %s scale', (scale, alpha) => {
    const agreement = krippendorffAlpha(published, scale, options)
    expect(agreement.estimate.value).toBeCloseTo(alpha, 3)
    // The unit with a single rating does not count.
    expect(agreement.estimate).toMatchObject({ n: 40, clusters: 11 })
    expect(Agreement.parse(agreement)).toEqual(agreement)
  })

  it('gives the published value of the nominal example without gaps', () => {
    // The same paper, example C: two observers, twelve units, five values.
    const twoRaters = ratingsOf([
      [1, 1, 2, 2, 4, 3, 3, 3, 5, 4, 4, 1],
      [2, 1, 2, 2, 2, 3, 3, 3, 5, 4, 4, 4],
    ])
    expect(krippendorffAlpha(twoRaters, 'nominal', options).estimate.value).toBeCloseTo(0.692, 3)
  })

  it('uses only the order on the ordinal scale', () => {
    const stretched = { ...published, values: published.values.map((value) => value ** 3) }
    const value = (ratings: Ratings): number | null => krippendorffAlpha(ratings, 'ordinal', options).estimate.value
    expect(value(stretched)).toBeCloseTo(value(published)!, 12)
  })

  it('is 1 for perfect agreement and near 0 for chance, inside its interval', () => {
    const random = seededRandom('ratings')
    const rows = [0, 1, 2].map(() => Array.from({ length: 200 }, () => 1 + random.below(5)))
    const chance = krippendorffAlpha(ratingsOf(rows), 'ordinal', options).estimate
    expect(Math.abs(chance.value!)).toBeLessThan(0.12)
    expect(chance.interval!.low).toBeLessThan(0)
    expect(chance.interval!.high).toBeGreaterThan(0)
    const equal = krippendorffAlpha(ratingsOf([rows[0]!, rows[0]!]), 'ordinal', options).estimate
    expect(equal).toMatchObject({ value: 1, no_interval: 'no_variation' })
  })

  it('is not defined without disagreement to expect or without a second rating', () => {
    const estimateOf = (rows: number[][]): unknown => krippendorffAlpha(ratingsOf(rows), 'ordinal', options).estimate
    const all = new Array<number>(9).fill(3)
    expect(estimateOf([all, all])).toMatchObject({ value: null, no_interval: 'not_defined' })
    expect(estimateOf([all, new Array<number>(9).fill(NaN)])).toMatchObject({
      value: null,
      n: 0,
      no_interval: 'no_data',
    })
  })

  it('refuses continuous values and sizes that do not fit', () => {
    const continuous = Array.from({ length: 30 }, (_, at) => at / 7)
    expect(() => krippendorffAlpha(ratingsOf([continuous, continuous]), 'interval', options)).toThrow(StatisticsError)
    expect(() => krippendorffAlpha({ ...published, raters: 3 }, 'ordinal', options)).toThrow(StatisticsError)
  })
})
