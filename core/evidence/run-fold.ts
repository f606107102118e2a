// The state of a run as its events add up. The engine folds them for its journal and sends the result; terminal, desktop shell and pages fold the
// same events by the same function.
import type { ControlEvent } from '../../contract/control/events.ts'
import type {
  ApproachProgress,
  CellCounts,
  DatasetProgress,
  PhaseState,
  RunProgress,
  RunState,
  RunStep,
} from '../../contract/control/run-job.ts'
import type { MissingColumn } from '../../contract/evidence/missing-column.ts'
import { LADDER_STEPS, type LadderStep } from '../../contract/evidence/run-event.ts'
import { allMissing } from './missing-columns.ts'

const MAX_NOTE_CHARS = 4000
const LAST_LATENCIES = 60
const LAST_FINISHES = 120

/** Returns true when the runner may be working on the run, so that nothing else may touch its files. */
export const isUnderWay = (state: RunState): boolean =>
  state === 'running' || state === 'pausing' || state === 'cancelling'

/** Returns true when the run is under way or waits in the queue. */
export const isUnderWayOrQueued = (state: RunState): boolean => state === 'queued' || isUnderWay(state)

const nothingOf = (dataset_id: string, total: number): DatasetProgress => ({
  dataset_id,
  cells: { total, done: 0, failed: 0, reused: 0 },
  steps: [],
  phases: [],
  unavailable: [],
  approaches: [],
  finished_at: [],
  judge: null,
})

export const stepOf = ({ steps }: DatasetProgress, name: LadderStep): RunStep | undefined =>
  steps.find(({ step }) => step === name)

export const isRunning = (dataset: DatasetProgress, name: LadderStep): boolean =>
  stepOf(dataset, name)?.state === 'running'

export const hasFailed = ({ steps }: DatasetProgress): boolean => steps.some(({ state }) => state === 'failed')

/** The list with this entry in the place of the one with the same name, or at its end. */
function put<Entry>(list: readonly Entry[], entry: Entry, nameOf: (each: Entry) => string): Entry[] {
  const isKnown = list.some((each) => nameOf(each) === nameOf(entry))
  return isKnown ? list.map((each) => (nameOf(each) === nameOf(entry) ? entry : each)) : [...list, entry]
}

function withStep(dataset: DatasetProgress, name: LadderStep, change: Partial<RunStep> & Pick<RunStep, 'state'>) {
  const started_at = stepOf(dataset, name)?.started_at ?? null
  const changed: RunStep = { step: name, started_at, duration_ms: null, code: null, note: null, ...change }
  const note = changed.note?.slice(0, MAX_NOTE_CHARS) ?? null
  return { ...dataset, steps: put(dataset.steps, { ...changed, note }, ({ step }) => step) }
}

function withCell(dataset: DatasetProgress, event: Extract<ControlEvent, { type: 'cell.finished' }>, at: string) {
  const { cells, approaches } = dataset
  const isOk = event.status === 'ok'
  const done = cells.done + 1
  const before = approaches.find(({ alias }) => alias === event.model)
  const latencies = before?.latencies_ms ?? []
  const approach: ApproachProgress = {
    alias: event.model,
    ok: (before?.ok ?? 0) + (isOk ? 1 : 0),
    failed: (before?.failed ?? 0) + (isOk ? 0 : 1),
    latencies_ms: isOk ? [...latencies.slice(1 - LAST_LATENCIES), event.latency_ms] : latencies,
  }
  return {
    ...dataset,
    cells: {
      total: Math.max(cells.total, done),
      done,
      failed: cells.failed + (isOk ? 0 : 1),
      reused: cells.reused + (event.reused ? 1 : 0),
    },
    approaches: put(approaches, approach, ({ alias }) => alias),
    finished_at: [...dataset.finished_at.slice(1 - LAST_FINISHES), Date.parse(at)],
  }
}

