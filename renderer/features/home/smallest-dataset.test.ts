import { expect, it } from 'vitest'
import type { DatasetView } from '../../../contract/control/experiment.ts'
import { smallestDataset } from './smallest-dataset.ts'

const dataset = (id: string, complexity_level: number, questions: number): DatasetView =>
  ({ id, complexity_level, questions }) as DatasetView

it('the smoke run takes the fewest questions of the lowest rung, in whatever order the datasets are listed', () => {
  const datasets = [dataset('rung', 1, 2), dataset('mixed', 0, 12), dataset('smoke', 0, 4)]
  expect(smallestDataset(datasets)?.id).toBe('smoke')
  expect(smallestDataset(datasets.toReversed())?.id).toBe('smoke')
  expect(smallestDataset([])).toBeUndefined()
})
