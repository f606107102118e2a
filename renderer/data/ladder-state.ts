import type { SequencedEvent } from '../../contract/control/events.ts'
import type { DatasetSteps, RunJob, RunSteps } from '../../contract/control/run-job.ts'
import type { LadderStep, RunPlan } from '../../contract/evidence/run-event.ts'
import { STEP_NAMES } from '../../contract/evidence/step-names.ts'
import type { PhaseProgress } from '../../contract/http/ingestion.ts'

export interface StepState {
  state: 'running' | 'done' | 'skipped' | 'failed'
  /** Milliseconds since 1970. */
  startedAt: number
  durationMs: number | null
  note: string | null
  /** Of a failed step. */
  code: string | null
}

export interface PhaseState {
  status: string
  counts: Record<string, number>
  progress?: PhaseProgress
}

/** Cells of one alias as they finished; the last 60 latencies. */
export interface AliasProgress {
  ok: number
  failed: number
  latenciesMs: number[]
}

/** One dataset's way up the ladder. */
export interface Climb {
  steps: Partial<Record<LadderStep, StepState>>
  phases: Record<string, PhaseState>
  plan: RunPlan | null
  finished: number
  failed: number
  aliases: Record<string, AliasProgress>
  /** When the last 120 cells finished: milliseconds since 1970. */
  finishedAt: number[]
  judge: { name: string; done: number; total: number; failed: number } | null
}

export interface LogLine {
  seq: number
  at: string
  level: 'info' | 'warning' | 'error'
  text: string
}

/** What the events have reported of the newest run. */
export interface LadderState {
  runId: string | null
  datasetIds: string[]
  models: string[]
  /** Selected cells of each dataset. */
  cells: Record<string, number>
  climbs: Record<string, Climb>
  /** Null while it goes; the duration is not known of a run that its engine died under. */
  outcome: { outcome: string; durationMs: number | null } | null
  log: LogLine[]
}

/** Before any event. */
export const EMPTY_LADDER: LadderState = {
  runId: null,
  datasetIds: [],
  models: [],
  cells: {},
  climbs: {},
  outcome: null,
  log: [],
}

const EMPTY_CLIMB: Climb = {
  steps: {},
  phases: {},
  plan: null,
  finished: 0,
  failed: 0,
  aliases: {},
  finishedAt: [],
  judge: null,
}

const LOG_LINES = 200

function describe({ event }: SequencedEvent): { level: LogLine['level']; text: string } | null {
  switch (event.type) {
    case 'step.started':
      return { level: 'info', text: `${event.dataset_id}: ${STEP_NAMES[event.step]} started` }
    case 'step.finished':
      return {
        level: 'info',
        text: `${event.dataset_id}: ${STEP_NAMES[event.step]} done${event.note === null ? '' : `, ${event.note}`}`,
      }
    case 'step.skipped':
      return { level: 'info', text: `${event.dataset_id}: ${STEP_NAMES[event.step]} skipped (${event.reason})` }
    case 'step.failed':
      return { level: 'error', text: `${event.dataset_id}: ${STEP_NAMES[event.step]} failed: ${event.message}` }
    case 'cell.finished':
      return event.status === 'ok'
        ? null
        : {
            level: 'warning',
            text: `${event.question_id} × ${event.model}: ${(event.error_type ?? event.status).replaceAll('_', ' ')}`,
          }
    case 'cell.explained':
      return { level: 'info', text: `${event.question_id} × ${event.model} ${event.action}: ${event.reason}` }
    case 'artifact.written':
      return { level: 'info', text: `${event.dataset_id}: wrote ${event.file}` }
    case 'notice':
      return { level: event.level, text: event.message }
    case 'run.finished':
      return {
        level: event.outcome === 'completed' ? 'info' : 'warning',
        // Paused or cancelled, or the engine ended: the state of the run shows which.
        text: `run ${event.run_id}: ${event.outcome === 'interrupted' ? 'stopped before its end' : event.outcome}`,
      }
    default:
      return null
  }
}

