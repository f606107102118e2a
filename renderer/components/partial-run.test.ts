import { describe, expect, it } from 'vitest'
import { type CountedRun, partOf } from './partial-run.ts'
import { firstShown } from './sample-runs.ts'

const dataset = (ok: number, expected_cells: number | null) => ({ cells: { ok, error: 1, timeout: 0 }, expected_cells })
const run = (run_id: string, more: Partial<CountedRun> = {}): CountedRun => ({
  run_id,
  kind: 'canonical',
  datasets: [dataset(23, 24)],
  state: 'completed',
  planned_cells: 24,
  ...more,
})
const cancelled = run('cancelled', { state: 'cancelled', datasets: [dataset(10, null)], planned_cells: 72 })

describe('partOf', () => {
  it('is nothing for a run that has all its cells, failed ones counted', () => {
    expect(partOf(run('whole'))).toBeNull()
    expect(partOf(run('of another engine', { state: null, planned_cells: null }))).toBeNull()
    expect(partOf(run('old', { kind: 'historical', datasets: [dataset(3, null)], state: null }))).toBeNull()
  })

  it('is nothing for a whole run while judges grade its answers, or after they were stopped', () => {
    expect(partOf(run('graded', { state: 'running' }))).toBeNull()
    expect(partOf(run('stopped', { state: 'cancelled' }))).toBeNull()
    expect(partOf(run('first dataset of two', { state: 'running', planned_cells: 48 }))).toEqual({
      made: 24,
      planned: 48,
    })
    expect(partOf(run('not planned yet', { state: 'running', planned_cells: null }))).toEqual({
      made: 24,
      planned: null,
    })
  })

  it('counts cells of all planned ones, also of datasets without a row', () => {
    expect(partOf(cancelled)).toEqual({ made: 11, planned: 72 })
    expect(partOf(run('one dataset of two', { state: 'failed', planned_cells: 48 }))).toEqual({ made: 24, planned: 48 })
  })

  it('leaves the planned number open where nothing records it', () => {
    expect(partOf(run('files', { state: null, planned_cells: null, datasets: [dataset(4, null)] }))).toEqual({
      made: 5,
      planned: null,
    })
  })
})

describe('the run that a page opens with', () => {
  it('is complete where there is a complete one, and never a newer one that was cancelled', () => {
    expect(firstShown([cancelled, run('complete')], new Set())).toMatchObject({ run_id: 'complete' })
  })

  it('is the newest of the person where none is complete, even beside a sample', () => {
    expect(firstShown([run('sample'), cancelled], new Set(['sample']))).toMatchObject({ run_id: 'cancelled' })
  })
})
