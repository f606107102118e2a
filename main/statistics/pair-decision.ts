import type { Estimate, MetricComparison, PairComparison, PairDecision } from '../../contract/evidence/statistics.ts'
import { studentCdf, studentQuantile } from './distributions.ts'
import { adjustedOf, degreesOfFreedom, type UnseenDifferences } from './interval.ts'
import type { ScoreTable } from './score-table.ts'
import type { PairColumns } from './table-columns.ts'

// A pair of approaches is decided by this: Holm's correction over all pairs, a decision where the corrected p-value and the pair's own interval
// agree, and how large a difference would have had to be (power 80 %).

/**
 * Two-sided p-value of "no difference" from the centre, error and degrees of freedom of the pair's interval, so that p and interval say the same. It is at least the
 * mid-p of the rarest pattern of signs that the clusters could show, ½ · 2^(1 − moving), when they may only swap sides (Fisher 1935, The Design of
 * Experiments, §21; Lancaster 1961, JASA 56:223-234): Student's t is too sure far in the tail of 8 to 12 clusters, where Holm's first steps look.
 * That pattern is all there is where no difference varies. Null without an interval: then nothing was tested.
 */
export function pairValue(difference: Estimate, unseen: UnseenDifferences, moving: number): number | null {
  const adjusted = adjustedOf(difference, unseen)
  if (adjusted === null) return null
  if (difference.value === 0) return 1
  const { centre, error, df } = adjusted
  return Math.min(1, Math.max(2 ** -moving, 2 * studentCdf(-Math.abs(centre) / error, df)))
}

/** A pair with its p-value; the interval reaches 0 where the p-value leaves the pair open. */
export function agreeing(difference: Estimate, p: number | null, level: number): Estimate {
  const { interval } = difference
  if (interval === null || p === null || p <= 1 - level) return difference
  return { ...difference, interval: { low: Math.min(0, interval.low), high: Math.max(0, interval.high) } }
}

/** A pair's decision from its corrected p-value and its own interval, which must agree. */
export function decide(difference: Estimate, adjusted: number, level: number, lowerIsBetter: boolean): PairDecision {
  // Without an interval the pair is not decided: the same difference everywhere shows no spread, not that there is none.
  if (adjusted > 1 - level || difference.interval === null) return 'undecided'
  const { low, high } = difference.interval
  if (low > 0) return lowerIsBetter ? 'worse' : 'better'
  if (high < 0) return lowerIsBetter ? 'better' : 'worse'
  return 'undecided'
}

/** Questions on which a is better, equal within the tolerance, worse. */
export function outcomesOf(
  table: ScoreTable,
  pair: Pick<PairColumns, 'a' | 'b' | 'shared'>,
  tolerance: number,
): Pick<PairComparison, 'wins' | 'ties' | 'losses'> {
  const width = table.approaches.length
  let higher = 0
  let lower = 0
  for (const row of pair.shared) {
    const difference = table.scores[row * width + pair.a]! - table.scores[row * width + pair.b]!
    if (difference > tolerance) higher += 1
    else if (difference < -tolerance) lower += 1
  }
  const [wins, losses] = table.lowerIsBetter === true ? [lower, higher] : [higher, lower]
  return { wins, ties: pair.shared.length - higher - lower, losses }
}

/**
 * Holm's step-down adjustment (1979, Scandinavian Journal of Statistics 6): rejecting where the result is at most α keeps the chance of any
 * false rejection at most α, whatever the dependence between the tests. Null is not a test: it stays null and does not count.
 */
export function holmAdjusted(values: readonly (number | null)[]): (number | null)[] {
  const order = values.flatMap((p, index) => (p === null ? [] : [{ p, index }])).sort((left, right) => left.p - right.p)
  const adjusted: (number | null)[] = values.map(() => null)
  let floor = 0
  for (const [step, { p, index }] of order.entries()) {
    floor = Math.max(floor, Math.min(1, (order.length - step) * p))
    adjusted[index] = floor
  }
  return adjusted
}

/** Chance with which a true difference is to be decided. */
export const POWER = 0.8

/**
 * True difference that a pair would show as decided with 80 % power: (t₁₋α/₂ + t₀.₈) · se (Bloom 1995, Evaluation Review 19:547-556), with the
 * cluster-robust error and the degrees of freedom of the effective clusters. α is divided by the number of pairs, Holm's strictest step,
 * so the figure is on the safe side. Null without a standard error.
 */
export function smallestDetectable(difference: Estimate, level: number, pairs: number): number | null {
  const { se, interval, effective_clusters: effective } = difference
  if (se === null || interval === null || effective === null) return null
  const df = degreesOfFreedom(effective)
  const alpha = (1 - level) / pairs
  // The decision also asks for the interval, which may be wider than the error alone implies.
  const error = Math.max(se, (interval.high - interval.low) / 2 / studentQuantile(0.5 + level / 2, df))
  return (studentQuantile(1 - alpha / 2, df) + studentQuantile(POWER, df)) * error
}

/**
 * Returns true when a pair can be decided at Holm's strictest step, were all groups that differ of one mind: with few of them even that pattern is not rare
 * enough. `moving` counts the clusters in which the two differ at all.
 */
export const canBeDecided = (moving: number, level: number, pairs: number): boolean =>
  2 ** -moving <= (1 - level) / pairs

/** Clusters in which the two sides differ; what rounding leaves of equal sums is not a difference. */
export function movingClusters(plus: Float64Array, minus: Float64Array | null): number {
  const largest = plus.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
  return plus.reduce((count, value, cluster) => {
    const difference = differenceOfSums(value, minus === null ? 0 : minus[cluster]!)
    return count + (Math.abs(difference) <= 1e-13 * largest ? 0 : 1)
  }, 0)
}

/** Equal sums that were added up in another order differ in their last bits: that is not a difference. */
export function differenceOfSums(plus: number, minus: number): number {
  const between = plus - minus
  return Math.abs(between) <= 1e-13 * Math.max(Math.abs(plus), Math.abs(minus)) ? 0 : between
}

/** Range over pairs; null when none has one. The median of an even number is the mean of the two middle ones. */
export function overPairs(values: readonly (number | null)[]): MetricComparison['smallest_detectable'] {
  const sorted = values.filter((value) => value !== null).sort((left, right) => left - right)
  if (sorted.length === 0) return null
  const [below, above] = [(sorted.length - 1) >> 1, sorted.length >> 1]
  return { smallest: sorted[0]!, median: (sorted[below]! + sorted[above]!) / 2, largest: sorted.at(-1)! }
}
