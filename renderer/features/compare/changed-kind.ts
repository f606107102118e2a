import type { ChangedCell, RunComparison } from '../../../contract/control/run-index/compare-runs.ts'

/** Describes how a cell of the first run differs from the same cell of the second one. */
export type ChangeKind = 'better' | 'worse' | 'here' | 'there'

/** The kind of a change between two runs; null for one in which neither has a value. */
export function changeKind(
  { values }: Pick<ChangedCell, 'values'>,
  better: RunComparison['better'],
): ChangeKind | null {
  const [own, other] = [values[0] ?? null, values[1] ?? null]
  if (own === null) return other === null ? null : 'there'
  if (other === null) return 'here'
  return own > other === (better === 'higher') ? 'better' : 'worse'
}
