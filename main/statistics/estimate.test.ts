import { describe, expect, it } from 'vitest'
import { type ClusterStatistic, effectiveClusters, estimateStatistic } from './estimate.ts'
import { seededRandom } from '../../tests/helpers/seeded-random.ts'
import { StatisticsError } from './statistics-error.ts'

const mean = (values: readonly number[], method: 'bca' | 'percentile' = 'percentile'): ClusterStatistic => ({
  columns: [Float64Array.from(values), new Float64Array(values.length).fill(1)],
  weights: new Float64Array(values.length).fill(1),
  n: values.length,
  method,
  of: ([sum, count]) => sum! / count!,
})

const uniform = (count: number, seed = 'values'): number[] => {
  const random = seededRandom(seed)
  return Array.from({ length: count }, () => random.uniform())
}

describe('estimateStatistic', () => {
  it('has the textbook error of a mean, and an interval close to the t interval', () => {
    const values = uniform(40)
    const centre = values.reduce((sum, value) => sum + value, 0) / 40
    const error = Math.sqrt(values.reduce((sum, value) => sum + (value - centre) ** 2, 0) / 39 / 40)
    const estimate = estimateStatistic(mean(values), 'x', { seed: 's' })
    expect(estimate).toMatchObject({ n: 40, clusters: 40, effective_clusters: 40, no_interval: null })
    expect(estimate.value).toBeCloseTo(centre, 12)
    expect(estimate.se).toBeCloseTo(error, 12)
    // t₀.₉₇₅ with 39 degrees of freedom.
    expect(estimate.interval!.low).toBeCloseTo(centre - 2.0227 * error, 1.7)
    expect(estimate.interval!.high).toBeCloseTo(centre + 2.0227 * error, 1.7)
  })

  it('is the same for the same seed, and nearly the same for another', () => {
    const values = uniform(40)
    const interval = (seed: string): { low: number; high: number } =>
      estimateStatistic(mean(values), 'x', { seed }).interval!
    expect(interval('s')).toEqual(interval('s'))
    expect(interval('s')).not.toEqual(interval('t'))
    expect(Math.abs(interval('s').low - interval('t').low)).toBeLessThan(0.01)
  })

  it('BCa shifts the interval of a skewed mean toward its long tail', () => {
    const values = uniform(30, 'skew').map((u) => u ** 6)
    const percentile = estimateStatistic(mean(values), 'x', { seed: 's' }).interval!
    const bca = estimateStatistic(mean(values, 'bca'), 'x', { seed: 's' }).interval!
    expect(bca.low).toBeGreaterThan(percentile.low)
    expect(bca.high).toBeGreaterThan(percentile.high)
    expect(estimateStatistic(mean(values, 'bca'), 'x', { seed: 's', method: 'percentile' }).interval).toEqual(
      percentile,
    )
  })

  it('widens with the level and with inflation', () => {
    const width = (statistic: ClusterStatistic, level: number): number => {
      const { low, high } = estimateStatistic(statistic, 'x', { seed: 's', level }).interval!
      return high - low
    }
    const statistic = mean(uniform(40))
    expect(width(statistic, 0.99)).toBeGreaterThan(width(statistic, 0.95) * 1.2)
    expect(width({ ...statistic, inflation: 1.5 }, 0.95)).toBeGreaterThan(width(statistic, 0.95) * 1.3)
  })

  it('reports why there is no interval', () => {
    const reason = (values: readonly number[]): unknown => {
      const { value, se, interval, no_interval } = estimateStatistic(mean(values), 'x', { seed: 's' })
      return { value, se, interval, no_interval }
    }
    const nothing = { se: null, interval: null }
    expect(reason([])).toEqual({ ...nothing, value: null, no_interval: 'no_data' })
    expect(reason([0, 1, 0, 1, 0, 1, 0])).toEqual({ ...nothing, value: 3 / 7, no_interval: 'too_few_clusters' })
    expect(reason([1, 1, 1, 1, 1, 1, 1, 1, 1])).toEqual({ ...nothing, value: 1, no_interval: 'no_variation' })
    const undefinedValue = { ...mean(uniform(9)), of: () => NaN }
    expect(estimateStatistic(undefinedValue, 'x', { seed: 's' })).toMatchObject({
      value: null,
      no_interval: 'not_defined',
    })
  })

  it('refuses options out of range', () => {
    for (const wrong of [{ resamples: 10 }, { resamples: 1.5 }, { level: 1 }, { level: NaN }])
      expect(() => estimateStatistic(mean(uniform(9)), 'x', { seed: 's', ...wrong })).toThrow(StatisticsError)
  })
})

it('effectiveClusters is their number when equal, less when not', () => {
  expect(effectiveClusters(Float64Array.of(3, 3, 3, 3))).toBe(4)
  expect(effectiveClusters(Float64Array.of(11, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1))).toBeCloseTo(4.114, 3)
  expect(effectiveClusters(new Float64Array(3))).toBeNull()
})
