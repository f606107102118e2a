import { rm, writeFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { goldenIndex, run } from '../../../tests/helpers/golden-index.ts'
import { aggregateText } from '../../report/aggregate/aggregate-run.ts'
import { currentAggregate } from './coverage.ts'

it('the summary of a run is parsed once for all queries of a page, and again when its file changes', async () => {
  const { files, aggregate, ask } = await goldenIndex()
  const outcome = ask('runSummary', { run_id: run.run_id })
  if (!outcome.ok) throw new Error(outcome.message)
  const dataset = outcome.summary.datasets[0]!
  const first = await currentAggregate(dataset)
  expect(first).toEqual(aggregate)
  expect(await currentAggregate(dataset)).toBe(first)

  const renamed = { ...aggregate, dataset: { ...aggregate.dataset, label: 'Another name' } }
  const text = aggregateText(renamed)
  await writeFile(files.evaluation, text)
  expect(await currentAggregate(dataset)).toEqual(renamed)
  await writeFile(files.evaluation, text.replace('Another name', 'A forged name'))
  expect(await currentAggregate(dataset)).toBeNull()
  await rm(files.evaluation)
  expect(await currentAggregate(dataset)).toBeNull()
})
