import { expect, it } from 'vitest'
import type { ControlEvent } from '../../contract/control/events.ts'
import { StoredRunRequest, type RunJob } from '../../contract/control/run-job.ts'
import { isWorking, NO_RUN, ratioOf, watchRun, type RunEnd } from './run-watch.ts'

const at = '2026-11-20T09:00:00.000Z'
const job = (state: RunJob['state'], more: Partial<RunJob> = {}): ControlEvent => ({
  type: 'run.changed',
  job: {
    run_id: 'r1',
    state,
    request: StoredRunRequest.parse({ dataset_ids: ['smoke', 'subset'], models: ['vanilla-rag'] }),
    created_at: at,
    started_at: at,
    finished_at: null,
    progress: null,
    failures: [],
    cells: null,
    retry_of: null,
    resumable: false,
    ...more,
  },
})
const begun: ControlEvent = {
  type: 'run.started',
  run_id: 'r1',
  dataset_ids: ['smoke', 'subset'],
  models: ['vanilla-rag'],
  cells: { smoke: 10, subset: 30 },
}
const plan = (total: number, reuse: number, dataset_id = 'smoke'): ControlEvent => ({
  type: 'plan.ready',
  plan: { dataset_id, total, reuse, run: total - reuse, resume_answered: 0, conflicts: [], unavailable: [] },
})
const cell = (dataset_id = 'smoke'): ControlEvent => ({
  type: 'cell.finished',
  dataset_id,
  row_id: 'a'.repeat(64),
  question_id: 'q',
  model: 'vanilla-rag',
  status: 'ok',
  error_type: null,
  evaluation: 'ok',
  latency_ms: 1,
  reused: false,
})

function watching(...events: ControlEvent[]) {
  let watch = NO_RUN
  const ends: RunEnd[] = []
  for (const event of events) {
    const step = watchRun(watch, event, at)
    watch = step.watch
    if (step.end !== null) ends.push(step.end)
  }
  return { watch, ends }
}

it('counts cells over the datasets of a run, those that were there already included', () => {
  const first = [job('running'), begun, plan(10, 4), cell()]
  expect(ratioOf(watching(...first).watch)).toBe(5 / 40)
  expect(ratioOf(watching(...first, plan(30, 6, 'subset'), cell('subset')).watch)).toBe(12 / 40)
})

it('shows what the engine reported of a run whose beginning was missed', () => {
  const cells = { total: 40, done: 10, failed: 0 }
  expect(ratioOf(watching(job('running', { cells }), plan(30, 6, 'subset')).watch)).toBe(0.25)
})

it('reports once how a run ended, and then there is none', () => {
  const { watch, ends } = watching(job('running'), plan(10, 0), job('completed'), job('completed'))
  expect(ends).toEqual([
    { runId: 'r1', isGood: true, title: 'The run is complete', body: 'r1: open the matrix to compare.' },
  ])
  expect(isWorking(watch)).toBe(false)
  expect(ratioOf(watch)).toBeNull()
})

it('reports why a run failed', () => {
  const failures = [{ dataset_id: null, step: null, code: 'x', message: 'the platform does not start' }]
  expect(watching(job('running'), job('failed', { failures })).ends).toMatchObject([
    { isGood: false, body: 'r1: the platform does not start' },
  ])
})

it('is silent about what the person did, and about runs that only wait or are long over', () => {
  const silent = [job('running'), job('cancelling'), job('cancelled')]
  expect(watching(...silent).ends).toEqual([])
  expect(watching(job('running'), job('pausing'), job('paused')).ends).toEqual([])
  expect(watching(job('queued'), job('interrupted'), job('completed')).ends).toEqual([])
  expect(isWorking(watching(job('queued')).watch)).toBe(false)
})

it('counts again when a run is resumed, and forgets the run of an engine that died', () => {
  expect(
    ratioOf(watching(job('running'), begun, plan(10, 0), cell(), job('paused'), job('running'), begun).watch),
  ).toBe(0)
  const gap: ControlEvent = { type: 'stream.gap', reason: 'other_engine', missed: null }
  expect(isWorking(watching(job('running'), gap).watch)).toBe(false)
})
