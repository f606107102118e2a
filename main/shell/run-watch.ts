import type { ControlEvent } from '../../contract/control/events.ts'
import type { RunJob } from '../../contract/control/run-job.ts'

/** What the shell knows of the run under way, from events alone. */
interface RunWatch {
  job: RunJob | null
  /** Datasets whose cells are done. */
  finished: number
  total: number
  done: number
}

/** A run that is over, in words for a notification. */
export interface RunEnd {
  runId: string
  isGood: boolean
  title: string
  body: string
}

export const NO_RUN: RunWatch = { job: null, finished: 0, total: 0, done: 0 }

const UNDER_WAY: readonly RunJob['state'][] = ['running', 'pausing', 'cancelling']

/** Whether cells are being made: then closing and quitting need a thought. */
export const isUnderWay = ({ job }: RunWatch): boolean => job !== null && UNDER_WAY.includes(job.state)

/** Part of the run that is done, in 0..1; null when none is under way. */
export function ratioOf(watch: RunWatch): number | null {
  if (!isUnderWay(watch) || watch.job === null) return null
  const now = watch.total === 0 ? 0 : Math.min(1, watch.done / watch.total)
  return Math.min(1, (watch.finished + now) / watch.job.request.dataset_ids.length)
}

function endOf(job: RunJob): RunEnd | null {
  const { run_id: runId, state, failures } = job
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

/** The next state after an event, and how the run ended when this event reports that. */
export function watchRun(watch: RunWatch, event: ControlEvent): { watch: RunWatch; end: RunEnd | null } {
  const stay = { watch, end: null }
  switch (event.type) {
    case 'run.changed': {
      const { job } = event
      const isSame = watch.job?.run_id === job.run_id
      if (job.state === 'queued' || (!isSame && !UNDER_WAY.includes(job.state))) return stay
      const wasUnderWay = isSame && isUnderWay(watch)
      const next = isSame && wasUnderWay ? { ...watch, job } : { ...NO_RUN, job }
      return { watch: next, end: wasUnderWay && !isUnderWay(next) ? endOf(job) : null }
    }
    case 'plan.ready':
      return { watch: { ...watch, total: event.plan.total, done: event.plan.reuse }, end: null }
    case 'cell.finished':
      return { watch: { ...watch, done: watch.done + 1 }, end: null }
    case 'step.finished':
      if (event.step !== 'cells') return stay
      return { watch: { ...watch, finished: watch.finished + 1, total: 0, done: 0 }, end: null }
    case 'stream.gap':
      // What was counted belonged to another engine, or events are missing.
      return { watch: { ...NO_RUN, job: event.reason === 'other_engine' ? null : watch.job }, end: null }
    default:
      return stay
  }
}
