import { describe, expect, it } from 'vitest'
import type { ControlEvent } from '../../contract/control/events.ts'
import { StoredRunRequest, type RunJob } from '../../contract/control/run-job.ts'
import { runProgress } from '../../core/evidence/run-fold.ts'
import { EMPTY_LADDER, type LadderState, nextLadder, progressOf, withView } from './ladder-state.ts'

const after = (events: ControlEvent[], from: LadderState = EMPTY_LADDER): LadderState =>
  events.reduce(
    (state, event, index) =>
      nextLadder(state, { seq: index + 1, at: new Date(1_700_000_000_000 + index * 500).toISOString(), event }),
    from,
  )

const started: ControlEvent = { type: 'run.started', run_id: 'one', dataset_ids: ['smoke'], models: ['vanilla-rag'] }
const cell = (status: 'ok' | 'error'): ControlEvent => ({
  type: 'cell.finished',
  dataset_id: 'smoke',
  row_id: 'a'.repeat(64),
  question_id: 'q1',
  model: 'vanilla-rag',
  status,
  error_type: status === 'ok' ? null : 'http_error',
  evaluation: 'ok',
  latency_ms: 100,
  reused: false,
})

describe('nextLadder', () => {
  it('logs cells that failed, not those that succeeded', () => {
    const { datasets, log } = after([started, cell('ok'), cell('error')])
    expect(datasets[0]!.cells).toMatchObject({ done: 2, failed: 1 })
    expect(log.map(({ level }) => level)).toEqual(['warning'])
  })

  it('takes the engine’s view of a run whose beginning it did not get, and counts no event twice', () => {
    const request = StoredRunRequest.parse({ dataset_ids: ['smoke'], models: ['vanilla-rag'] })
    const job: RunJob = {
      run_id: 'one',
      state: 'running',
      request,
      created_at: '2026-01-01T00:00:00.000Z',
      started_at: null,
      finished_at: null,
      progress: { ...runProgress([]), total: 9, done: 5 },
      failures: [],
      cells: null,
      retry_of: null,
      resumable: false,
    }
    const late = after([{ type: 'run.changed', job }, cell('ok')])
    expect([late.isWhole, late.datasets]).toEqual([false, []])
    expect(progressOf(job, late)).toMatchObject({ total: 9, done: 5 })
    const whole = after([started, cell('ok'), cell('ok')])
    // Numbers 1 to 3 are in the view, 4 is not.
    const view = { run_id: 'one', seq: 3, datasets: whole.datasets }
    const event = (seq: number) => ({ seq, at: '2026-01-01T00:00:00.000Z', event: cell('ok') })
    const state = [event(3), event(4)].reduce(nextLadder, withView(late, view))
    expect(progressOf(job, state)).toMatchObject({ total: 3, done: 3 })
    expect(withView(whole, view)).toBe(whole)
  })

  it('logs steps by the names that the page shows', () => {
    const step = { dataset_id: 'smoke', step: 'cold_reset' } as const
    const { log } = after([
      started,
      { type: 'step.started', ...step },
      { type: 'step.skipped', ...step, reason: 'not requested' },
    ])
    expect(log.slice(-2).map(({ text }) => text)).toEqual([
      'smoke: Cold reset started',
      'smoke: Cold reset skipped (not requested)',
    ])
  })

  it('logs failures with what a model does, not with the id of its role', () => {
    const reason = 'the model call for role light_gen failed: HTTP 500'
    const failure = 'the model that writes answers failed: HTTP 500'
    const step = { dataset_id: 'smoke', step: 'ingest', code: 'model_failed', message: reason } as const
    const cellAt = { dataset_id: 'smoke', row_id: 'a'.repeat(64), question_id: 'q1', model: 'a' }
    const { log } = after([
      started,
      { ...cell('error'), error_message: reason } as ControlEvent,
      { type: 'step.failed', ...step },
      { type: 'cell.explained', ...cellAt, action: 'skipped', reason },
    ])
    expect(log.map(({ text }) => text)).toEqual([
      `q1 × vanilla-rag: ${failure}`,
      expect.stringMatching(`^smoke: .+ failed: ${failure}$`),
      `q1 × a skipped: ${failure}`,
    ])
  })

  it('logs a run that was paused or cancelled as stopped, not as interrupted', () => {
    const finished: ControlEvent = { type: 'run.finished', run_id: 'r', outcome: 'interrupted', duration_ms: 900 }
    expect(after([started, finished]).log.at(-1)).toMatchObject({
      level: 'warning',
      text: 'run r: stopped before its end',
    })
  })

  it('shows a run whose engine died as interrupted', () => {
    const gap: ControlEvent = { type: 'stream.gap', reason: 'other_engine', missed: null }
    expect(after([started, gap]).outcome).toEqual({ outcome: 'interrupted', durationMs: null })
    expect(after([gap]).outcome).toBeNull()
  })
})
