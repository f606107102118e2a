import { describe, expect, it } from 'vitest'
import type { RunJob } from '../../../contract/control/run-job.ts'
import { hasResult, missingApproaches, repairsOf } from './repair.ts'

const failed = (step: 'start' | 'cells' | 'check_cells' | 'evaluate' | 'publish', code: string) => ({ step, code })

describe('repairsOf', () => {
  it('goes on where the run stopped and names the place of the fault', () => {
    const canResume = true
    expect(repairsOf(failed('start', 'service_failed'), canResume)).toEqual(['resume', 'providers'])
    expect(repairsOf(failed('evaluate', 'evaluator_unreachable'), canResume)).toEqual(['resume', 'settings'])
    expect(repairsOf(failed('publish', 'artifacts_invalid'), canResume)).toEqual(['resume'])
  })

  it('offers nothing for failed answers, which Retry failures above the steps makes again: resuming would leave them failed', () => {
    expect(repairsOf(failed('check_cells', 'cells_failed'), true)).toEqual([])
  })

  it('never offers to resume a run that the engine would refuse', () => {
    expect(repairsOf(failed('cells', 'run_conflict'), true)).toEqual(['relaunch'])
    expect(repairsOf(failed('cells', 'unreachable'), false)).toEqual(['relaunch', 'providers'])
  })

  it('offers to move torn bytes aside before anything else, and what changes the cause before a run that would fail again', () => {
    const canResume = true
    expect(repairsOf(failed('cells', 'torn_tail'), canResume)).toEqual(['recover', 'relaunch'])
    expect(repairsOf(failed('start', 'service_misconfigured'), canResume)).toEqual(['settings', 'resume', 'providers'])
    expect(repairsOf({ step: null, code: 'graph_missing' }, canResume)).toEqual(['resume', 'models', 'relaunch'])
    expect(repairsOf({ step: null, code: 'graph_missing' }, false)).toEqual(['models', 'relaunch'])
    expect(repairsOf({ step: null, code: 'other_identity' }, canResume)).toEqual(['relaunch'])
  })
})

describe('missingApproaches', () => {
  it('names each approach that was left out once', () => {
    const unavailable = [
      { model: 'graph-rag', reason: 'no graph' },
      { model: 'agentic-rag', reason: 'no graph' },
    ]
    expect(missingApproaches([{ unavailable }, { unavailable: [] }, { unavailable }])).toEqual([
      'graph-rag',
      'agentic-rag',
    ])
  })
})

describe('hasResult', () => {
  const job = (state: RunJob['state'], done: number, ...codes: string[]) => ({
    state,
    cells: { total: 8, done, failed: 0 },
    failures: codes.map((code) => ({ dataset_id: 'smoke', step: null, code, message: 'why' })),
  })

  it('is so for a completed run, and for one that went on without an approach or without some answers', () => {
    expect(
      [job('completed', 8), job('failed', 8, 'graph_missing'), job('failed', 8, 'cells_failed')].map(hasResult),
    ).toEqual([true, true, true])
  })

  it('is not so before a cell, and where a step ended the run', () => {
    const without = [
      job('completed', 0),
      job('failed', 0, 'graph_missing'),
      job('failed', 8, 'graph_missing', 'damaged'),
    ]
    expect([...without, job('failed', 8), job('cancelled', 8)].map(hasResult)).toEqual(Array(5).fill(false))
  })
})
