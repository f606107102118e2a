import { expect, it } from 'vitest'
import * as search from './search-params.ts'

it('an address keeps what is understood of it and drops the rest', () => {
  const view = { dataset: 7, metric: 'recall_at_5', pinned: ['a', 3, ''], hidden: [], states: ['ok', 'odd'] }
  expect(
    search.readMatrixSearch({ ...view, hops: [2, 'x', 1.5], spread: -1, tab: 'nope', answers: 1, more: true }),
  ).toStrictEqual({ dataset: '7', metric: 'recall_at_5', pinned: ['a'], states: ['ok'], hops: [2] })
  expect(search.readCellSearch({ cell: 'x', tab: 'raw' })).toStrictEqual({ row: '', tab: 'raw' })
  expect(search.readJudgesSearch({ dataset: '', set: 0 })).toStrictEqual({})
  expect(search.readRunsSearch({ state: 'failed', starred: false, own: true, ticked: 'one' })).toStrictEqual({
    state: 'failed',
    own: true,
  })
})

it('a new run is opened by names with or without brackets, and an empty list is a choice', () => {
  const budgets = { contextBudget: 'unlimited', budget: 0, repeats: 1.5, concurrency: 4 }
  expect(
    search.readLaunchSearch({ datasets: 'a,b', models: [], metrics: ['faithfulness', 'odd'], step: 2, ...budgets }),
  ).toStrictEqual({ datasets: ['a', 'b'], models: [], metrics: ['faithfulness'], step: 2, concurrency: 4 })
  expect(search.readLaunchSearch({ datasets: 7, judge: false, cold: 'yes', step: 4 })).toStrictEqual({
    datasets: ['7'],
    judge: false,
  })
})

it('the page of a dataset, of a service and of models is opened by its address', () => {
  expect(search.readDatasetSearch({ dataset: 'd', view: 'graph', limit: 2000, chunks: true, chunk: 2 })).toStrictEqual({
    dataset: 'd',
    view: 'graph',
    chunks: true,
    chunk: 2,
  })
  expect(search.readProvidersSearch({ open: [] })).toStrictEqual({ open: [] })
  expect(search.readModelsSearch({ show: 'prices', connect: 'no' })).toStrictEqual({ show: 'prices' })
})
