import { expect, it } from 'vitest'
import { plural } from '../../../contract/words.ts'
import { ALIASES, comparedContext, fixtureRow, streamOf, wideDataset } from '../../../tests/helpers/report-rows.ts'
import { aggregateRun } from '../../../tests/helpers/aggregate-run.ts'
import { ingestionWords } from './ingestion-words.ts'

it('chunks without their context are counted from the records of the rows, and are not named where there are none', async () => {
  const dataset = wideDataset('wide', 'Wide', 1)
  const context = { ...comparedContext(dataset), aliases: [ALIASES.vanilla] }
  const rowsWith = (without: readonly number[]) =>
    dataset.questions.map((_, index) => {
      const row = fixtureRow(dataset, ALIASES.vanilla, index)
      const contexts = without[index] === undefined ? {} : { contexts: { chunks: 50, without_context: without[index] } }
      const derivations = [{ artefact: 'contexts' as const, input: 'x', code: 'contexts 1', ...contexts }]
      return { ...row, evidence: { ...row.evidence!, derivations } }
    })
  const some = await aggregateRun(streamOf(rowsWith([2, 1])), context)
  expect(ingestionWords(some)).toBe(
    `Contexts: 2 of ${plural(50, 'chunk')} without one, because its call failed; a resumed run asks again`,
  )
  const none = await aggregateRun(streamOf(rowsWith([])), context)
  expect([none.contexts, ingestionWords(none)]).toEqual([undefined, null])
})

it('documents that the collection lacked are counted from the records of the rows', async () => {
  const dataset = wideDataset('wide', 'Wide', 1)
  const context = { ...comparedContext(dataset), aliases: [ALIASES.vanilla] }
  const rows = dataset.questions.map((_, index) => {
    const row = fixtureRow(dataset, ALIASES.vanilla, index)
    const leftOut = { documents: 12, without_vectors: 2 }
    const derivations = [{ artefact: 'chunks' as const, input: 'x', code: 'chunks 1', left_out: leftOut }]
    return { ...row, evidence: { ...row.evidence!, derivations } }
  })
  expect(ingestionWords(await aggregateRun(streamOf(rows), context))).toBe(
    'Documents: 2 of 12 left out of the search, because a text of them could not be embedded; a new run tries again',
  )
})
