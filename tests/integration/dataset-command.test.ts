import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zipSync } from 'fflate'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runCli, smokeProject } from '../helpers/cli.ts'

let root: string
let away: string
const dataset = (...args: string[]) => runCli(['dataset', ...args, '--project', root])
const mine = (file = ''): string => join(root, 'datasets/mine', file)
const FACT = 'Ida Moore keeps the lock at Alder Weir.'

beforeAll(async () => {
  ;[root, away] = [await smokeProject(), await mkdtemp(join(tmpdir(), 'dataset-command-'))]
  await mkdir(join(away, 'papers/old'), { recursive: true })
  await writeFile(join(away, 'papers/lock.md'), `# Lock\n\n${FACT}\n`)
  await writeFile(join(away, 'papers/old/fees.csv'), 'class,marks\nK3,218\n')
  await writeFile(join(away, 'papers/.hidden'), 'no document')
  await writeFile(join(away, 'film.mov'), Buffer.alloc(300_000, 7))
  await writeFile(
    join(away, 'questions.csv'),
    `question,answer,document,fact\nWho keeps the lock?,Ida Moore,lock.md,${FACT}\n`,
  )
})
afterAll(() => Promise.all([root, away].map((folder) => rm(folder, { recursive: true, force: true }))))

it('goes from a folder of papers to a checked dataset', async () => {
  expect(await dataset('new', 'mine', '--label', 'My papers')).toMatchObject({
    code: 0,
    stdout: 'made datasets/mine/: add documents with "rag-ladder dataset add mine FILE…"\n',
  })
  const added = await dataset('add', 'mine', join(away, 'papers'), join(away, 'film.mov'))
  expect(added).toMatchObject({ code: 0, stdout: '3 documents added to mine\n' })
  expect(await readdir(mine('documents'), { recursive: true })).toEqual(['film.mov', 'lock.md', 'old', 'old/fees.csv'])
  const again = await dataset('add', 'mine', join(away, 'papers'))
  expect(again.code).toBe(2)
  expect(again.stdout).toContain('mine has a document lock.md already')
  expect(await dataset('questions', 'mine', join(away, 'questions.csv'))).toMatchObject({
    code: 0,
    stdout: '1 question added to mine, which has 1 now\n',
  })
  const checked = await dataset('check', 'mine')
  expect(checked.code).toBe(2)
  expect(checked.stdout).toContain('film.mov: no reader of the profile takes this kind of file')
  expect((await dataset('list')).stdout).toMatch(
    /^mine {2}My papers · 1 question · your own · datasets\/mine\/documents$/m,
  )
})

it('adds no question unless all rows can be', async () => {
  const file = join(away, 'wrong.csv')
  await writeFile(file, 'question,document,fact\nWho?,lock.md,Nobody keeps it.\nWhen?,,\n')
  const before = await readFile(mine('dataset.yaml'), 'utf8')
  const run = await dataset('questions', 'mine', file)
  expect(run.code).toBe(2)
  expect(run.stdout).toMatch(/row 2: lock\.md does not hold the fact .*The nearest passage is "Ida Moore keeps/)
  expect(run.stdout).toContain('nothing was added: correct 1 row of 2')
  expect(await readFile(mine('dataset.yaml'), 'utf8')).toBe(before)
})

it('comes back from its archive byte by byte, and from the trash', async () => {
  const file = join(away, 'mine.zip')
  expect(await dataset('export', 'mine', '--out', file)).toMatchObject({ code: 0 })
  expect((await dataset('export', 'mine', '--out', file)).stderr).toContain('exists: name another file')
  expect(await dataset('import', file, '--as', 'copy')).toMatchObject({
    code: 0,
    stdout: 'datasets/copy/: 3 documents\n',
  })
  for (const name of ['dataset.yaml', 'documents/film.mov', 'documents/lock.md', 'documents/old/fees.csv'])
    expect(await readFile(join(root, 'datasets/copy', name)), name).toEqual(await readFile(mine(name)))
  expect((await dataset('import', file, '--as', 'copy')).stderr).toContain(
    'there is a dataset, profile or folder copy already',
  )

  const removed = await dataset('remove', 'copy')
  const [name] = /copy@\S+(?=")/.exec(removed.stdout)!
  expect((await dataset('restore')).stdout).toContain(name)
  expect(await dataset('restore', name)).toMatchObject({ code: 0, stdout: 'copy is back\n' })
})

it('imports a public dataset in its own format, as a sample', async () => {
  const corpus = ['Alder Weir', 'Ida Moore', 'Leeds'].map((title, at) => ({
    _id: `d${at}`,
    title,
    text: `${title} is old.`,
  }))
  await mkdir(join(away, 'weirs/qrels'), { recursive: true })
  await writeFile(join(away, 'weirs/corpus.jsonl'), corpus.map((each) => JSON.stringify(each)).join('\n'))
  await writeFile(join(away, 'weirs/queries.jsonl'), '{"_id":"q1","text":"How old?"}\n')
  await writeFile(join(away, 'weirs/qrels/test.tsv'), 'query-id\tcorpus-id\tscore\nq1\td1\t1\n')
  const imported = await dataset('import', join(away, 'weirs'), '--documents', '2')
  expect(imported).toMatchObject({ code: 0, stderr: '' })
  expect(imported.stdout).toContain('datasets/weirs/: weirs, 1 question of 1, 2 documents of 3\nRead as BEIR\n')
  expect((await dataset('check', 'weirs')).stdout).toContain('2 documents, 1 question: no problem found')
  const wrong = await dataset('import', join(away, 'weirs'), '--as', 'w2', '--questions', 'some')
  expect(wrong).toMatchObject({ code: 2 })
  expect(wrong.stderr).toContain('invalid value for --questions: expected a whole number from 1, got some')
})

it.each([
  ['a path that leads out', { 'dataset.yaml': 'version: 1', 'documents/../../out.md': 'x' }, 'cannot be unpacked'],
  ['a hidden file', { 'dataset.yaml': 'version: 1', 'documents/.profile': 'x' }, 'cannot be unpacked'],
  [
    'another folder',
    { 'dataset.yaml': 'version: 1', 'manifests/models.yaml': 'x' },
    'neither dataset.yaml nor below documents/',
  ],
  ['no dataset file', { 'documents/a.md': 'x' }, 'it is not an exported dataset'],
  ['a dataset file that is none', { 'dataset.yaml': 'version: 1\nquestions: []\n' }, 'label'],
])('an archive with %s is refused and leaves nothing', async (_what, files, problem) => {
  const file = join(away, 'foreign.zip')
  await writeFile(
    file,
    zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, Buffer.from(text)]))),
  )
  const run = await dataset('import', file)
  expect(run.code).toBe(2)
  expect(run.stderr).toContain(problem)
  expect((await readdir(join(root, 'datasets'))).filter((name) => name.includes('foreign'))).toEqual([])
  expect(await readdir(join(root, '..'))).not.toContain('out.md')
})

it('a file that is no archive, and one that is cut off, are refused', async () => {
  await writeFile(join(away, 'text.zip'), 'no archive at all')
  expect((await dataset('import', join(away, 'text.zip'))).stderr).toContain('is not a zip file')
  const whole = await readFile(join(away, 'mine.zip'))
  await writeFile(join(away, 'cut.zip'), whole.subarray(0, Math.floor(whole.length / 2)))
  const cut = await dataset('import', join(away, 'cut.zip'))
  expect(cut.code).toBe(2)
  expect((await readdir(join(root, 'datasets'))).filter((name) => name.includes('cut'))).toEqual([])
})
