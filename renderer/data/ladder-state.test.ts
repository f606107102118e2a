import { describe, expect, it } from 'vitest'
import type { ControlEvent } from '../../contract/control/events.ts'
import { EMPTY_LADDER, type LadderState, nextLadder, throughput } from './ladder-state.ts'

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
  it('counts cells, keeps latencies of successful ones, and logs failures', () => {
    const climb = after([started, cell('ok'), cell('ok'), cell('error')]).climbs.smoke!
    expect([climb.finished, climb.failed, climb.aliases['vanilla-rag']]).toEqual([
      3,
      1,
      { ok: 2, failed: 1, latenciesMs: [100, 100] },
    ])
    expect(throughput(climb)).toBe(2)
    expect(after([started, cell('error')]).log.at(-1)).toMatchObject({ level: 'warning' })
  })

  it('keeps the code of a failed step beside its message', () => {
    const { climbs } = after([
      started,
      { type: 'step.started', dataset_id: 'smoke', step: 'start' } as const,
      { type: 'step.failed', dataset_id: 'smoke', step: 'start', code: 'service_failed', message: 'no port' },
    ])
    expect(climbs.smoke!.steps.start).toEqual({
      state: 'failed',
      startedAt: 1700000000500,
      durationMs: 500,
      note: 'no port',
      code: 'service_failed',
    })
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