function nextClimb(climb: Climb, { at, event }: SequencedEvent): Climb {
  const now = Date.parse(at)
  switch (event.type) {
    case 'step.started':
      return {
        ...climb,
        steps: {
          ...climb.steps,
          [event.step]: { state: 'running', startedAt: now, durationMs: null, note: null, code: null },
        },
      }
    case 'step.finished':
    case 'step.skipped':
    case 'step.failed': {
      const state = ({ 'step.finished': 'done', 'step.skipped': 'skipped', 'step.failed': 'failed' } as const)[
        event.type
      ]
      const note =
        event.type === 'step.finished' ? event.note : event.type === 'step.skipped' ? event.reason : event.message
      const code = event.type === 'step.failed' ? event.code : null
      const startedAt = climb.steps[event.step]?.startedAt ?? now
      const durationMs =
        event.type === 'step.finished' ? event.duration_ms : event.type === 'step.failed' ? now - startedAt : null
      return { ...climb, steps: { ...climb.steps, [event.step]: { state, startedAt, durationMs, note, code } } }
    }
    case 'ingestion.progressed': {
      const { phase, status, counts, progress } = event
      const state: PhaseState = { status, counts, ...(progress === undefined ? {} : { progress }) }
      return { ...climb, phases: { ...climb.phases, [phase]: state } }
    }
    case 'plan.ready':
      return { ...climb, plan: event.plan }
    case 'judge.progressed':
      return { ...climb, judge: { name: event.judge, done: event.done, total: event.total, failed: event.failed } }
    case 'cell.finished': {
      const before = climb.aliases[event.model] ?? { ok: 0, failed: 0, latenciesMs: [] }
      const ok = event.status === 'ok'
      const alias: AliasProgress = {
        ok: before.ok + (ok ? 1 : 0),
        failed: before.failed + (ok ? 0 : 1),
        latenciesMs: ok ? [...before.latenciesMs.slice(-59), event.latency_ms] : before.latenciesMs,
      }
      return {
        ...climb,
        finished: climb.finished + 1,
        failed: climb.failed + (ok ? 0 : 1),
        finishedAt: [...climb.finishedAt.slice(-119), now],
        aliases: { ...climb.aliases, [event.model]: alias },
      }
    }
    default:
      return climb
  }
}

/** Where the run's own first event is no longer kept, its job holds what was requested. An engine that died leaves its run interrupted. */
function beginning(state: LadderState, event: SequencedEvent['event']): LadderState {
  if (event.type === 'run.started')
    return {
      ...EMPTY_LADDER,
      runId: event.run_id,
      datasetIds: event.dataset_ids,
      models: event.models,
      cells: event.cells ?? {},
    }
  if (event.type === 'run.changed' && event.job.state === 'running' && event.job.run_id !== state.runId) {
    const { dataset_ids: datasetIds, models } = event.job.request
    return { ...EMPTY_LADDER, runId: event.job.run_id, datasetIds, models }
  }
  if (event.type === 'stream.gap' && event.reason === 'other_engine' && state.runId !== null && state.outcome === null)
    return { ...state, outcome: { outcome: 'interrupted', durationMs: null } }
  return state
}

/** The state after one more event. A new run starts afresh. */
export function nextLadder(state: LadderState, sequenced: SequencedEvent): LadderState {
  const { event, seq, at } = sequenced
  const base = beginning(state, event)
  const line = describe(sequenced)
  const log = line === null ? base.log : [...base.log.slice(1 - LOG_LINES), { seq, at, ...line }]
  if (event.type === 'run.finished')
    return { ...base, log, outcome: { outcome: event.outcome, durationMs: event.duration_ms } }
  const dataset = event.type === 'plan.ready' ? event.plan.dataset_id : 'dataset_id' in event ? event.dataset_id : null
  if (dataset === null) return log === base.log ? base : { ...base, log }
  const climb = nextClimb(base.climbs[dataset] ?? EMPTY_CLIMB, sequenced)
  return { ...base, log, climbs: { ...base.climbs, [dataset]: climb } }
}

/** The state of a run of which no event arrived, from the steps in its journal. */
export function storedLadder(job: RunJob, { datasets }: RunSteps): LadderState {
  const { dataset_ids: datasetIds, models } = job.request
  return {
    ...EMPTY_LADDER,
    runId: job.run_id,
    datasetIds,
    models,
    cells: Object.fromEntries(datasets.map(({ dataset_id: id, cells }) => [id, cells.total])),
    climbs: Object.fromEntries(
      datasets.filter(({ steps }) => steps.length > 0).map((dataset) => [dataset.dataset_id, storedClimb(dataset)]),
    ),
    outcome: { outcome: job.state, durationMs: null },
  }
}

function storedClimb({ dataset_id, cells, steps }: DatasetSteps): Climb {
  const { total, done, failed, reused } = cells
  const isPlanned = steps.some(({ step }) => step === 'cells')
  return {
    ...EMPTY_CLIMB,
    finished: done - reused,
    failed,
    plan: isPlanned
      ? { dataset_id, total, reuse: reused, run: total - reused, resume_answered: 0, conflicts: [], unavailable: [] }
      : null,
    steps: Object.fromEntries(
      steps.map(
        ({ step, state, started_at: startedAt, duration_ms: durationMs, note, code }): [LadderStep, StepState] => [
          step,
          { state, startedAt: startedAt === null ? 0 : Date.parse(startedAt), durationMs, note, code },
        ],
      ),
    ),
  }
}

/** Cells per second over the last finished ones; null before the second. */
export function throughput({ finishedAt }: Climb): number | null {
  const first = finishedAt[0]
  const last = finishedAt.at(-1)
  if (first === undefined || last === undefined || last <= first) return null
  return ((finishedAt.length - 1) / (last - first)) * 1000
}
