import { describe, expect, it } from 'vitest'
import type { RunJob } from '../../../contract/control/run-job.ts'
import { isIngested, stepBeside, TOUR_STEPS, tourJob } from './tour-steps.ts'

const job = (run: string, state: RunJob['state'], dataset = 'smoke'): RunJob =>
  ({ run_id: run, state, request: { dataset_ids: [dataset] } }) as unknown as RunJob

describe('the tour', () => {
  it('has three to five steps and ends with a question of the person', () => {
    expect(TOUR_STEPS.length).toBeGreaterThanOrEqual(3)
    expect(TOUR_STEPS.length).toBeLessThanOrEqual(5)
    expect(TOUR_STEPS.at(-1)).toBe('ask')
    expect(stepBeside('purpose', -1)).toBeNull()
    expect(stepBeside('purpose', 1)).toBe('run')
    expect(stepBeside('ask', 1)).toBeNull()
  })

  it('follows the run that it started, even where that failed and an older one is complete', () => {
    const jobs = [job('mine', 'failed'), job('older', 'completed')]
    expect(tourJob(jobs, { started: 'mine', dataset: 'smoke' })).toBe(jobs[0])
    expect(isIngested(jobs[0])).toBe(false)
  })

  it('needs no second run where a completed one has ingested its documents', () => {
    const jobs = [job('running', 'running'), job('other', 'completed', 'graph_native'), job('done', 'completed')]
    expect(tourJob(jobs, { started: null, dataset: 'smoke' })).toBe(jobs[2])
    expect(isIngested(jobs[2])).toBe(true)
    expect(tourJob(jobs, { started: null, dataset: undefined })).toBeUndefined()
  })
})
