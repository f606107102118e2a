import { isTestedPair, type MetricComparison, type PairComparison } from '../../contract/evidence/statistics.ts'

/**
 * Describes what may be said about two approaches. better, worse: decided after the correction over all pairs. equivalent: tested for it, and the difference is
 * within the margin. open: tested, and neither. not_tested: too few groups of questions, or no common question.
 */
export type PairState = 'better' | 'worse' | 'equivalent' | 'open' | 'not_tested'

/** Returns what may be said of `a` against `b`. A difference that is decided and within the margin is called decided. */
export function pairState(pair: PairComparison): PairState {
  if (!isTestedPair(pair)) return 'not_tested'
  if (pair.decision !== 'undecided') return pair.decision
  return pair.equivalence?.equivalent === true ? 'equivalent' : 'open'
}

/** Number of pairs in each state; of decided ones the direction does not matter. */
export function pairCounts({ pairs }: Pick<MetricComparison, 'pairs'>) {
  const counts = { decided: 0, equivalent: 0, open: 0, not_tested: 0 }
  for (const pair of pairs) {
    const state = pairState(pair)
    counts[state === 'better' || state === 'worse' ? 'decided' : state] += 1
  }
  return { ...counts, tested: counts.decided + counts.equivalent + counts.open }
}
