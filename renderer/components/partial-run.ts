import type { RunHead } from '../../contract/control/run-index/runs.ts'
import type { RunState } from '../../contract/control/run-job.ts'

/** These fields of a run show whether it has all its cells. */
export type CountedRun = Pick<RunHead, 'run_id' | 'kind'> & {
  datasets: readonly Pick<RunHead['datasets'][number], 'cells' | 'expected_cells'>[]
  state: RunState | null
  planned_cells: number | null
}

const ENDED: readonly (RunState | null)[] = ['completed', 'failed', null]

/** Cells that a run has, and how many were planned where that is known; null for a run that has them all. */
export function partOf({
  kind,
  datasets,
  state,
  planned_cells,
}: CountedRun): { made: number; planned: number | null } | null {
  // A historical snapshot holds what was kept of it.
  if (kind === 'historical') return null
  const made = datasets.reduce((sum, { cells: { ok, error, timeout } }) => sum + ok + error + timeout, 0)
  const summedUp = datasets.every(({ expected_cells: expected }) => expected !== null)
  const expected = datasets.reduce((sum, { expected_cells: cells }) => sum + (cells ?? 0), 0)
  const planned = Math.max(planned_cells ?? 0, summedUp ? expected : 0)
  // Judges grade a run whose answers are all there; of another one that has not ended the plan may be unknown yet.
  const isPlanned = ENDED.includes(state) || planned_cells !== null
  const isWhole = isPlanned && summedUp && made >= planned
  return isWhole ? null : { made, planned: planned > made ? planned : null }
}
