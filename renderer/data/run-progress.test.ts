import { describe, expect, it } from 'vitest'
import type { ControlEvent } from '../../contract/control/events.ts'
import { StoredRunRequest, type RunJob } from '../../contract/control/run-job.ts'
import { EMPTY_LADDER, type LadderState, nextLadder } from './ladder-state.ts'
import { progressOf } from './run-progress.ts'

const START_MS = 1_700_000_000_000
/** What an ordinary run of two datasets with 4 and 8 cells sends, one event each half second. */
const after = (events: ControlEvent[]): LadderState =>
  events.reduce<LadderState>(
    (state, event, index) =>
      nextLadder(state, { seq: index + 1, at: new Date(START_MS + index * 500).toISOString(), event }),
    EMPTY_LADDER,
  )

const job = (part: Partial<RunJob> = {}): RunJob => ({
  run_id: 'one',
  state: 'running',
  request: StoredRunRequest.parse({ dataset_ids: ['smoke', 'baseline'], models: ['vanilla-rag'] }),
  created_at: '2026-01-01T00:00:00.000Z',
  started_at: null,
  finished_at: null,
  progress: null,
  failures: [],
  cells: null,
  retry_of: null,
  resumable: false,
  ...part,
})

/** As the engine publishes it when a run begins, before anything is known of its cells. */
const justBegun = job({
  progress: {
    dataset_id: null,
    step: null,
    total: 0,
    done: 0,
    reused: 0,
    failed: 0,
    cells_per_second: null,
    left_ms: null,
    judge: null,
  },
})

const begin: ControlEvent[] = [
  { type: 'run.changed', job: justBegun },
  {
    type: 'run.started',
    run_id: 'one',
    dataset_ids: ['smoke', 'baseline'],
    models: ['vanilla-rag'],
    cells: { smoke: 4, baseline: 8 },
  },
]
const step = (dataset_id: string, name: 'cells' | 'judge' | 'start'): ControlEvent => ({
  type: 'step.started',
  dataset_id,
  step: name,
})
const plan = (dataset_id: string, total: number, reuse = 0): ControlEvent => ({
  type: 'plan.ready',
  plan: { dataset_id, total, reuse, run: total - reuse, resume_answered: 0, conflicts: [], unavailable: [] },
})
const cell = (dataset_id: string, status: 'ok' | 'error' = 'ok'): ControlEvent => ({
  type: 'cell.finished',
  dataset_id,
  row_id: 'a'.repeat(64),
  question_id: 'q1',
  model: 'vanilla-rag',
  status,
  error_type: status === 'ok' ? null : 'http_error',
  evaluation: 'ok',
  latency_ms: 100,
  reused: false,
})
const cells = (dataset_id: string, count: number): ControlEvent[] =>
  Array.from({ length: count }, () => cell(dataset_id))

describe('progressOf', () => {
  it('counts cells over all datasets while the first one runs, though the engine’s answer is from the start of the run', () => {
    const ladder = after([...begin, step('smoke', 'cells'), plan('smoke', 4), ...cells('smoke', 3)])
    expect(progressOf(justBegun, ladder)).toEqual({
      total: 12,
      done: 3,
      failed: 0,
      datasetId: 'smoke',
      datasetNumber: 1,
      datasetCount: 2,
      step: 'cells',
      cellsPerSecond: 2,
      leftMs: 4500,
    })
  })

  it('counts finished datasets as done while the second one runs', () => {
    const ladder = after([
      ...begin,
      plan('smoke', 4),
      ...cells('smoke', 4),
      step('baseline', 'cells'),
      plan('baseline', 8, 2),
      ...cells('baseline', 3),
      cell('baseline', 'error'),
    ])
    expect(progressOf(justBegun, ladder)).toMatchObject({ total: 12, done: 10, failed: 1, datasetNumber: 2 })
  })

  it('never reports a negative time or more cells done than there are', () => {
    const stale = job({ cells: { total: 4, done: 4, failed: 0 }, progress: justBegun.progress })
    for (let made = 0; made <= 12; made += 1) {
      const events = [...begin, plan('smoke', 4), ...cells('smoke', Math.min(4, made))]
      if (made > 4) events.push(step('baseline', 'cells'), plan('baseline', 8), ...cells('baseline', made - 4))
      for (const reported of [justBegun, stale]) {
        const { done, total, leftMs } = progressOf(reported, after(events))
        expect(done).toBeLessThanOrEqual(total)
        expect(leftMs ?? 0).toBeGreaterThanOrEqual(0)
      }
    }
  })

  it('has no rate and no time left when every cell is made and judges are asked', () => {
    const ladder = after([
      ...begin,
      plan('smoke', 4),
      ...cells('smoke', 4),
      plan('baseline', 8),
      ...cells('baseline', 8),
      step('baseline', 'judge'),
    ])
    expect(progressOf(justBegun, ladder)).toMatchObject({
      total: 12,
      done: 12,
      step: 'judge',
      cellsPerSecond: null,
      leftMs: null,
    })
  })

  it('leaves cells of a failed dataset out of the time left, not out of the total', () => {
    const ladder = after([
      ...begin,
      step('smoke', 'start'),
      { type: 'step.failed', dataset_id: 'smoke', step: 'start', code: 'service_failed', message: 'x' },
      step('baseline', 'cells'),
      plan('baseline', 8),
      ...cells('baseline', 2),
    ])
    expect(progressOf(justBegun, ladder)).toMatchObject({ total: 12, done: 2, leftMs: 3000 })
  })

  it('uses the engine’s counts on a page that opened after the events were gone', () => {
    const late = job({
      cells: { total: 12, done: 7, failed: 2 },
      progress: { ...justBegun.progress!, dataset_id: 'baseline', step: 'cells', cells_per_second: 4 },
    })
    expect(progressOf(late, EMPTY_LADDER)).toMatchObject({
      total: 12,
      done: 7,
      failed: 2,
      datasetId: 'baseline',
      leftMs: 1250,
    })
  })
})
