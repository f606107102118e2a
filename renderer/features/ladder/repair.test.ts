import { describe, expect, it } from 'vitest'
import { repairsOf } from './repair.ts'

const failed = (step: 'start' | 'cells' | 'check_cells' | 'evaluate' | 'publish', code: string) => ({ step, code })

describe('repairsOf', () => {
  it('goes on where the run stopped and names the place of the fault', () => {
    const run = { hasFailedCells: false, resumable: true }
    expect(repairsOf(failed('start', 'service_failed'), run)).toEqual(['resume', 'providers'])
    expect(repairsOf(failed('evaluate', 'evaluator_unreachable'), run)).toEqual(['resume', 'settings'])
    expect(repairsOf(failed('publish', 'artifacts_invalid'), run)).toEqual(['resume'])
  })

  it('makes failed cells again before anything else', () => {
    expect(repairsOf(failed('check_cells', 'cells_failed'), { hasFailedCells: true, resumable: true })[0]).toBe('retry')
  })

  it('never offers to resume a run that the engine would refuse', () => {
    expect(repairsOf(failed('cells', 'run_conflict'), { hasFailedCells: true, resumable: true })).toEqual(['relaunch'])
    expect(repairsOf(failed('cells', 'unreachable'), { hasFailedCells: false, resumable: false })).toEqual([
      'relaunch',
      'providers',
    ])
  })

  it('offers to move torn bytes aside before anything else, and settings before a resume that would fail again', () => {
    const run = { hasFailedCells: false, resumable: true }
    expect(repairsOf(failed('cells', 'torn_tail'), run)).toEqual(['recover', 'relaunch'])
    expect(repairsOf(failed('start', 'service_misconfigured'), run)).toEqual(['settings', 'resume', 'providers'])
    expect(repairsOf({ step: null, code: 'graph_missing' }, run)).toEqual(['settings', 'relaunch'])
    expect(repairsOf({ step: null, code: 'other_identity' }, run)).toEqual(['relaunch'])
  })
})
