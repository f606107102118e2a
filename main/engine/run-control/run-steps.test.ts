import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../../../contract/index.ts'
import type { DatasetSteps } from '../../../contract/control/run-job.ts'
import { cellsOf, withEvent } from './run-steps.ts'

const AT = '2026-01-01T00:00:00.000Z'
const after = (events: RunEvent[]): DatasetSteps[] =>
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
    expect(cellsOf(after([started]))).toEqual({ total: 12, done: 0, failed: 0 })
    const datasets = after([started, plan('one', 4, 1), cell('one', 'ok'), cell('one', 'error')])
    expect(cellsOf(datasets)).toEqual({ total: 12, done: 3, failed: 1 })
    expect(datasets[0]!.cells).toEqual({ total: 4, done: 3, failed: 1, reused: 1 })
  })

  it('a failed step keeps its start, its code and its message', () => {
    const [one] = after([
      started,
      { type: 'step.started', dataset_id: 'one', step: 'start' },
      { type: 'step.failed', dataset_id: 'one', step: 'start', code: 'service_failed', message: 'port taken' },
      { type: 'step.skipped', dataset_id: 'one', step: 'publish', reason: 'not asked for' },
    ])
    expect(one!.steps).toEqual([
      { step: 'start', state: 'failed', started_at: AT, duration_ms: null, note: 'port taken', code: 'service_failed' },
      { step: 'publish', state: 'skipped', started_at: null, duration_ms: null, note: 'not asked for', code: null },
    ])
  })

  it('returns the same array for an event that changes no step and no count', () => {
    const datasets = after([started])
    expect(withEvent(datasets, { type: 'notice', level: 'info', message: 'x' }, AT)).toBe(datasets)
  })
})
