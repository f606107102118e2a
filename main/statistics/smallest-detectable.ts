import type { Estimate, MetricComparison, PairComparison } from '../../contract/index.ts'
import { studentQuantile } from './distributions.ts'
import { degreesOfFreedom } from './interval.ts'

const POWER = 0.8

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
  // The decision also asks for the interval, which may be wider than the error alone says.
  const error = Math.max(se, (interval.high - interval.low) / 2 / studentQuantile(0.5 + level / 2, df))
  return (studentQuantile(1 - alpha / 2, df) + studentQuantile(POWER, df)) * error
}

/** The difference that runs are planned for, as a share of the scale: 0.1 between scores of 0 and 1. */
const PLANNED_SHARE = 0.1

/**
 * About how many questions would show a true difference of a tenth of the scale as decided with 80 % power, if they scatter as these do: the error
 * shrinks with the root of the number of questions. Null without a scale, or where no pair has an error.
 */
export function neededFor(
  pairs: readonly PairComparison[],
  range: readonly [number, number] | undefined,
): NonNullable<MetricComparison['questions_needed']> | null {
  if (range === undefined) return null
  const size = PLANNED_SHARE * (range[1] - range[0])
  const needed = overPairs(
    pairs.map(({ difference: { n }, smallest_detectable: detectable }) =>
      detectable === null ? null : n * (detectable / size) ** 2,
    ),
  )
  return needed && { difference: size, median: Math.ceil(needed.median), largest: Math.ceil(needed.largest) }
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
