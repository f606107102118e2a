import type { ConfidenceInterval, MetricComparison, PairComparison } from '../../../contract/evidence/statistics.ts'

/** An alias against the baseline: difference in the metric's unit, and its decision. */
export interface AgainstBaseline {
  difference: number | null
  low: number | null
  high: number | null
  decision: PairComparison['decision']
  p: number | null
  /** Why it is undecided; null for a decided pair, and for one that was not compared. */
  why: 'includesZero' | 'corrected' | 'tooFew' | null
}

const TURNED = { better: 'worse', worse: 'better', undecided: 'undecided' } as const

function whyUndecided({ decision, p, difference: { interval }, smallest_detectable: least }: PairComparison) {
  if (decision !== 'undecided' || p === null) return null
  if (least === null) return 'tooFew'
  return interval !== null && (interval.low > 0 || interval.high < 0) ? 'corrected' : 'includesZero'
}

/** The pair of an alias and the baseline, turned so that the baseline is subtracted; null when they were not compared. */
export function againstBaseline(
  comparison: MetricComparison | undefined,
  alias: string,
  baseline: string,
): AgainstBaseline | null {
  const pair = comparison?.pairs.find(({ a, b }) => (a === alias && b === baseline) || (a === baseline && b === alias))
  if (pair === undefined) return null
  const { value, interval } = pair.difference
  const same = pair.a === alias
  const turn = (number: number | null | undefined): number | null =>
    typeof number !== 'number' ? null : same ? number : -number
  return {
    difference: turn(value),
    low: turn(same ? interval?.low : interval?.high),
    high: turn(same ? interval?.high : interval?.low),
    decision: same ? pair.decision : TURNED[pair.decision],
    p: pair.p_adjusted,
    why: whyUndecided(pair),
  }
}

/** The interval of an alias's mean; null where there is none. */
export const meanInterval = (comparison: MetricComparison | undefined, alias: string): ConfidenceInterval | null =>
  comparison?.approaches.find(({ model }) => model === alias)?.mean.interval ?? null
