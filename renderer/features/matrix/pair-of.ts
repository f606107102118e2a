import { pairState, type PairState } from '../../../core/evidence/pair-state.ts'
import type { ConfidenceInterval, MetricComparison, PairComparison } from '../../../contract/evidence/statistics.ts'

/** An alias against the baseline: difference in the metric's unit, and what its test shows. */
export interface AgainstBaseline {
  difference: number | null
  low: number | null
  high: number | null
  state: PairState
  p: number | null
  /** Why it is open; null for a pair in another state. */
  why: 'includesZero' | 'corrected' | 'tooFew' | null
}

const TURNED: Partial<Record<PairState, PairState>> = { better: 'worse', worse: 'better' }

function whyOpen(state: PairState, { difference: { interval }, smallest_detectable: least }: PairComparison) {
  if (state !== 'open') return null
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
  const state = pairState(pair)
  return {
    difference: turn(value),
    low: turn(same ? interval?.low : interval?.high),
    high: turn(same ? interval?.high : interval?.low),
    state: same ? state : (TURNED[state] ?? state),
    p: pair.p_adjusted,
    why: whyOpen(state, pair),
  }
}

/** The interval of an alias's mean; null where there is none. */
export const meanInterval = (comparison: MetricComparison | undefined, alias: string): ConfidenceInterval | null =>
  comparison?.approaches.find(({ model }) => model === alias)?.mean.interval ?? null
