import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../../contract/index.ts'
import { initialProgress, track } from './run-progress.ts'

const plan = (total: number, reuse: number): RunEvent => ({
  type: 'plan.ready',
  plan: { dataset_id: 'smoke', total, reuse, run: total - reuse, resume_answered: 0, conflicts: [], unavailable: [] },
})
const failedStep: RunEvent = {
  type: 'step.failed',
  dataset_id: 'smoke',
  step: 'cells',
  code: 'resume_conflict',
  message: 'x',
}

describe('track', () => {
  it('counts reused cells as done from the plan on', () => {
    const progress = initialProgress()
    track(progress, plan(10, 4), 0)
    expect(progress).toMatchObject({ datasetId: 'smoke', total: 10, done: 4, reused: 4 })
  })

  it('shows how far a phase of the ingestion has come until it ends', () => {
    const progress = initialProgress()
    const of = { done: 3, total: 10, per_second: 1.5, seconds_left: 5 }
    const phase = (status: string): RunEvent => ({
      type: 'ingestion.progressed',
      dataset_id: 'smoke',
      job_id: 'j',
      phase: 'embed',
      status,
      counts: {},
      ...(status === 'running' ? { progress: of } : {}),
    })
    track(progress, phase('running'), 0)
    expect(progress.ingestion).toEqual({ phase: 'embed', progress: of })
    track(progress, phase('completed'), 1)
    expect(progress.ingestion).toBeNull()
  })

  it('has nothing under way after a step has failed', () => {
    const progress = initialProgress()
    track(progress, plan(10, 0), 0)
    track(progress, failedStep, 1)
    expect(progress).toEqual(initialProgress())
  })
})
