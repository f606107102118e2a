import type { ControlEvent } from '../../contract/control/events.ts'
import type { DatasetProgress, RunJob } from '../../contract/control/run-job.ts'
import { missingWords } from '../../core/evidence/missing-columns.ts'
import { cellsOf, foldRun, isUnderWay } from '../../core/evidence/run-fold.ts'

/** Describes what the shell knows of the run under way, from events alone. */
interface RunWatch {
  job: RunJob | null
  /** Empty until its beginning is seen. */
  datasets: DatasetProgress[]
}

/** A run that is over, in words for a notification. */
export interface RunEnd {
  runId: string
  isGood: boolean
  title: string
  body: string
}

export const NO_RUN: RunWatch = { job: null, datasets: [] }

/** Returns true when cells are being made: then closing and quitting need a thought. */
export const isWorking = ({ job }: RunWatch): boolean => job !== null && isUnderWay(job.state)

/** Part of the run that is done, in 0..1; null when none is under way. */
export function ratioOf(watch: RunWatch): number | null {
  if (!isWorking(watch)) return null
  const cells = cellsOf(watch.datasets) ?? watch.job!.cells
  return cells === null || cells.total === 0 ? 0 : Math.min(1, cells.done / cells.total)
}

function endOf(job: RunJob): RunEnd | null {
  const { run_id: runId, state, failures, missing = [] } = job
  if (state === 'completed' && missing.length > 0)
    return {
      runId,
      isGood: false,
      title: 'The run is complete, but not whole',
      body: `${runId}: ${missingWords(missing)}`,
    }
  if (state === 'completed')
    return { runId, isGood: true, title: 'The run is complete', body: `${runId}: open the matrix to compare.` }
  if (state !== 'failed') return null
  return {
    runId,
    isGood: false,
    title: 'The run failed',
    body: `${runId}: ${failures[0]?.message ?? 'see the ladder'}`,
  }
}

/** The next state after an event that happened `at` an ISO time, and how the run ended when this event reports that. */
export function watchRun(watch: RunWatch, event: ControlEvent, at: string): { watch: RunWatch; end: RunEnd | null } {
  const stay = { watch, end: null }
  switch (event.type) {
    case 'run.changed': {
      const { job } = event
      const isSame = watch.job?.run_id === job.run_id
      if (job.state === 'queued' || (!isSame && !isUnderWay(job.state))) return stay
      const wasUnderWay = isSame && isWorking(watch)
      const next = isSame && wasUnderWay ? { ...watch, job } : { ...NO_RUN, job }
      return { watch: next, end: wasUnderWay && !isWorking(next) ? endOf(job) : null }
    }
    case 'run.started':
      return { watch: { ...watch, datasets: foldRun([], event, at) }, end: null }
    case 'plan.ready':
    case 'cell.finished':
      if (watch.datasets.length === 0) return stay
      return { watch: { ...watch, datasets: foldRun(watch.datasets, event, at) }, end: null }
    case 'stream.gap':
      // The count belonged to another engine, or events are missing.
      return { watch: { ...NO_RUN, job: event.reason === 'other_engine' ? null : watch.job }, end: null }
    default:
      return stay
  }
}
