import type { RunJob } from '../../../contract/control/run-job.ts'
import type { LadderStep } from '../../../contract/evidence/run-event.ts'

/** What can be done about a failed step. resume goes on where the run stopped; retry makes failed cells again in a new run. */
export type Mend = 'resume' | 'retry' | 'providers' | 'settings' | 'relaunch'

const PLACES: Partial<Record<LadderStep, Mend>> = {
  start: 'providers',
  ingest: 'providers',
  contextualize: 'providers',
  cells: 'providers',
  evaluate: 'settings',
  judge: 'settings',
}

/**
 * What mends a failed step, likeliest first. `hasFailedCells`: some cells of this run failed. `resumable`: the engine takes the run on.
 */
export function mendsOf(
  { step, code }: { step: LadderStep; code: string },
  { hasFailedCells, resumable }: { hasFailedCells: boolean; resumable: boolean },
): Mend[] {
  // Rows that were made under other conditions stay as they are: only another name helps.
  if (code === 'run_conflict' || code.includes('conflict') || code.includes('drift')) return ['relaunch']
  const place = PLACES[step]
  return [
    ...(hasFailedCells && (code === 'cells_failed' || step === 'check_cells') ? (['retry'] as const) : []),
    ...(resumable ? (['resume'] as const) : (['relaunch'] as const)),
    ...(place === undefined ? [] : [place]),
  ]
}

/** The choices of a run as the launch page reads them from its address; without the name, which is taken. */
export const relaunchSearch = ({ request }: RunJob): { datasets: string[]; models: string[] } => ({
  datasets: request.dataset_ids,
  models: request.models,
})
