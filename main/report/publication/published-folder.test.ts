import { mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import {
  packArtifact,
  readPublished,
  RESULTS_FOLDER,
  unpackedFolder,
  unpackedForUse,
  unpackedName,
  unpackPublished,
} from './published-folder.ts'

let root: string
beforeEach(async () => {
  root = await temporaryFolder('published')
  await mkdir(join(root, RESULTS_FOLDER), { recursive: true })
})

const published = (name: string): string => join(root, RESULTS_FOLDER, name)
const unpacked = (name: string): Promise<string> => readFile(join(unpackedFolder(root), name), 'utf8')
const rows =
  `${JSON.stringify({ contexts: ['The same text of a document, which every row repeats. '.repeat(20)] })}\n`.repeat(200)

it('packs evidence, matrix and judgments, leaves the summary as it is, and gives the same bytes again', async () => {
  const evidence = packArtifact('evidence', Buffer.from(rows))
  expect(evidence).toEqual(packArtifact('evidence', Buffer.from(rows)))
  expect(evidence.ending).toBe('.br')
  expect(evidence.bytes.length).toBeLessThan(rows.length / 8)
  await writeFile(published('a-b-evidence.jsonl.br'), evidence.bytes)
  expect((await readPublished(published('a-b-evidence.jsonl.br'))).toString()).toBe(rows)
  for (const kind of ['matrix', 'judgments'] as const) expect(packArtifact(kind, Buffer.from('{}')).ending).toBe('.br')
  expect(packArtifact('evaluation', Buffer.from('{}'))).toMatchObject({ ending: '', bytes: Buffer.from('{}') })
})

it('unpacks what is new or changed, keeps files of earlier versions readable, and removes what is gone', async () => {
  await writeFile(published('a-b-evidence.jsonl.br'), packArtifact('evidence', Buffer.from(rows)).bytes)
  await writeFile(published('a-b-evaluation.json'), '{}')
  await writeFile(published('old-b-evidence.jsonl'), 'row\n')
  await writeFile(published('README.md'), 'text')
  await unpackPublished(root)
  const names = ['a-b-evaluation.json', 'a-b-evidence.jsonl', 'old-b-evidence.jsonl']
  expect((await readdir(unpackedFolder(root))).toSorted()).toEqual(names)
  expect(await unpacked('a-b-evidence.jsonl')).toBe(rows)
  expect(await unpacked('old-b-evidence.jsonl')).toBe('row\n')
  const before = await stat(join(unpackedFolder(root), 'a-b-evidence.jsonl'))

  await unpackPublished(root)
  expect((await stat(join(unpackedFolder(root), 'a-b-evidence.jsonl'))).ino).toBe(before.ino)

  await writeFile(published('a-b-evidence.jsonl.br'), packArtifact('evidence', Buffer.from('other\n')).bytes)
  const later = new Date(Date.now() + 5000)
  await utimes(published('a-b-evidence.jsonl.br'), later, later)
  await rm(published('old-b-evidence.jsonl'))
  await unpackPublished(root)
  expect(await unpacked('a-b-evidence.jsonl')).toBe('other\n')
  expect((await readdir(unpackedFolder(root))).toSorted()).toEqual(names.slice(0, 2))
})

it('unpacks the packed one of two files that an earlier version and this one published under the same name', async () => {
  await writeFile(published('a-b-evidence.jsonl.br'), packArtifact('evidence', Buffer.from('packed\n')).bytes)
  await writeFile(published('a-b-evidence.jsonl'), 'earlier\n')
  await unpackPublished(root)
  expect(await unpacked('a-b-evidence.jsonl')).toBe('packed\n')
})

it('names a packed file that is damaged, and unpacks the others', async () => {
  const { bytes } = packArtifact('evidence', Buffer.from(rows))
  bytes[bytes.length >> 1]! ^= 1
  await writeFile(published('a-b-evidence.jsonl.br'), bytes)
  await writeFile(published('c-d-matrix.json.br'), packArtifact('matrix', Buffer.from('{}')).bytes)
  const problems: string[] = []
  await unpackPublished(root, (problem) => problems.push(problem))
  expect(problems).toEqual([
    expect.stringMatching(/^docs\/results\/a-b-evidence\.jsonl\.br cannot be unpacked \(.+\): restore it/),
  ])
  expect(await readdir(unpackedFolder(root))).toEqual(['c-d-matrix.json'])
})

it('has nothing to unpack in a project without results', async () => {
  await rm(join(root, 'docs'), { recursive: true })
  await unpackPublished(root)
  await expect(readdir(unpackedFolder(root))).rejects.toMatchObject({ code: 'ENOENT' })
})

it('gives a packed file to be used under the name that it had', async () => {
  await writeFile(published('a-b-evidence.jsonl.br'), packArtifact('evidence', Buffer.from(rows)).bytes)
  const seen = await unpackedForUse(published('a-b-evidence.jsonl.br'), async (file) => ({
    file,
    text: await readFile(file, 'utf8'),
  }))
  expect(seen.text).toBe(rows)
  expect(seen.file.endsWith('/a-b-evidence.jsonl')).toBe(true)
  await expect(stat(seen.file)).rejects.toMatchObject({ code: 'ENOENT' })
  expect(unpackedName('a-b-evidence.jsonl.br')).toBe('a-b-evidence.jsonl')
  expect(unpackedName('notes.md')).toBeNull()
})
