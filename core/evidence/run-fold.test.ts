import { describe, expect, it } from 'vitest'
import type { ControlEvent } from '../../contract/control/events.ts'
import type { DatasetProgress } from '../../contract/control/run-job.ts'
import type { LadderStep } from '../../contract/evidence/run-event.ts'
import { cellsOf, currentDataset, foldRun, isRunning, runProgress, throughput } from './run-fold.ts'

const START_MS = 1_700_000_000_000
const timeOf = (index: number): string => new Date(START_MS + index * 500).toISOString()
/** Folds events of which one happens each half second. */
const after = (events: ControlEvent[]): DatasetProgress[] =>
  events.reduce<DatasetProgress[]>((datasets, event, index) => foldRun(datasets, event, timeOf(index)), [])

const started: ControlEvent = {
  type: 'run.started',
  run_id: 'r',
  dataset_ids: ['one', 'two'],
  models: ['vanilla-rag'],
  cells: { one: 4, two: 8 },
}
const step = (dataset_id: string, name: LadderStep): ControlEvent => ({ type: 'step.started', dataset_id, step: name })
const stepFailed = (dataset_id: string, name: LadderStep): ControlEvent => ({
  type: 'step.failed',
  dataset_id,
  step: name,
  code: 'service_failed',
  message: 'port taken',
})
const plan = (dataset_id: string, total: number, reuse = 0): ControlEvent => ({
  type: 'plan.ready',
  plan: { dataset_id, total, reuse, run: total - reuse, resume_answered: 0, conflicts: [], unavailable: [] },
})
const cell = (dataset_id: string, status: 'ok' | 'error' = 'ok'): ControlEvent => ({
  type: 'cell.finished',
  dataset_id,
  row_id: 'a'.repeat(64),
  question_id: 'q',
  model: 'vanilla-rag',
  status,
  error_type: status === 'ok' ? null : 'http_error',
  evaluation: 'ok',
  latency_ms: 100,
  reused: false,
})
const cells = (dataset_id: string, count: number): ControlEvent[] =>
  Array.from({ length: count }, () => cell(dataset_id))

describe('foldRun', () => {
  it('counts cells, stored ones included; those of datasets without a plan count towards the total', () => {
    expect(cellsOf(after([started]))).toEqual({ total: 12, done: 0, failed: 0 })
    const datasets = after([started, plan('one', 4, 1), cell('one'), cell('one', 'error')])
    expect(cellsOf(datasets)).toEqual({ total: 12, done: 3, failed: 1 })
    expect(datasets[0]!.cells).toEqual({ total: 4, done: 3, failed: 1, reused: 1 })
  })

  it('keeps latencies of successful cells by approach, and the times of the last cells', () => {
    const [one] = after([started, plan('one', 200), ...cells('one', 150), cell('one', 'error')])
    expect(one!.approaches).toEqual([
      { alias: 'vanilla-rag', ok: 150, failed: 1, latencies_ms: Array.from({ length: 60 }, () => 100) },
    ])
    expect(one!.finished_at).toHaveLength(120)
    expect(throughput(one!)).toBe(2)
  })

  it('keeps start, time, code and message of a failed step', () => {
    const [one] = after([
      started,
      step('one', 'start'),
      stepFailed('one', 'start'),
      { type: 'step.skipped', dataset_id: 'one', step: 'publish', reason: 'not requested' },
    ])
    expect(one!.steps).toEqual([
      {
        step: 'start',
        state: 'failed',
        started_at: timeOf(1),
        duration_ms: 500,
        note: 'port taken',
        code: 'service_failed',
      },
      { step: 'publish', state: 'skipped', started_at: null, duration_ms: null, note: 'not requested', code: null },
    ])
  })

  it('keeps each phase of an ingestion as it was last reported', () => {
    const progress = { done: 3, total: 10, per_second: 1.5, seconds_left: 5 }
    const phase = (name: string, status: string, more: object): ControlEvent => ({
      type: 'ingestion.progressed',
      dataset_id: 'one',
      job_id: 'j',
      phase: name,
      status,
      counts: {},
      ...more,
    })
    const events = [phase('chunk', 'completed', {}), phase('embed', 'running', { progress })]
    expect(after([started, ...events])[0]!.phases).toEqual([
      { phase: 'chunk', status: 'completed', counts: {} },
      { phase: 'embed', status: 'running', counts: {}, progress },
    ])
    const done = after([started, ...events, phase('embed', 'completed', {})])
    expect(done[0]!.phases.at(-1)).toEqual({ phase: 'embed', status: 'completed', counts: {} })
  })

  it('is empty again when a run is started again, and returns the same array for an event that changes nothing', () => {
    const datasets = after([started, plan('one', 4), cell('one')])
    expect(foldRun(datasets, { type: 'notice', level: 'info', message: 'x' }, timeOf(9))).toBe(datasets)
    expect(foldRun(datasets, { type: 'artifact.written', dataset_id: 'other', file: 'x' }, timeOf(9))).toBe(datasets)
    expect(foldRun(datasets, started, timeOf(9))).toEqual(after([started]))
  })
})

describe('runProgress', () => {
  it('counts cells over all datasets while the first one runs', () => {
    expect(runProgress(after([started, step('one', 'cells'), plan('one', 4), ...cells('one', 3)]))).toEqual({
      total: 12,
      done: 3,
      failed: 0,
      dataset_id: 'one',
      dataset_number: 1,
      step: 'cells',
      cells_per_second: 2,
      left_ms: 4500,
      judge: null,
    })
  })

  it('counts finished datasets as done while the second one runs', () => {
    const datasets = after([
      started,
      step('one', 'cells'),
      plan('one', 4),
      ...cells('one', 4),
      step('two', 'cells'),
      plan('two', 8, 2),
      ...cells('two', 3),
      cell('two', 'error'),
    ])
    expect(runProgress(datasets)).toMatchObject({ total: 12, done: 10, failed: 1, dataset_number: 2 })
    expect(currentDataset(datasets)?.dataset_id).toBe('two')
  })

  it('has no rate and no time left when every cell is made and judges are asked', () => {
    const all = [plan('one', 4), ...cells('one', 4), plan('two', 8), ...cells('two', 8), step('two', 'judge')]
    expect(runProgress(after([started, ...all]))).toMatchObject({
      done: 12,
      step: 'judge',
      cells_per_second: null,
      left_ms: null,
    })
  })

  it('leaves cells of a failed dataset out of the time left, not out of the total', () => {
    const failed = [step('one', 'start'), stepFailed('one', 'start')]
    const datasets = after([started, ...failed, step('two', 'cells'), plan('two', 8), ...cells('two', 2)])
    expect(runProgress(datasets)).toMatchObject({ total: 12, done: 2, left_ms: 3000 })
    expect(isRunning(datasets[0]!, 'start')).toBe(false)
  })

  it('knows nothing of a run that has not begun', () => {
    expect(runProgress([])).toMatchObject({ total: 0, dataset_id: null, dataset_number: null, step: null })
  })
})