function nextDataset(dataset: DatasetProgress, event: ControlEvent, at: string): DatasetProgress {
  switch (event.type) {
    case 'step.started':
      return withStep(dataset, event.step, { state: 'running', started_at: at })
    case 'step.finished': {
      const { step, duration_ms, note, missing } = event
      return withStep(dataset, step, {
        state: 'done',
        duration_ms,
        note,
        ...(missing === undefined ? {} : { missing }),
      })
    }
    case 'step.skipped':
      return withStep(dataset, event.step, { state: 'skipped', started_at: null, note: event.reason })
    case 'step.failed': {
      const started = stepOf(dataset, event.step)?.started_at ?? at
      const duration_ms = Date.parse(at) - Date.parse(started)
      return withStep(dataset, event.step, { state: 'failed', duration_ms, note: event.message, code: event.code })
    }
    case 'ingestion.progressed': {
      const { phase, status, counts, progress } = event
      const state: PhaseState = { phase, status, counts, ...(progress === undefined ? {} : { progress }) }
      return { ...dataset, phases: put(dataset.phases, state, (each) => each.phase) }
    }
    case 'plan.ready': {
      const { total, reuse, unavailable } = event.plan
      return { ...dataset, unavailable, cells: { total, done: reuse, failed: 0, reused: reuse } }
    }
    case 'cell.finished':
      return withCell(dataset, event, at)
    case 'judge.progressed': {
      const { judge: name, done, total, failed } = event
      return { ...dataset, judge: { name, done, total, failed } }
    }
    default:
      return dataset
  }
}

/** Datasets of a run after one more event, which happened `at` an ISO time; the same array when the event changes none. `run.started` empties them. */
export function foldRun(datasets: readonly DatasetProgress[], event: ControlEvent, at: string): DatasetProgress[] {
  if (event.type === 'run.started') return event.dataset_ids.map((id) => nothingOf(id, event.cells?.[id] ?? 0))
  const id = event.type === 'plan.ready' ? event.plan.dataset_id : 'dataset_id' in event ? event.dataset_id : null
  if (id === null) return datasets as DatasetProgress[]
  // A worker or a command that makes cells alone reports no beginning.
  const known = datasets.find(({ dataset_id }) => dataset_id === id) ?? nothingOf(id, 0)
  const next = nextDataset(known, event, at)
  return next === known ? (datasets as DatasetProgress[]) : put(datasets, next, ({ dataset_id }) => dataset_id)
}

/** Graded metrics and judges that these datasets lack. */
export const missingIn = (datasets: readonly DatasetProgress[]): MissingColumn[] =>
  allMissing(datasets.flatMap(({ steps }) => steps.map(({ missing = [] }) => missing)))

/** Returns the last dataset that has begun. */
export const currentDataset = (datasets: readonly DatasetProgress[]): DatasetProgress | undefined =>
  datasets.findLast(({ steps }) => steps.length > 0)

/** Cells over all datasets; null before any is known. */
export function cellsOf(datasets: readonly DatasetProgress[]): CellCounts | null {
  if (datasets.length === 0) return null
  const sum = (of: keyof CellCounts): number => datasets.reduce((all, { cells }) => all + cells[of], 0)
  return { total: sum('total'), done: sum('done'), failed: sum('failed') }
}

/** Cells per second over the last finished ones; null before the second. */
export function throughput({ finished_at: times }: DatasetProgress): number | null {
  const first = times[0]
  const last = times.at(-1)
  if (first === undefined || last === undefined || last <= first) return null
  return ((times.length - 1) / (last - first)) * 1000
}

/** Time in milliseconds that the cells left will take; null where it is unknown, and when none is left. */
export function leftMsOf({ total, done }: Pick<CellCounts, 'total' | 'done'>, perSecond: number | null): number | null {
  return total <= done || perSecond === null || perSecond <= 0 ? null : ((total - done) / perSecond) * 1000
}

/** Describes how far the run has come. Cells of a dataset whose step failed will not be made now, so that they count as no time. */
export function runProgress(datasets: readonly DatasetProgress[]): RunProgress {
  const cells = cellsOf(datasets) ?? { total: 0, done: 0, failed: 0 }
  const current = currentDataset(datasets)
  const step = current === undefined ? undefined : LADDER_STEPS.find((each) => isRunning(current, each))
  const rate = datasets.map(throughput).findLast((each) => each !== null) ?? null
  const givenUp = datasets.filter(hasFailed).reduce((sum, { cells: { total, done } }) => sum + total - done, 0)
  return {
    ...cells,
    dataset_id: current?.dataset_id ?? null,
    dataset_number: current === undefined ? null : datasets.indexOf(current) + 1,
    step: step ?? null,
    cells_per_second: step === 'cells' ? rate : null,
    left_ms: leftMsOf({ total: cells.total - givenUp, done: cells.done }, rate),
    judge: current?.judge ?? null,
  }
}
