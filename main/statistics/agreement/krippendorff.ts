import type { Agreement } from '../../../contract/evidence/statistics.ts'
import { type ClusterStatistic, estimateStatistic } from '../estimate.ts'
import type { IntervalOptions } from '../options.ts'
import { StatisticsError } from '../statistics-error.ts'

/** Ratings of the same things by several raters. */
export interface Ratings {
  /** Cluster of each rated thing, such as its question: answers to one question are not independent. */
  clusters: readonly string[]
  raters: number
  /** A row per rated thing, a column per rater; NaN where a rater gave none. */
  values: Float64Array
}

export type AlphaScale = 'nominal' | 'ordinal' | 'interval'

const MOST_VALUES = 25

/**
 * Krippendorff's alpha with cluster-bootstrap interval: 1 − observed / expected disagreement, over all pairs of ratings of one thing; things
 * with fewer than two ratings do not count (Krippendorff 2011, Computing Krippendorff's Alpha-Reliability, steps A to E). Ordinal: the
 * distance of two values is the number of ratings between them, so only their order matters. The value is null when nothing is rated twice or all
 * ratings are equal. At most 25 distinct values, else `bad_input`.
 */
export function krippendorffAlpha(ratings: Ratings, scale: AlphaScale, options: IntervalOptions): Agreement {
  const statistic = alphaStatistic(ratings, scale)
  return {
    statistic: 'krippendorff_alpha',
    scale,
    raters: ratings.raters,
    estimate: estimateStatistic(statistic, 'krippendorff_alpha', options),
  }
}

function alphaStatistic(ratings: Ratings, scale: AlphaScale): ClusterStatistic {
  const { clusters, raters, values } = ratings
  if (values.length !== clusters.length * raters)
    throw new StatisticsError(
      'bad_input',
      `${values.length} ratings for ${clusters.length} things and ${raters} raters`,
    )
  const levels = Array.from(new Set(values.filter((value) => !Number.isNaN(value)))).sort((left, right) => left - right)
  if (levels.length > MOST_VALUES)
    throw new StatisticsError('bad_input', `${levels.length} distinct ratings: alpha is for at most ${MOST_VALUES}`)
  const size = levels.length
  const levelOf = new Map(levels.map((value, index) => [value, index]))
  const clusterOf = new Map(Array.from(new Set(clusters), (name, index) => [name, index]))
  // Column c·size + k holds the coincidences of the values c and k, one number per cluster.
  const columns = Array.from({ length: size * size }, () => new Float64Array(clusterOf.size))
  const weights = new Float64Array(clusterOf.size)
  let n = 0
  for (const [unit, name] of clusters.entries()) {
    const given = Array.from(values.subarray(unit * raters, (unit + 1) * raters)).filter(
      (value) => !Number.isNaN(value),
    )
    if (given.length < 2) continue
    const cluster = clusterOf.get(name)!
    const at = given.map((value) => levelOf.get(value)!)
    for (const [i, c] of at.entries())
      for (const [j, k] of at.entries()) if (i !== j) columns[c * size + k]![cluster]! += 1 / (given.length - 1)
    weights[cluster]! += given.length
    n += given.length
  }
  return { method: 'bca', columns, weights, n, of: (coincidences) => alphaOf(coincidences, levels, scale) }
}

function alphaOf(coincidences: Float64Array, levels: readonly number[], scale: AlphaScale): number {
  const size = levels.length
  const marginal = levels.map((_, c) => {
    let sum = 0
    for (let k = 0; k < size; k += 1) sum += coincidences[c * size + k]!
    return sum
  })
  const total = marginal.reduce((sum, count) => sum + count, 0)
  let observed = 0
  let expected = 0
  for (let c = 0; c < size; c += 1) {
    let between = marginal[c]! / 2
    for (let k = c + 1; k < size; k += 1) {
      // Ratings from c to k, those at both ends by half.
      const span = between + marginal[k]! / 2
      const distance = scale === 'nominal' ? 1 : scale === 'ordinal' ? span : levels[k]! - levels[c]!
      observed += coincidences[c * size + k]! * distance ** 2
      expected += marginal[c]! * marginal[k]! * distance ** 2
      between += marginal[k]!
    }
  }
  return expected > 0 ? 1 - ((total - 1) * observed) / expected : NaN
}
