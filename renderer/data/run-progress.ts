import type { CellCounts, RunJob } from '../../contract/control/run-job.ts'
import { LADDER_STEPS, type LadderStep } from '../../contract/evidence/run-event.ts'
import { type Climb, type LadderState, throughput } from './ladder-state.ts'

/** Progress of a run. Cells are counted over all its datasets; step and rate are those of the current one. */
export interface Progress extends CellCounts {
  datasetId: string | null
  /** Position of the dataset in the run, from 1; null while none has started. */
  datasetNumber: number | null
  datasetCount: number
  step: LadderStep | null
  /** Null unless cells are being made. */
  cellsPerSecond: number | null
  /** Time that the cells left will take at the present rate, 0 or more; null where it is unknown, and when none is left. */
  leftMs: number | null
}

/** Cells of one dataset: those of its plan, or the selected ones before it has a plan. */
export function cellsOfClimb(climb: Climb | undefined, selected: number): CellCounts {
  const done = climb === undefined ? 0 : climb.finished + (climb.plan?.reuse ?? 0)
  return { total: Math.max(climb?.plan?.total ?? selected, done), done, failed: climb?.failed ?? 0 }
}

/** Time that the cells left of a dataset will take; null where it is unknown, and when none is left. */
export function leftMsOf({ total, done }: CellCounts, perSecond: number | null): number | null {
  const left = total - done
  return left <= 0 || perSecond === null || perSecond <= 0 ? null : (left / perSecond) * 1000
}

/**
 * Counts of the engine and of the events, whichever are further on: the engine's answer may be old, and a page that opened during the run
 * may not have received all events.
 */
export function progressOf(job: RunJob, ladder: LadderState): Progress {
  const { dataset_ids: ids } = job.request
  const live = ladder.runId === job.run_id ? ladder : null
  const climbOf = (id: string): Climb | undefined => live?.climbs[id]
  const datasetId = ids.findLast((id) => climbOf(id) !== undefined) ?? job.progress?.dataset_id ?? null
  const climb = datasetId === null ? undefined : climbOf(datasetId)
  const counts = ids.map((id) => cellsOfClimb(climbOf(id), live?.cells[id] ?? 0))
  const sum = (of: keyof CellCounts): number =>
    Math.max(
      job.cells?.[of] ?? 0,
      counts.reduce((all, each) => all + each[of], 0),
    )
  const done = sum('done')
  const cells: CellCounts = { total: Math.max(sum('total'), done), done, failed: sum('failed') }
  const step = LADDER_STEPS.find((each) => climb?.steps[each]?.state === 'running') ?? job.progress?.step ?? null
  const rate = ids.map((id) => climbOf(id)).findLast((each) => each !== undefined && throughput(each) !== null)
  const perSecond = (rate === undefined ? null : throughput(rate)) ?? job.progress?.cells_per_second ?? null
  // Cells of a dataset whose step failed will not be made now.
  const given = ids.map((id, index) => (hasFailed(climbOf(id)) ? counts[index]!.total - counts[index]!.done : 0))
  const open = given.reduce((total, each) => total - each, cells.total)
  return {
    ...cells,
    datasetId,
    datasetNumber: datasetId === null ? null : ids.indexOf(datasetId) + 1,
    datasetCount: ids.length,
    step,
    cellsPerSecond: step === 'cells' ? perSecond : null,
    leftMs: leftMsOf({ ...cells, total: open }, perSecond),
  }
}

const hasFailed = (climb: Climb | undefined): boolean =>
  climb !== undefined && Object.values(climb.steps).some(({ state }) => state === 'failed')
