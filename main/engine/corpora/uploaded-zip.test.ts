import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { strToU8, zipSync } from 'fflate'
import { expect, it } from 'vitest'
import { previewUpload } from './uploaded-zip.ts'

const DATASET = `version: 1
label: Harbour notes
description: ''
questions:
  - id: q-1
    query: How deep is the lock?
    ground_truth: Four metres.
    answerable: true
    hops: 1
    gold: [{ document: 'a/lock.md', fact: four metres }]
  - id: q-2
    query: Who owns the sea?
    ground_truth: Not in the documents.
    answerable: false
    hops: 1
`

const upload = (files: Record<string, string>) => ({
  file_name: 'notes.zip',
  base64: Buffer.from(
    zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)]))),
  ).toString('base64'),
})

it('a preview lists what a zip file holds and leaves no file on disk', async () => {
  const before = (await readdir(tmpdir())).filter((name) => name.startsWith('rag-ladder-upload-'))
  const preview = await previewUpload(
    upload({ 'dataset.yaml': DATASET, 'documents/b.txt': 'two', 'documents/a/lock.md': 'four metres' }),
  )
  expect(preview).toEqual({
    label: 'Harbour notes',
    description: '',
    licence: null,
    questions: 2,
    with_gold: 1,
    documents: 2,
    size_bytes: 14,
    names: ['a/lock.md', 'b.txt'],
  })
  expect((await readdir(tmpdir())).filter((name) => name.startsWith('rag-ladder-upload-'))).toEqual(before)
})

it.each(['../outside.md', 'documents/../../outside.md', '/etc/outside.md', 'documents/C:\\outside.md', 'other.md'])(
  'a zip file with the path %s is refused by the name that the person knows',
  async (name) => {
    await expect(previewUpload(upload({ 'dataset.yaml': DATASET, [name]: 'x' }))).rejects.toThrow(
      `${JSON.stringify(name)} in notes.zip cannot be unpacked`,
    )
  },
)

it('a file that is not a zip file, and a zip file without a dataset, are refused', async () => {
  await expect(previewUpload({ file_name: 'a.zip', base64: Buffer.from('text').toString('base64') })).rejects.toThrow(
    'a.zip is not a zip file',
  )
  await expect(previewUpload(upload({ 'documents/a.md': 'x' }))).rejects.toThrow('notes.zip has no dataset.yaml')
})
