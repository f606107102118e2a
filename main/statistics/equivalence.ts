import type { Estimate, PairEquivalence } from '../../contract/evidence/statistics.ts'
import { studentCdf } from './distributions.ts'
import { adjustedInterval, adjustedOf, isBlind, type UnseenDifferences } from './interval.ts'
import { ofLook } from './planning/looks.ts'
import type { ComparisonOptions } from './options.ts'
import { holmAdjusted } from './pair-decision.ts'

/** Largest difference that counts as none, as a share of the scale: 10 points of a share. */
export const EQUIVALENCE_MARGIN = 0.1

type Untested = Omit<PairEquivalence, 'p_adjusted' | 'equivalent'>

/**
 * Two one-sided tests of a pair (Schuirmann 1987, Journal of Pharmacokinetics and Biopharmaceutics 15:657-680) on the centre and the degrees of freedom
 * that its interval has: p is the larger of P(T ≥ (centre + margin) / error) and P(T ≥ (margin − centre) / error).
 *
 * The error is at least what it would be at the edge of the margin, if the difference came from rare questions of the largest size L that was seen
 * (that the scale allows, where nothing varied): margin · (L − margin) / n, times the design effect of the clusters. This is the variance under the null of a score test (Tango 1998, Statistics
 * in Medicine 17:891-908). Without it, an approach that is worse on a tenth of 90 questions and better on none was called equivalent in 10 % of runs
 * at nominal 5 %: few of its rare losses also make a small error. Null where there is no interval or no scale.
 */
function testEquivalence(
  difference: Estimate,
  unseen: UnseenDifferences,
  level: number,
  share: number,
): Untested | null {
  const own = adjustedOf(difference, unseen)
  if (own === null || unseen.most === null) return null
  const { se, n, effective_clusters: effective } = difference
  const margin = share * unseen.most
  const { variance } = unseen
  const largest = isBlind(unseen, se ?? 0) ? unseen.most : unseen.largestOfQuestion
  const { centre, error, df } = own
  const designEffect = variance > 0 ? Math.max(1, ((se ?? 0) ** 2 * n) / variance) : n / effective!
  const atEdge = Math.sqrt((Math.max(0, margin * (largest - margin)) * designEffect) / n)
  const adjusted = { centre, error: Math.max(error, atEdge), df }
  const beyond = (distance: number): number => studentCdf(-distance / adjusted.error, df)
  const p = Math.max(beyond(margin + centre), beyond(margin - centre))
  return { margin, ...adjustedInterval(adjusted, unseen.most, 2 * level - 1), p }
}

/** Equivalence of each pair, in the order given, with Holm's correction over all that could be tested. */
export function equivalencesOf(
  pairs: readonly { difference: Estimate; unseen: UnseenDifferences }[],
  level: number,
  { equivalenceMargin = EQUIVALENCE_MARGIN, alphaShare }: Pick<ComparisonOptions, 'equivalenceMargin' | 'alphaShare'>,
): (PairEquivalence | null)[] {
  const look = ofLook(level, alphaShare)
  const tests = pairs.map(({ difference, unseen }) => {
    const test = testEquivalence(difference, unseen, look.level, equivalenceMargin)
    return test === null ? null : { ...test, p: look.corrected(test.p)! }
  })
  const adjusted = holmAdjusted(tests.map((test) => test?.p ?? null))
  return tests.map((test, index) => {
    if (test === null) return null
    const corrected = adjusted[index]!
    return { ...test, p_adjusted: corrected, equivalent: corrected <= 1 - level }
  })
}
