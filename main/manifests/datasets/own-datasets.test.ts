import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import { PROJECT_ROOT } from '../../../tests/helpers/project-root.ts'
import { loadExperiment, type LadderDataset } from '../experiment.ts'
import {
  addOwnDocument,
  createOwnDataset,
  documentNameProblem,
  readOwnDataset,
  removeOwnDataset,
  removedDatasets,
  removeOwnDocument,
  removeQuestion,
  restoreOwnDataset,
  restoreOwnDocument,
  saveQuestions,
  updateOwnDataset,
} from './own-datasets.ts'

let root: string
const FILE = 'datasets/mine/dataset.yaml'

const mine = async (): Promise<LadderDataset> =>
  (await loadExperiment(root)).datasets.find(({ dataset }) => dataset.id === 'mine')!
const draft = (query: string, more: object = {}) => ({
  query,
  ground_truth: null,
  answerable: true,
  hops: null,
  gold: [],
  answer_keys: [],
  rationale: null,
  expect_winner: null,
  tags: [],
  ...more,
})

beforeEach(async () => {
  root = await temporaryFolder('own-datasets')
  await cp(join(PROJECT_ROOT, 'manifests'), join(root, 'manifests'), { recursive: true })
  await createOwnDataset(await loadExperiment(root), { id: 'mine', label: 'Mine', description: '' })
})

describe('the file of a dataset', () => {
  it('keeps comments and fields that a change does not name, and writes questions without defaults', async () => {
    const text = await readFile(join(root, FILE), 'utf8')
    await writeFile(join(root, FILE), `# mine alone\n${text}licence: CC0 # checked\n`)
    const { revision } = await readOwnDataset(root, 'mine')
    await saveQuestions(root, await mine(), revision, [draft('Who?', { tags: ['people'] }), draft('When?')])
    await updateOwnDataset(root, 'mine', null, { label: 'Ours', complexity_level: 4 })
    const after = await readFile(join(root, FILE), 'utf8')
    expect(after).toContain('# mine alone')
    expect(after).toContain('licence: CC0 # checked')
    expect(after).toContain('- id: q-2\n    query: When?\n')
    expect((await mine()).dataset).toMatchObject({ label: 'Ours', complexity_level: 4 })
  })

  it('is not written by a change that was made on another revision, or that would make it invalid', async () => {
    const { revision } = await readOwnDataset(root, 'mine')
    await updateOwnDataset(root, 'mine', revision, { label: 'Second' })
    const text = await readFile(join(root, FILE), 'utf8')
    await expect(updateOwnDataset(root, 'mine', revision, { label: 'Third' })).rejects.toMatchObject({
      path: 'revision',
    })
    const chunker = { strategy: 'recursive' as const, chunk_size: 10, overlap: 10 }
    await expect(updateOwnDataset(root, 'mine', null, { chunker })).rejects.toThrow(/overlap must be less/)
    const drafts = [draft('Who?'), draft('Where?', { gold: [{ document: 'none.md', fact: 'x' }] })]
    await expect(saveQuestions(root, await mine(), null, drafts)).rejects.toMatchObject({
      path: 'questions[1].gold[0]',
      message: expect.stringContaining('none.md is not in datasets/mine/documents') as string,
    })
    await expect(saveQuestions(root, await mine(), null, [draft('Who?'), draft(' Who? ')])).rejects.toMatchObject({
      path: 'questions[1].query',
    })
    await expect(removeQuestion(root, 'mine', null, 'q-9')).rejects.toMatchObject({ path: 'question_id' })
    expect(await readFile(join(root, FILE), 'utf8')).toBe(text)
  })
})

describe('documents', () => {
  it('are added whole, never over another one, and come back from the trash', async () => {
    const bytes = Buffer.from([0, 255, 10, 13])
    expect(await addOwnDocument(root, 'mine', 'deep/e\u0301.pdf', bytes)).toEqual({ path: 'deep/é.pdf', size_bytes: 4 })
    const file = join(root, 'datasets/mine/documents/deep/é.pdf')
    expect(await readFile(file)).toEqual(bytes)
    await expect(addOwnDocument(root, 'mine', 'deep/é.pdf', bytes)).rejects.toMatchObject({ path: 'name' })
    await removeOwnDocument(root, 'mine', 'deep/é.pdf')
    expect(await readdir(join(root, 'datasets/mine/documents/deep'))).toEqual([])
    await addOwnDocument(root, 'mine', 'deep/é.pdf', Buffer.from('new'))
    await expect(restoreOwnDocument(root, 'mine', 'deep/é.pdf')).rejects.toThrow(/has a document/)
    await rm(file)
    await restoreOwnDocument(root, 'mine', 'deep/é.pdf')
    expect(await readFile(file)).toEqual(bytes)
  })

  it.each([
    '../out.md',
    '/etc/passwd',
    '.hidden',
    'a/.b/c.md',
    'con?.md',
    'tab\t.md',
    'end.',
    'CON',
    'deep/aux.md',
    `${'x'.repeat(201)}.md`,
    '',
  ])('cannot be called %j', async (name) => {
    expect(documentNameProblem(name)).not.toBeNull()
    await expect(addOwnDocument(root, 'mine', name, Buffer.from('x'))).rejects.toMatchObject({ path: 'name' })
    await expect(removeOwnDocument(root, 'mine', name)).rejects.toMatchObject({ path: 'path' })
  })
})

it('a removed dataset is kept in the trash unchanged, and can be restored unless its name is taken again', async () => {
  await addOwnDocument(root, 'mine', 'a.md', Buffer.from('Text.'))
  const trashId = await removeOwnDataset(root, 'mine', new Date('2026-11-23T10:00:00.000Z'))
  expect(await mine()).toBeUndefined()
  expect(await removedDatasets(root)).toEqual([
    { trash_id: trashId, dataset_id: 'mine', label: 'Mine', removed_at: '2026-11-23T10:00:00.000Z' },
  ])
  await createOwnDataset(await loadExperiment(root), { id: 'mine', label: 'Other', description: '' })
  await expect(restoreOwnDataset(root, trashId)).rejects.toThrow(/there is a dataset mine again/)
  await removeOwnDataset(root, 'mine', new Date('2026-11-23T11:00:00.000Z'))
  expect((await removedDatasets(root)).map(({ label }) => label)).toEqual(['Other', 'Mine'])
  expect(await restoreOwnDataset(root, trashId)).toBe('mine')
  expect(await readFile(join(root, 'datasets/mine/documents/a.md'), 'utf8')).toBe('Text.')
  await expect(restoreOwnDataset(root, '../mine')).rejects.toMatchObject({ path: 'trash_id' })
})
