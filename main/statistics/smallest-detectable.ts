import type { Estimate, MetricComparison } from '../../contract/index.ts'
import { studentQuantile } from './distributions.ts'
import { degreesOfFreedom } from './interval.ts'

const POWER = 0.8

/**
 * True difference that a pair would show as decided with 80 % power: (t₁₋α/₂ + t₀.₈) · se (Bloom 1995, Evaluation Review 19:547-556), with the
 * cluster-robust error and the degrees of freedom of the effective clusters. α is divided by the number of pairs, Holm's strictest step,
 * so the figure is on the safe side. Null without a standard error.
 */
export function smallestDetectable(difference: Estimate, level: number, pairs: number): number | null {
  if (difference.se === null || difference.effective_clusters === null) return null
  const df = degreesOfFreedom(difference.effective_clusters)
  const alpha = (1 - level) / pairs
  return (studentQuantile(1 - alpha / 2, df) + studentQuantile(POWER, df)) * difference.se
}

/**
 * Whether swapping signs could decide a pair at Holm's strictest step, were all groups that differ of one mind: with few of them even that
 * pattern is not rare enough. `moving` counts the clusters in which the two differ at all.
 */
export const canBeDecided = (moving: number, level: number, pairs: number): boolean =>
  2 ** (1 - moving) <= (1 - level) / pairs

/** Range over pairs; null when none has one. The median of an even number is the mean of the two middle ones. */
export function overPairs(values: readonly (number | null)[]): MetricComparison['smallest_detectable'] {
  const sorted = values.filter((value) => value !== null).sort((left, right) => left - right)
  if (sorted.length === 0) return null
  const [below, above] = [(sorted.length - 1) >> 1, sorted.length >> 1]
  return { smallest: sorted[0]!, median: (sorted[below]! + sorted[above]!) / 2, largest: sorted.at(-1)! }
}
