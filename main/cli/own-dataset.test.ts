import { expect, it } from 'vitest'
import { datasetOf } from './own-dataset.ts'

it('a dataset whose file cannot be used is named with the reason, not as unknown', () => {
  const experiment = {
    datasets: [],
    unusable: [{ id: 'notes', file: 'datasets/notes/dataset.yaml', problems: ['notes is also declared in x.yaml'] }],
  }
  expect(() => datasetOf(experiment, 'notes')).toThrow(
    'notes: datasets/notes/dataset.yaml cannot be used: notes is also declared in x.yaml',
  )
  expect(() => datasetOf(experiment, 'note')).toThrow('unknown dataset: note')
})
