import type { DatasetProgress, RunFailure, RunJob } from '../../../contract/control/run-job.ts'
import type { LadderStep } from '../../../contract/evidence/run-event.ts'
import type { LaunchSearch } from '../../app/search-params.ts'

/** Describes what can be done about a failure. resume goes on where the run stopped. */
export type Repair = 'recover' | 'resume' | 'providers' | 'settings' | 'models' | 'relaunch'

const PLACES: Partial<Record<LadderStep, Repair>> = {
  start: 'providers',
  ingest: 'providers',
  contextualize: 'providers',
  cells: 'providers',
  evaluate: 'settings',
  judge: 'settings',
}

/** Stored rows that stay as they are and forbid to go on: only another run name helps. */
const NEEDS_NEW_RUN: ReadonlySet<string> = new Set(['other_identity', 'malformed_line', 'duplicate_row', 'foreign_run'])

/** Approaches were left out, because a model could not write what they read. */
export const needsOtherModel = ({ code }: { code: string }): boolean =>
  code === 'graph_missing' || code === 'contexts_missing'

const needsNewRun = (code: string): boolean => NEEDS_NEW_RUN.has(code) || code.includes('conflict')

/** Returns what repairs a failed step, likeliest first. `resumable`: the engine takes the run on. Failed answers have a button of their own above the steps. */
export function repairsOf({ step, code }: { step: LadderStep | null; code: string }, resumable: boolean): Repair[] {
  if (needsNewRun(code)) return ['relaunch']
  if (code === 'torn_tail') return ['recover', 'relaunch']
  // Resuming tries again what failed. Another model makes other conditions: the rows of this run stay as they are.
  if (needsOtherModel({ code })) return [...(resumable ? (['resume'] as const) : []), 'models', 'relaunch']
  // The same settings fail in the same way: they come first.
  if (code === 'service_misconfigured')
    return resumable ? ['settings', 'resume', 'providers'] : ['settings', 'relaunch']
  // To resume alone would leave them failed.
  if (code === 'cells_failed') return []
  const place = step === null ? undefined : PLACES[step]
  return [...(resumable ? (['resume'] as const) : (['relaunch'] as const)), ...(place === undefined ? [] : [place])]
}

/** Failures that belong to no step of the run, so that no step shows how to repair them. */
export const failuresWithoutStep = ({ failures }: Pick<RunJob, 'failures'>): RunFailure[] =>
  failures.filter(({ dataset_id: dataset, step }) => dataset === null || step === null)

/** Returns true when going on with the run can work: not when its stored rows forbid it. */
export const isResumeUseful = ({ failures }: Pick<RunJob, 'failures'>): boolean =>
  !failures.some(({ code }) => needsNewRun(code) || code === 'torn_tail')

/** Returns true when a run that has stopped goes on by its button *Resume run*; after a failure its steps have that button. */
export const canResume = (job: Pick<RunJob, 'resumable' | 'state' | 'failures'>): boolean =>
  job.resumable && job.state !== 'failed' && isResumeUseful(job)

/** Failures after which a run is summed up all the same: what it has is its result. */
const WITH_RESULT: ReadonlySet<string> = new Set(['graph_missing', 'contexts_missing', 'cells_failed'])

/** Returns true when a run that has ended has cells that are summed up. */
export const hasResult = ({ state, cells, failures }: Pick<RunJob, 'state' | 'cells' | 'failures'>): boolean =>
  (cells?.done ?? 0) > 0 &&
  (state === 'completed' ||
    (state === 'failed' && failures.length > 0 && failures.every(({ code }) => WITH_RESULT.has(code))))

/** The approaches that a run left out, of all its datasets. */
export const missingApproaches = (datasets: readonly Pick<DatasetProgress, 'unavailable'>[]): string[] => [
  ...new Set(datasets.flatMap(({ unavailable }) => unavailable.map(({ model }) => model))),
]

/** A new run of the approaches that this one left out. */
export const missingSearch = (job: RunJob, models: readonly string[]): LaunchSearch => ({
  ...relaunchSearch(job),
  models: [...models],
})

/** The choices of a run as the launch page reads them from its address; without the name, which is taken. */
export const relaunchSearch = ({ request }: RunJob): { datasets: string[]; models: string[] } => ({
  datasets: request.dataset_ids,
  models: request.models,
})
