import { useQuery } from '@tanstack/react-query'
import type { RunJob, RunProgress } from '../../contract/control/run-job.ts'
import { useBlind } from '../stores/sight.ts'
import { api } from './client.ts'
import { useLadder } from './events.ts'
import { progressOf } from './ladder-state.ts'

const STATUS_EVERY_MS = 5000

/** The run that is under way, else the newest paused one; null when there is none, and while a person votes blindly: its request names approaches. */
export function useActiveRun(): RunJob | null {
  const blind = useBlind()
  const { data } = useQuery({
    ...api.system.status.queryOptions(),
    enabled: !blind,
    // Events carry the counts; a page that opened too late to get all of them is corrected by this.
    refetchInterval: ({ state }) => ((state.data?.active ?? null) === null ? false : STATUS_EVERY_MS),
  })
  const jobs = useQuery({ ...api.runs.jobs.queryOptions(), enabled: !blind }).data
  if (blind) return null
  return data?.active ?? jobs?.find(({ state }) => state === 'paused') ?? null
}

/** Progress of a run as of now; null for no run. */
export function useProgress(job: RunJob | null): RunProgress | null {
  const ladder = useLadder()
  return job === null ? null : progressOf(job, ladder)
}
