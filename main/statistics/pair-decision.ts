import type { Estimate, MetricComparison, PairComparison, PairDecision } from '../../contract/index.ts'
import { studentQuantile } from './distributions.ts'
import { degreesOfFreedom } from './interval.ts'
import type { ScoreTable } from './score-table.ts'
import type { PairColumns } from './table-columns.ts'

// How a pair of approaches is decided: Holm's correction over all pairs, a decision where the corrected p-value and the pair's own interval
// agree, and how large a difference would have had to be (power 80 %).

/** A pair's decision from its corrected p-value and its own interval, which must agree. */
export function decide(difference: Estimate, adjusted: number, level: number, lowerIsBetter: boolean): PairDecision {
  // Without an interval nothing is decided: the same difference everywhere shows no spread, not that there is none.
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
 * false rejection at most α, whatever the dependence between the tests. Null is no test: it stays null and does not count.
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
