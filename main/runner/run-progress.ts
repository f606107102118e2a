import type { PhaseProgress, RunEvent } from '../../contract/index.ts'

/** What the events so far add up to for the dataset at hand. */
export interface RunProgress {
  datasetId: string | null
  total: number
  done: number
  failed: number
  reused: number
  startedAt: number | null
  latencyMs: Map<string, { count: number; sum: number }>
  /** The phase of an ingestion that is under way, and how far it has come; null when none is, or when the platform does not report it. */
  ingestion: { phase: string; progress: PhaseProgress } | null
  /** Verdicts of the judge panel; null before it is asked. */
  judge: { name: string; done: number; total: number; failed: number } | null
}

export const initialProgress = (): RunProgress => ({
  datasetId: null,
  total: 0,
  done: 0,
  failed: 0,
  reused: 0,
  startedAt: null,
  latencyMs: new Map(),
  ingestion: null,
  judge: null,
})

/** Folds one event in; changes `progress` in place, because a run may have tens of thousands of cells. */
export function track(progress: RunProgress, event: RunEvent, now: number): void {
  if (event.type === 'plan.ready') {
    const { plan } = event
    Object.assign(progress, initialProgress(), {
      datasetId: plan.dataset_id,
      total: plan.total,
      done: plan.reuse,
      reused: plan.reuse,
      startedAt: now,
    })
  } else if (event.type === 'step.failed' || event.type === 'run.finished') {
    // What was left of it is not under way any more.
    Object.assign(progress, initialProgress())
  } else if (event.type === 'ingestion.progressed') {
    const { phase, status, progress: of } = event
    if (status === 'running') progress.ingestion = of === undefined ? null : { phase, progress: of }
    else if (progress.ingestion?.phase === phase) progress.ingestion = null
  } else if (event.type === 'judge.progressed') {
    const { judge: name, done, total, failed } = event
    progress.judge = { name, done, total, failed }
  } else if (event.type === 'cell.finished') {
    progress.done += 1
    if (event.reused) progress.reused += 1
    if (event.status !== 'ok') progress.failed += 1
    const entry = progress.latencyMs.get(event.model) ?? { count: 0, sum: 0 }
    entry.count += 1
    entry.sum += event.latency_ms
    progress.latencyMs.set(event.model, entry)
  }
}

/** Cells per second since the plan, and milliseconds that the rest will take at this pace; null before the first cell. */
export function pace(progress: RunProgress, now: number): { perSecond: number; leftMs: number } | null {
  const made = progress.done - progress.reused
  if (progress.startedAt === null || made === 0) return null
  const perSecond = made / Math.max(0.001, (now - progress.startedAt) / 1000)
  return { perSecond, leftMs: ((progress.total - progress.done) / perSecond) * 1000 }
}
