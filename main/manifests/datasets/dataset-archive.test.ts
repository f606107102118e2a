import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate'
import { beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import { PROJECT_ROOT } from '../../../tests/helpers/project-root.ts'
import { exportDataset, importDataset, previewDataset } from './dataset-archive.ts'
import { loadExperiment } from '../experiment.ts'
import { addOwnDocument, createOwnDataset } from './own-datasets.ts'

let root: string
let file: string
beforeEach(async () => {
  root = await temporaryFolder('dataset-archive')
  await cp(join(PROJECT_ROOT, 'manifests'), join(root, 'manifests'), { recursive: true })
  await createOwnDataset(await loadExperiment(root), { id: 'mine', label: 'Mine', description: '' })
  await addOwnDocument(root, 'mine', 'deep/lock.md', Buffer.from('founded in 1904'))
  file = join(root, 'mine.zip')
  await exportDataset(root, 'mine', file)
})

/** The exported file with some entries replaced, all their checksums in the archive right; null removes one. */
async function change(changes: Record<string, string | null>): Promise<void> {
  const entries = new Map(Object.entries(unzipSync(await readFile(file))))
  for (const [name, text] of Object.entries(changes))
    if (text === null) entries.delete(name)
    else entries.set(name, strToU8(text))
  await writeFile(file, zipSync(Object.fromEntries(entries)))
}
const importAs = async (id: string) => importDataset(await loadExperiment(root), file, id)

it('an imported dataset has the files of the exported one and no other', async () => {
  expect(await importAs('copy')).toBe(1)
  expect((await readdir(join(root, 'datasets/copy'), { recursive: true })).sort()).toEqual([
    'dataset.yaml',
    'documents',
    'documents/deep',
    'documents/deep/lock.md',
  ])
  expect(await previewDataset(file)).toMatchObject({ documents: ['deep/lock.md'], documentBytes: 15 })
})

it('a document that was changed after the export is refused by its checksum, and nothing is left', async () => {
  await change({ 'documents/deep/lock.md': 'founded in 1994' })
  await expect(importAs('copy')).rejects.toThrow(/lock\.md in .*mine\.zip was changed after the export/)
  expect(await readdir(join(root, 'datasets'))).toEqual(['mine'])
})

it('a document that was removed or added after the export is refused', async () => {
  await change({ 'documents/deep/lock.md': null })
  await expect(importAs('copy')).rejects.toThrow('documents/deep/lock.md, which checksums.json lists, is missing')
  await rm(file)
  await exportDataset(root, 'mine', file)
  await change({ 'documents/more.md': 'x' })
  await expect(importAs('copy')).rejects.toThrow('documents/more.md in')
})

it('a zip of an earlier version, without checksums, is imported', async () => {
  await change({ 'checksums.json': null })
  expect(await importAs('copy')).toBe(1)
})

it.each(['documents/CON', 'documents/deep/aux.md', 'documents/a:b.md', 'other.md'])(
  'an archive with %s is refused',
  async (name) => {
    await change({ 'checksums.json': null, [name]: 'x' })
    await expect(importAs('copy')).rejects.toThrow(`${JSON.stringify(name)} in ${file} cannot be unpacked`)
  },
)

it('a label longer than a person may write is refused', async () => {
  const manifest = strFromU8(unzipSync(await readFile(file))['dataset.yaml']!)
  await change({
    'checksums.json': null,
    'dataset.yaml': manifest.replace('label: Mine', `label: ${'x'.repeat(9000)}`),
  })
  await expect(importAs('copy')).rejects.toThrow('label has 9000 characters, more than 120')
})
