import type { RunJob } from '../../../contract/control/run-job.ts'

export const TOUR_STEPS = ['purpose', 'run', 'read', 'ask'] as const
export type TourStep = (typeof TOUR_STEPS)[number]

/** The step before or after; null at an end. */
export const stepBeside = (step: TourStep, by: -1 | 1): TourStep | null =>
  TOUR_STEPS[TOUR_STEPS.indexOf(step) + by] ?? null

/** The run of the tour: the one that it started, else the newest completed one of the dataset, whose documents are ingested. `jobs` are newest first. */
export function tourJob(
  jobs: readonly RunJob[],
  { started, dataset }: { started: string | null; dataset: string | undefined },
): RunJob | undefined {
  const own = jobs.find(({ run_id: run }) => run === started)
  if (own !== undefined) return own
  return jobs.find(
    ({ state, request: { dataset_ids: ids } }) =>
      state === 'completed' && dataset !== undefined && ids.includes(dataset),
  )
}

/** True when the documents of the tour are ingested, so that its last steps have something to show. */
export const isIngested = (job: RunJob | undefined): boolean => job?.state === 'completed'
