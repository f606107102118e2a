import type { AgainstBaseline } from '../matrix/pair-of.ts'

/** An approach in a run and in another one. */
export interface Difference {
  model: string
  /** The other run. */
  other: string
  /** Questions with a value in both. */
  common: number
  mean: number | null
  otherMean: number | null
  /** Questions whose values differ. */
  changed: number
  pair: AgainstBaseline | null
  /** Which of the two runs have the approach. */
  where: 'both' | 'here' | 'there'
}

/** What can be said of an approach in two runs: nothing to decide where one of them lacks it, where every value is the same, or where no question is shared. */
export function decisionOf({
  where,
  common,
  changed,
  pair,
}: Difference): 'here' | 'there' | 'equal' | 'noShared' | 'unknown' | AgainstBaseline['decision'] {
  if (where !== 'both') return where
  if (common === 0) return 'noShared'
  if (changed === 0) return 'equal'
  return pair?.decision ?? 'unknown'
}

/** Whether more questions could decide the difference. */
export const isOpen = (difference: Difference): boolean => decisionOf(difference) === 'undecided'
