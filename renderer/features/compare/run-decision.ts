import type { PairState } from '../../../core/evidence/pair-state.ts'
import type { RunChange } from '../../../contract/control/comparison.ts'

/** An approach in a run and in the other one. */
export interface Difference {
  model: string
  /** Questions with a value in both. */
  common: number
  mean: number | null
  otherMean: number | null
  /** Questions whose values differ. */
  changed: number
  /** The test of the difference; null while it is made, and where there is none. */
  change: RunChange | null
  state: PairState | null
  /** Which of the two runs have the approach. */
  where: 'both' | 'here' | 'there'
}

/** Returns what can be said of an approach in two runs. "same" is not a test: every score is the same. */
export function decisionOf({
  where,
  common,
  changed,
  state,
}: Difference): 'here' | 'there' | 'same' | 'noShared' | 'unknown' | PairState {
  if (where !== 'both') return where
  if (common === 0) return 'noShared'
  if (changed === 0) return 'same'
  return state ?? 'unknown'
}
