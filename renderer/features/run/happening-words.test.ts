import { describe, expect, it } from 'vitest'
import type { RunJob, RunProgress } from '../../../contract/control/run-job.ts'
import { happeningWords } from './happening-words.ts'

const job = (state: RunJob['state'], datasets = ['smoke'], judged = false): RunJob => ({
  run_id: 'one',
  state,
  request: {
    dataset_ids: datasets,
    models: ['vanilla-rag'],
    repeats: 1,
    cold_reset: false,
    publish: false,
    judge: { enabled: judged },
  },
  created_at: '2026-11-30T12:00:00.000Z',
  started_at: null,
  finished_at: null,
  progress: null,
  failures: [],
  cells: null,
  retry_of: null,
  resumable: false,
})
const progress = (change: Partial<RunProgress>): RunProgress => ({
  total: 144,
  done: 20,
  failed: 0,
  dataset_id: 'smoke',
  dataset_number: 1,
  step: 'cells',
  cells_per_second: 2,
  left_ms: 62_000,
  judge: null,
  ...change,
})

describe('happeningWords', () => {
  it('names the step, the answers that are done, the time left and what comes next', () => {
    expect(happeningWords(job('running'), progress({}))).toEqual({
      now: 'The approaches answer the questions: 20 of 144 answers, 62.0 s left.',
      next: 'Then the scores are summed up, and the verdict appears here.',
    })
    expect(happeningWords(job('running', ['smoke'], true), progress({ left_ms: null }))).toEqual({
      now: 'The approaches answer the questions: 20 of 144 answers.',
      next: 'Then judges grade the answers, and the verdict appears here.',
    })
  })

  it('names the dataset of several, and the verdicts of a judge in the place of answers', () => {
    const judge = { name: 'judge-a', done: 5, total: 24, failed: 0 }
    expect(
      happeningWords(
        job('running', ['smoke', 'graph']),
        progress({ step: 'judge', dataset_id: 'graph', dataset_number: 2, judge }),
      ),
    ).toEqual({
      now: 'Judges grade the answers on graph (dataset 2 of 2): 5 of 24 verdicts of judge-a.',
      next: 'Then the scores are summed up, and the verdict appears here.',
    })
  })

  it('counts nothing before the first step, and names a run that is queued or pausing', () => {
    const nothing = progress({ total: 0, done: 0, step: null, dataset_id: null, dataset_number: null, left_ms: null })
    expect(happeningWords(job('running'), nothing)).toEqual({
      now: 'The run is starting.',
      next: 'Then the approaches answer the questions.',
    })
    expect(happeningWords(job('queued'), nothing)).toEqual({ now: 'The run is queued.', next: '' })
    expect(happeningWords(job('pausing'), progress({}))).toEqual({
      now: 'The run is pausing: answers under way finish first.',
      next: '',
    })
  })
})
