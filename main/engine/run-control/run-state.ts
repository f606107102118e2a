// The state of a run as a table of states and commands, and the steps of its datasets as they follow from its events. Both are pure.
import type { CellCounts, DatasetSteps, RunState, RunStep } from '../../../contract/control/run-job.ts'
import type { RunEvent } from '../../../contract/index.ts'

/** What can happen to a run: a request of the user or an event in the engine. */
export type RunCommand = 'begin' | 'pause' | 'cancel' | 'resume' | 'dismiss' | 'engine_gone' | RunEnd

/** How the runner ended; stopped: before all cells were done. */
export type RunEnd = 'completed' | 'failed' | 'stopped'

const NEXT: Readonly<Record<RunState, Partial<Record<RunCommand, RunState>>>> = {
  queued: { begin: 'running', pause: 'paused', cancel: 'cancelled', engine_gone: 'interrupted', failed: 'failed' },
  running: {
    pause: 'pausing',
    cancel: 'cancelling',
    completed: 'completed',
    failed: 'failed',
    // Stopped without a request: the engine itself is ending.
    stopped: 'interrupted',
    engine_gone: 'interrupted',
  },
  pausing: {
    cancel: 'cancelling',
    completed: 'completed',
    failed: 'failed',
    stopped: 'paused',
    engine_gone: 'interrupted',
  },
  cancelling: { completed: 'completed', failed: 'cancelled', stopped: 'cancelled', engine_gone: 'interrupted' },
  paused: { resume: 'queued', cancel: 'cancelled' },
  cancelled: { resume: 'queued' },
  failed: { resume: 'queued' },
  interrupted: { resume: 'queued', dismiss: 'cancelled', cancel: 'cancelled' },
  completed: {},
}

/** The state after a command; null when the run's state does not allow it. */
export function nextRunState(state: RunState, command: RunCommand): RunState | null {
  return NEXT[state][command] ?? null
}

/** Whether the runner may be working on it, so that nothing else may touch its files. */
export const isUnderWay = (state: RunState): boolean =>
  state === 'running' || state === 'pausing' || state === 'cancelling'

export const isResumable = (state: RunState): boolean => NEXT[state].resume === 'queued'

const MAX_NOTE_CHARS = 4000

const emptySteps = (datasetId: string, total: number): DatasetSteps => ({
  dataset_id: datasetId,
  cells: { total, done: 0, failed: 0, reused: 0 },
  steps: [],
})

function withStep(
  dataset: DatasetSteps,
  name: RunStep['step'],
  change: Partial<RunStep> & Pick<RunStep, 'state'>,
): DatasetSteps {
  const known = dataset.steps.find(({ step }) => step === name)
  const note = change.note?.slice(0, MAX_NOTE_CHARS) ?? null
  const changed: RunStep = {
    step: name,
    started_at: known?.started_at ?? null,
    duration_ms: null,
    code: null,
    ...change,
    note,
  }
  return { ...dataset, steps: [...dataset.steps.filter(({ step }) => step !== name), changed] }
}

function nextSteps(dataset: DatasetSteps, event: RunEvent, at: string): DatasetSteps {
  switch (event.type) {
    case 'step.started':
      return withStep(dataset, event.step, { state: 'running', started_at: at })
    case 'step.finished':
      return withStep(dataset, event.step, { state: 'done', duration_ms: event.duration_ms, note: event.note })
    case 'step.skipped':
      return withStep(dataset, event.step, { state: 'skipped', started_at: null, note: event.reason })
    case 'step.failed':
      return withStep(dataset, event.step, { state: 'failed', note: event.message, code: event.code })
    case 'plan.ready': {
      const { total, reuse } = event.plan
      return { ...dataset, cells: { total, done: reuse, failed: 0, reused: reuse } }
    }
    case 'cell.finished': {
      const { total, done, failed, reused } = dataset.cells
      return {
        ...dataset,
        cells: {
          total: Math.max(total, done + 1),
          done: done + 1,
          failed: failed + (event.status === 'ok' ? 0 : 1),
          reused: reused + (event.reused ? 1 : 0),
        },
      }
    }
    default:
      return dataset
  }
}

/** The steps of the datasets after one more event; the same array when the event changes none. */
export function withEvent(datasets: readonly DatasetSteps[], event: RunEvent, at: string): DatasetSteps[] {
  if (event.type === 'run.started') return event.dataset_ids.map((id) => emptySteps(id, event.cells?.[id] ?? 0))
  const id = event.type === 'plan.ready' ? event.plan.dataset_id : 'dataset_id' in event ? event.dataset_id : null
  const known = datasets.find(({ dataset_id }) => dataset_id === id)
  if (known === undefined) return datasets as DatasetSteps[]
  const next = nextSteps(known, event, at)
  if (next === known) return datasets as DatasetSteps[]
  return datasets.map((dataset) => (dataset === known ? next : dataset))
}

/** Cells over all datasets; null before any is known. */
export function cellsOf(datasets: readonly DatasetSteps[]): CellCounts | null {
  if (datasets.length === 0) return null
  const sum = (of: keyof CellCounts): number => datasets.reduce((all, { cells }) => all + cells[of], 0)
  return { total: sum('total'), done: sum('done'), failed: sum('failed') }
}
