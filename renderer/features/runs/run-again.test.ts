import { describe, expect, it } from 'vitest'
import type { RunJob } from '../../../contract/control/run-job.ts'
import type { ListedRun } from '../../../contract/control/stored-runs.ts'
import { launchAgain, nextRunId } from './run-again.ts'

describe('a run that is run again', () => {
  it('has a name that no run has', () => {
    expect(nextRunId('base', new Set(['base']))).toBe('base-r2')
    expect(nextRunId('base-r2', new Set(['base', 'base-r2', 'base-r3']))).toBe('base-r4')
    expect(nextRunId('live-2026-11-23', new Set())).toBe('live-2026-11-23-r2')
  })

  const run = { run_id: 'one', models: ['vanilla-rag'], model_sets: ['builtin'], datasets: [{ dataset_id: 'smoke' }] }

  it('fills New run with every setting of its request', () => {
    const request = {
      run_id: 'one',
      dataset_ids: ['smoke', 'other'],
      models: ['hybrid-rag'],
      metrics: [],
      primary_metric: 'token_f1',
      judge: { enabled: true, models: ['a', 'b'] },
      repeats: 3,
      concurrency: 2,
      model_set: 'mine',
      cold_reset: true,
      publish: true,
    }
    const search = launchAgain(run as unknown as ListedRun, { request } as unknown as RunJob, new Set(['one']))
    // Deleting and publishing are chosen again, for each run.
    expect(search).toEqual({
      step: 2,
      name: 'one-r2',
      datasets: ['smoke', 'other'],
      models: ['hybrid-rag'],
      metrics: [],
      primary: 'token_f1',
      judge: true,
      judges: ['a', 'b'],
      repeats: 3,
      concurrency: 2,
      modelSet: 'mine',
    })
  })

  it('of which only files are known is filled with what its rows show', () => {
    expect(launchAgain(run as unknown as ListedRun, undefined, new Set())).toEqual({
      step: 2,
      name: 'one-r2',
      datasets: ['smoke'],
      models: ['vanilla-rag'],
      modelSet: 'builtin',
    })
  })
})
