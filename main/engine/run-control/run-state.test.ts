import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RunState, type DatasetSteps } from '../../../contract/control/run-job.ts'
import type { RunEvent } from '../../../contract/index.ts'
import { cellsOf, isResumable, isUnderWay, nextRunState, withEvent, type RunCommand } from './run-state.ts'

const COMMANDS: RunCommand[] = [
  'begin',
  'pause',
  'cancel',
  'resume',
  'dismiss',
  'engine_gone',
  'completed',
  'failed',
  'stopped',
]
const after = (...commands: RunCommand[]): RunState | null =>
  commands.reduce<RunState | null>((state, command) => (state === null ? null : nextRunState(state, command)), 'queued')

describe('nextRunState', () => {
  it.each<[RunState, RunCommand[]]>([
    ['completed', ['begin', 'completed']],
    ['paused', ['begin', 'pause', 'stopped']],
    ['running', ['begin', 'pause', 'stopped', 'resume', 'begin']],
    // All cells were made before the pause took hold.
    ['completed', ['begin', 'pause', 'completed']],
    ['cancelled', ['begin', 'cancel', 'stopped']],
    // What an aborted step throws is the cancellation, not a failure of its own.
    ['cancelled', ['begin', 'cancel', 'failed']],
    ['interrupted', ['begin', 'engine_gone']],
    ['queued', ['begin', 'engine_gone', 'resume']],
    ['cancelled', ['begin', 'engine_gone', 'dismiss']],
    ['interrupted', ['begin', 'stopped']],
  ])('%s after %j', (state, commands) => expect(after(...commands)).toBe(state))

  it('a command that the state does not allow is refused', () => {
    expect(nextRunState('completed', 'resume')).toBeNull()
    expect(nextRunState('running', 'resume')).toBeNull()
    expect(nextRunState('queued', 'completed')).toBeNull()
    expect(nextRunState('cancelling', 'pause')).toBeNull()
  })

  it('after any commands, the end of the engine leaves a run completed or resumable', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...COMMANDS), { maxLength: 12 }), (commands) => {
        let state: RunState = 'queued'
        for (const command of commands) state = nextRunState(state, command) ?? state
        const reopened = nextRunState(state, 'engine_gone') ?? state
        expect(isUnderWay(reopened)).toBe(false)
        expect(reopened === 'completed' || isResumable(reopened)).toBe(true)
      }),
    )
  })
})

const AT = '2026-01-01T00:00:00.000Z'
const stepsAfter = (events: RunEvent[]): DatasetSteps[] =>
  events.reduce<DatasetSteps[]>((datasets, event) => withEvent(datasets, event, AT), [])

const started: RunEvent = {
  type: 'run.started',
  run_id: 'r',
  dataset_ids: ['one', 'two'],
  models: ['vanilla-rag'],
  cells: { one: 4, two: 8 },
}
const plan = (dataset_id: string, total: number, reuse: number): RunEvent => ({
  type: 'plan.ready',
  plan: { dataset_id, total, reuse, run: total - reuse, resume_answered: 0, conflicts: [], unavailable: [] },
})
const cell = (dataset_id: string, status: 'ok' | 'error'): RunEvent => ({
  type: 'cell.finished',
  dataset_id,
  row_id: 'a'.repeat(64),
  question_id: 'q',
  model: 'vanilla-rag',
  status,
  error_type: status === 'ok' ? null : 'http_error',
  evaluation: 'ok',
  latency_ms: 1,
  reused: false,
})

describe('run-steps', () => {
  it('cells of datasets that have no plan yet count towards the total of the run', () => {
    expect(cellsOf(stepsAfter([started]))).toEqual({ total: 12, done: 0, failed: 0 })
    const datasets = stepsAfter([started, plan('one', 4, 1), cell('one', 'ok'), cell('one', 'error')])
    expect(cellsOf(datasets)).toEqual({ total: 12, done: 3, failed: 1 })
    expect(datasets[0]!.cells).toEqual({ total: 4, done: 3, failed: 1, reused: 1 })
  })

  it('a failed step keeps its start, its code and its message', () => {
    const [one] = stepsAfter([
      started,
      { type: 'step.started', dataset_id: 'one', step: 'start' },
      { type: 'step.failed', dataset_id: 'one', step: 'start', code: 'service_failed', message: 'port taken' },
      { type: 'step.skipped', dataset_id: 'one', step: 'publish', reason: 'not requested' },
    ])
    expect(one!.steps).toEqual([
      { step: 'start', state: 'failed', started_at: AT, duration_ms: null, note: 'port taken', code: 'service_failed' },
      { step: 'publish', state: 'skipped', started_at: null, duration_ms: null, note: 'not requested', code: null },
    ])
  })

  it('returns the same array for an event that changes no step and no count', () => {
    const datasets = stepsAfter([started])
    expect(withEvent(datasets, { type: 'notice', level: 'info', message: 'x' }, AT)).toBe(datasets)
  })
})
