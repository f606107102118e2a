import { expect, it } from 'vitest'
import type { ListedRun } from '../../../contract/control/stored-runs.ts'
import { matchesFilter, type RunFilter } from './run-filter.ts'

const run = {
  run_id: 'night-3',
  state: 'failed',
  models: ['hybrid-rag'],
  model_sets: ['ollama'],
  datasets: [{ dataset_id: 'hand', label: 'My handbook' }],
  note: { label: 'Night shift', starred: true, tags: ['draft'], note: 'Larger chunks' },
} as unknown as ListedRun

it.each<[RunFilter, boolean]>([
  [{}, true],
  [{ text: 'HANDBOOK chunks' }, true],
  [{ text: 'hybrid ollama night draft' }, true],
  [{ text: 'shift' }, true],
  [{ text: 'handbook vanilla' }, false],
  [{ tag: 'draft', starred: true, state: 'failed' }, true],
  [{ tag: 'dra' }, false],
  [{ state: 'completed' }, false],
])('a run matches the filter %j: %s', (filter, expected) => {
  expect(matchesFilter(run, filter)).toBe(expected)
})

it('a run without a star does not match the filter for starred runs', () => {
  expect(matchesFilter({ ...run, note: { ...run.note, starred: false } }, { starred: true })).toBe(false)
})

it('a sample does not match the filter without samples', () => {
  expect(matchesFilter({ ...run, sample: true }, { own: true })).toBe(false)
  expect(matchesFilter({ ...run, sample: false }, { own: true })).toBe(true)
})
