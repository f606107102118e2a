import { join } from 'node:path'
import { expect, it } from 'vitest'
import { comparedContext, comparedRows, REPORT_RUN, streamOf, wideDataset } from '../../tests/helpers/report-rows.ts'
import { temporaryFolder } from '../../tests/helpers/temporary-folder.ts'
import { artifactFiles } from '../evidence/files/artifact-files.ts'
import { comparedMetric } from './aggregate/aggregate-access.ts'
import { contextAgain, writeArtifacts } from './publication/write-artifacts.ts'

/** A run of a person's own dataset with so many of its questions, and then with all. */
async function twice(plan: 'open' | 'fixed') {
  const all = wideDataset('wide', 'Wide', 1)
  const few = { ...all, questions: all.questions.slice(0, 14) }
  const files = artifactFiles(join(await temporaryFolder()), REPORT_RUN, 'wide')
  const write = async (dataset: typeof all) => {
    const context = { ...comparedContext(dataset), looks: { plan, seen: [] } }
    return (await writeArtifacts(files, streamOf(comparedRows(dataset)), context)).aggregate
  }
  return { files, first: await write(few), again: await write(few), second: await write(all) }
}

it('a run that is resumed with more questions records another look and corrects its tests for it', async () => {
  const { first, again, second, files } = await twice('open')
  expect(first.looks).toMatchObject({ plan: 'open', seen: [{ questions: 14 }] })
  expect(again.looks).toEqual(first.looks)
  expect(second.looks!.seen.map(({ questions }) => questions)).toEqual([14, 24])
  const uncorrected = comparedMetric((await twice('fixed')).first, 'recall_at_5')!
  const corrected = comparedMetric(first, 'recall_at_5')!
  const values = (compared: typeof corrected) => compared.pairs.flatMap(({ p }) => (p === null ? [] : [p]))
  expect(values(corrected).length).toBeGreaterThan(0)
  for (const [at, p] of values(corrected).entries())
    expect(p / Math.min(1, values(uncorrected)[at]! / 0.8)).toBeCloseTo(1, 4)
  expect(second.verdict!.sentences.join(' ')).toContain(
    'This is look 2 (14, then 24 questions) and its tests are corrected for all 2.',
  )
  expect((await contextAgain(second, files)).looks).toEqual(second.looks)
})

it('a look that a fixed plan did not have decides nothing and says so', async () => {
  const { second } = await twice('fixed')
  expect(comparedMetric(second, 'recall_at_5')!.decided.decided).toBe(0)
  expect(second.verdict!.sentences.join(' ')).toContain('The plan was one look and this is look 2')
})
