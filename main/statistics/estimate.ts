import type { Estimate } from '../../contract/evidence/statistics.ts'
import {
  adjustedDifference,
  adjustedInterval,
  jackknifeError,
  resampledInterval,
  studentInterval,
  wilsonInterval,
  type UnseenDifferences,
} from './interval.ts'
import { type IntervalMethod, type IntervalOptions, withDefaults } from './options.ts'
import { resampleSums } from './resample.ts'

/** Below this, resampling has too few distinct outcomes: simulated 95 % intervals covered 93 % with 8 clusters, 89 % with 5. */
export const MIN_CLUSTERS = 8

/** A value that is a function of column sums over clusters, such as a mean (two columns) or a correlation (three). */
export interface ClusterStatistic {
  /** One sum per cluster and column. */
  columns: readonly Float64Array[]
  /** Weight of each cluster: its observations, or the information they carry; 0 leaves it out. */
  weights: Float64Array
  /** The kind of interval that suits it when the caller names none. */
  method: IntervalMethod
  /** Stretches error and interval, at least 1: for effects that were estimated and removed before the sums were taken. */
  inflation?: number
  /** Links cut per link kept within clusters, and the sample variance of the observations. */
  cut?: { perKept: number; variance: number }
  /** Observations in all clusters. */
  n: number
  /** The ends that no observation can pass, for `wilson`. */
  range?: readonly [low: number, high: number]
  /** Holds what a difference may not have shown yet, for `adjusted_student`. */
  unseen?: UnseenDifferences
  /** The value from the sums of the columns; NaN where it is not defined. */
  of: (sums: Float64Array) => number
}

/** Value with cluster-bootstrap interval; resampled from the stream `<seed>/<name>`. */
export function estimateStatistic(statistic: ClusterStatistic, name: string, options: IntervalOptions): Estimate {
  const { seed, resamples } = withDefaults(options)
  const clusters = statistic.weights.length
  const replicated = (): Float64Array => {
    const sums = resampleSums(statistic.columns, clusters, resamples, `${seed}/${name}`)
    const row = new Float64Array(sums.length)
    const values = new Float64Array(resamples)
    for (let resample = 0; resample < resamples; resample += 1) {
      for (let column = 0; column < row.length; column += 1) row[column] = sums[column]![resample]!
      values[resample] = statistic.of(row)
    }
    return values
  }
  return estimateFrom(statistic, replicated, options)
}

/** The same with replicates that were made elsewhere, asked for only when there is an interval to make. */
export function estimateFrom(
  statistic: ClusterStatistic,
  replicates: () => Float64Array,
  options: IntervalOptions,
): Estimate {
  const { level } = withDefaults(options)
  const method = options.method ?? statistic.method
  const totals = Float64Array.from(statistic.columns, total)
  const value = statistic.of(totals)
  const members = Array.from(statistic.weights.keys()).filter((cluster) => statistic.weights[cluster]! > 0)
  const effective = dependentClusters(statistic)
  const head = { n: statistic.n, clusters: members.length, effective_clusters: effective }
  const without = (reason: Estimate['no_interval']): Estimate => ({
    value: Number.isNaN(value) ? null : value,
    ...head,
    se: null,
    interval: null,
    no_interval: reason,
  })
  if (effective === null) return without('no_data')
  if (Number.isNaN(value)) return without('not_defined')
  if (members.length < MIN_CLUSTERS) return without('too_few_clusters')
  const leftOut = valuesWithout(statistic, totals, members)
  // A value that hangs on a single cluster is not defined without it.
  if (leftOut.some((other) => Number.isNaN(other))) return without('too_few_clusters')
  const error = jackknifeError(leftOut)
  const inflation = (statistic.inflation ?? 1) * dependenceInflation(error, statistic)
  const se = inflation * error
  const varies = se > 1e-12 * Math.max(1, Math.abs(value))
  const { range, unseen } = statistic
  if (method === 'wilson' && range !== undefined) {
    const interval = wilsonInterval(value, varies ? se : 0, { effective, n: statistic.n, range }, level)
    return { value, ...head, se: varies ? se : null, interval, no_interval: null }
  }
  if (method === 'adjusted_student' && unseen !== undefined && (varies || unseen.most !== null)) {
    const size = { effective, clusters: members.length, n: statistic.n }
    const adjusted = adjustedDifference(value, varies ? se : 0, size, unseen)
    const interval = adjustedInterval(adjusted, unseen.most, level)
    return { value, ...head, se: varies ? se : null, interval, no_interval: null }
  }
  if (!varies) return without('no_variation')
  const interval =
    method === 'bca' || method === 'percentile'
      ? resampledInterval(
          { value, replicates: replicates(), leftOut, effectiveClusters: effective, inflation },
          level,
          method,
        )
      : studentInterval(value, se, effective, level)
  return { value, ...head, se, interval, no_interval: null }
}

/** Returns the effective clusters, less what links that were cut take; interval.ts explains it. */
function dependentClusters({ weights, cut, unseen }: ClusterStatistic): number | null {
  const effective = effectiveClusters(weights)
  const share = unseen === undefined ? 1 : 0.5
  return effective === null ? null : effective / (1 + share * Math.min(1, cut?.perKept ?? 0))
}

/** Returns what links that were cut add to the error; interval.ts explains it. */
function dependenceInflation(error: number, { n, cut }: ClusterStatistic): number {
  if (cut === undefined || cut.perKept === 0 || error === 0) return 1
  return Math.sqrt(1 + Math.max(0, 1 - cut.variance / (n * error ** 2)) * cut.perKept)
}

function valuesWithout(statistic: ClusterStatistic, totals: Float64Array, members: readonly number[]): Float64Array {
  const values = new Float64Array(members.length)
  const sums = new Float64Array(totals.length)
  for (let at = 0; at < members.length; at += 1) {
    for (let column = 0; column < sums.length; column += 1)
      sums[column] = totals[column]! - statistic.columns[column]![members[at]!]!
    values[at] = statistic.of(sums)
  }
  return values
}

/** (Σ w)² / Σ w²: the effective number of clusters, all of equal weight (Kish 1965); null when all weights are 0. */
export function effectiveClusters(weights: Float64Array): number | null {
  let sum = 0
  let squares = 0
  for (const weight of weights) {
    sum += weight
    squares += weight * weight
  }
  return squares === 0 ? null : (sum * sum) / squares
}

export const total = (column: Float64Array): number => {
  let sum = 0
  for (const value of column) sum += value
  return sum
}

/** Number of each name in order of first appearance. */
export function numbered(names: readonly string[]): { indexes: Int32Array; size: number } {
  const numbers = new Map(Array.from(new Set(names), (name, index) => [name, index]))
  return { indexes: Int32Array.from(names, (name) => numbers.get(name)!), size: numbers.size }
}
