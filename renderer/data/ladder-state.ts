import type { SequencedEvent } from '../../contract/control/events.ts'
import type { DatasetProgress, RunJob, RunProgress, RunView } from '../../contract/control/run-job.ts'
import { foldRun, runProgress } from '../../core/evidence/run-fold.ts'
import { STEP_NAMES } from '../../core/evidence/step-names.ts'
import { failureMessage } from '../../core/role-words.ts'

export interface LogLine {
  seq: number
  at: string
  level: 'info' | 'warning' | 'error'
  text: string
}

/** Describes what the events have reported of the newest run. */
export interface LadderState {
  runId: string | null
  models: string[]
  datasets: DatasetProgress[]
  /** False when events from before this page are missing, which only the engine's own view has. */
  isWhole: boolean
  /** Number of the newest event that `datasets` already holds; older ones do not count again. */
  asOf: number
  /** Null while it goes; the duration is not known of a run that its engine died under. */
  outcome: { outcome: string; durationMs: number | null } | null
  log: LogLine[]
}

/** Before any event. */
export const EMPTY_LADDER: LadderState = {
  runId: null,
  models: [],
  datasets: [],
  isWhole: true,
  asOf: 0,
  outcome: null,
  log: [],
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
            text: `${event.question_id} × ${event.model}: ${event.error_message ?? (event.error_type ?? event.status).replaceAll('_', ' ')}`,
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

/** The run's job holds what was requested, where its own first event is no longer kept. An engine that died leaves its run interrupted. */
function beginning(state: LadderState, event: SequencedEvent['event']): LadderState {
  if (event.type === 'run.started') return { ...EMPTY_LADDER, runId: event.run_id, models: event.models }
  if (event.type === 'run.changed' && event.job.state === 'running' && event.job.run_id !== state.runId)
    return { ...EMPTY_LADDER, runId: event.job.run_id, models: event.job.request.models, isWhole: false }
  if (event.type !== 'stream.gap' || state.runId === null || state.outcome !== null) return state
  return event.reason === 'other_engine'
    ? { ...state, asOf: 0, outcome: { outcome: 'interrupted', durationMs: null } }
    : { ...state, isWhole: false }
}

/** The state after one more event. A new run starts afresh. */
export function nextLadder(state: LadderState, sequenced: SequencedEvent): LadderState {
  const { event, seq, at } = sequenced
  const base = beginning(state, event)
  const line = describe(sequenced)
  const log =
    line === null ? base.log : [...base.log.slice(1 - LOG_LINES), { seq, at, ...line, text: failureMessage(line.text) }]
  if (event.type === 'run.finished')
    return { ...base, log, outcome: { outcome: event.outcome, durationMs: event.duration_ms } }
  const datasets = base.isWhole && seq > base.asOf ? foldRun(base.datasets, event, at) : base.datasets
  return log === base.log && datasets === base.datasets ? base : { ...base, log, datasets }
}

/** The state of a run whose first events this page did not get, with the engine's view of it. */
export const withView = (state: LadderState, { run_id: runId, seq, datasets }: RunView): LadderState =>
  state.runId === runId && !state.isWhole ? { ...state, datasets, asOf: seq, isWhole: true } : state

/** The state of a run of which no event arrived, as the engine has it. */
export const storedLadder = ({ request, state }: RunJob, { run_id: runId, seq, datasets }: RunView): LadderState => ({
  ...EMPTY_LADDER,
  runId,
  models: request.models,
  datasets,
  asOf: seq,
  outcome: { outcome: state, durationMs: null },
})

/** Progress by the events; where they are of another run or not all of them arrived, as the engine reported it last. */
export const progressOf = (job: RunJob, { runId, isWhole, datasets }: LadderState): RunProgress =>
  runId === job.run_id && isWhole && datasets.length > 0
    ? runProgress(datasets)
    : { ...runProgress([]), ...(job.progress ?? job.cells) }
