import { useQuery } from '@tanstack/react-query'
import type { RunJob } from '../../contract/control/run-job.ts'
import { useBlind } from '../stores/sight.ts'
import { LADDER_STEPS, type LadderStep } from '../../contract/evidence/run-event.ts'
import { api } from './client.ts'
import { useLadder } from './events.ts'
import { throughput } from './ladder-state.ts'

/** Where the active run stands, in cells of its current dataset. */
export interface Progress {
  datasetId: string | null
  step: LadderStep | null
  total: number
  done: number
  failed: number
  cellsPerSecond: number | null
  leftMs: number | null
}

/** The run that is under way or paused; null when there is none, and while somebody votes blindly: its request names approaches. */
export function useActiveRun(): RunJob | null {
  const blind = useBlind()
  const { data } = useQuery({ ...api.system.status.queryOptions(), enabled: !blind })
  return blind ? null : (data?.active ?? null)
}

/** The engine's own figures, or those of the events where they are further on. */
export function useProgress(job: RunJob | null): Progress | null {
  const ladder = useLadder()
  if (job === null) return null
  const told = job.progress
  const datasetId = told?.dataset_id ?? ladder.datasetIds.findLast((id) => ladder.climbs[id] !== undefined) ?? null
  const climb = ladder.runId === job.run_id && datasetId !== null ? ladder.climbs[datasetId] : undefined
  const step = LADDER_STEPS.find((each) => climb?.steps[each]?.state === 'running') ?? told?.step ?? null
  const total = told?.total ?? climb?.plan?.total ?? 0
  const heard = climb === undefined ? 0 : climb.finished + (climb.plan?.reuse ?? 0)
  const done = Math.min(Math.max(told?.done ?? 0, heard), Math.max(total, heard))
  const cellsPerSecond = told?.cells_per_second ?? (climb === undefined ? null : throughput(climb))
  const leftMs = cellsPerSecond === null || cellsPerSecond === 0 ? null : ((total - done) / cellsPerSecond) * 1000
  return {
    datasetId,
    step,
    total,
    done,
    failed: Math.max(told?.failed ?? 0, climb?.failed ?? 0),
    cellsPerSecond,
    leftMs,
  }
}
