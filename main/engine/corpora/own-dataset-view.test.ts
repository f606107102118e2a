import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { OwnDatasetFile, ownDatasetOf } from '../../../contract/index.ts'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import { checkDataset } from './own-dataset-view.ts'

/** A dataset of twelve questions, each on the document that `documentOf` names. */
async function checked(documentOf: (question: number) => string) {
  const root = await temporaryFolder()
  const folder = join(root, 'datasets/mine/documents')
  await mkdir(folder, { recursive: true })
  const questions = await Promise.all(
    Array.from({ length: 12 }, async (_, index) => {
      const document = documentOf(index)
      await writeFile(join(folder, document), 'The lock opens at six.')
      return { id: `q-${index}`, query: `Question ${index}?`, gold: [{ document, fact: 'opens at six' }] }
    }),
  )
  const file = OwnDatasetFile.parse({ version: 1, label: 'Mine', questions })
  return checkDataset(root, { ...ownDatasetOf('mine', file), declaredIn: 'datasets/mine/dataset.yaml' })
}

describe('the check of a dataset', () => {
  it('names the difference that its independent questions can decide', async () => {
    const { problems, detectable_difference: difference } = await checked((question) => `${question}.md`)
    expect(problems).toEqual([])
    expect(difference).toBeGreaterThan(0.2)
    expect(difference).toBeLessThan(0.4)
  })

  it('claims no such difference where questions that share a document leave fewer groups than an interval needs', async () => {
    expect((await checked(() => 'lock.md')).detectable_difference).toBeNull()
  })

  it('counts questions that share a document as one group', async () => {
    const apart = (await checked((question) => `${question}.md`)).detectable_difference!
    const pairs = (await checked((question) => `${Math.min(question, 8)}.md`)).detectable_difference!
    expect(pairs).toBeGreaterThan(apart)
  })
})
