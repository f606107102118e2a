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

/** The decision on an approach in two runs: none where one of them lacks it, or where every value is the same. */
export function decisionOf({
  where,
  common,
  changed,
  pair,
}: Difference): 'here' | 'there' | 'equal' | 'unknown' | AgainstBaseline['decision'] {
  if (where !== 'both') return where
  if (common > 0 && changed === 0) return 'equal'
  return pair?.decision ?? 'unknown'
}

/** Whether more questions could decide the difference. */
export const isOpen = (difference: Difference): boolean => decisionOf(difference) === 'undecided'
