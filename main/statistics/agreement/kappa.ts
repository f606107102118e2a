import type { Agreement } from '../../../contract/evidence/statistics.ts'
import { type ClusterStatistic, estimateStatistic } from '../estimate.ts'
import type { IntervalOptions } from '../options.ts'
import { StatisticsError } from '../statistics-error.ts'

/** Two raters' ratings of the same things; NaN where one gave none, and the thing then does not count. */
export interface TwoRatings {
  /** Cluster of each rated thing. */
  clusters: readonly string[]
  a: Float64Array
  b: Float64Array
  /** All values of the scale in order; where left out, those that occur. */
  levels?: readonly number[]
}

export type KappaWeights = 'nominal' | 'linear' | 'quadratic'

/**
 * Cohen's kappa with cluster-bootstrap interval: 1 − Σ w·observed / Σ w·expected with the disagreement weights w = 1, |i − j| or (i − j)² over
 * places on the scale (Cohen 1960; weighted: Cohen 1968, Psychological Bulletin 70). Null when there is nothing to disagree about:
 * no common rating, or both raters always give the same one value. Throws `bad_input` for a rating that is not on the scale.
 */
export function cohenKappa(ratings: TwoRatings, weights: KappaWeights, options: IntervalOptions): Agreement {
  const { clusters, a, b } = ratings
  if (a.length !== clusters.length || b.length !== clusters.length)
    throw new StatisticsError('bad_input', `${a.length} and ${b.length} ratings for ${clusters.length} things`)
  const both = Array.from(a.keys()).filter((unit) => !Number.isNaN(a[unit]) && !Number.isNaN(b[unit]))
  const levels =
    ratings.levels ?? Array.from(new Set(both.flatMap((unit) => [a[unit]!, b[unit]!]))).sort((x, y) => x - y)
  const placeOf = (value: number): number => {
    const index = levels.indexOf(value)
    if (index < 0)
      throw new StatisticsError('bad_input', `a rating of ${value} is not on the scale ${levels.join(', ')}`)
    return index
  }
  const clusterOf = new Map(Array.from(new Set(clusters), (name, index) => [name, index]))
  const columns = Array.from({ length: levels.length ** 2 }, () => new Float64Array(clusterOf.size))
  const counts = new Float64Array(clusterOf.size)
  for (const unit of both) {
    const cluster = clusterOf.get(clusters[unit]!)!
    columns[placeOf(a[unit]!) * levels.length + placeOf(b[unit]!)]![cluster]! += 1
    counts[cluster]! += 1
  }
  const statistic: ClusterStatistic = {
    method: 'bca',
    columns,
    weights: counts,
    n: both.length,
    of: kappaOf(levels.length, weights),
  }
  return {
    statistic: 'cohen_kappa',
    scale: weights,
    raters: 2,
    estimate: estimateStatistic(statistic, 'cohen_kappa', options),
  }
}

/** Kappa from the counts of a square table, row by row; NaN where it is not defined. */
function kappaOf(size: number, weights: KappaWeights): (table: Float64Array) => number {
  const weigh = (distance: number): number =>
    distance === 0 ? 0 : weights === 'nominal' ? 1 : weights === 'linear' ? distance : distance ** 2
  return (table) => {
    const rows = new Float64Array(size)
    const columns = new Float64Array(size)
    let total = 0
    for (let i = 0; i < size; i += 1)
      for (let j = 0; j < size; j += 1) {
        const count = table[i * size + j]!
        rows[i] = rows[i]! + count
        columns[j] = columns[j]! + count
        total += count
      }
    let observed = 0
    let expected = 0
    for (let i = 0; i < size; i += 1)
      for (let j = 0; j < size; j += 1) {
        const weight = weigh(Math.abs(i - j))
        observed += weight * table[i * size + j]!
        expected += (weight * rows[i]! * columns[j]!) / total
      }
    return expected > 0 ? 1 - observed / expected : NaN
  }
}
