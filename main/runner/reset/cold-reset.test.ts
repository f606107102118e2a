import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import { artifactFiles } from '../../evidence/files/artifact-files.ts'
import { nameButtonsInRemedies } from '../../evidence/typed-command.ts'
import { fileStore } from '../../evidence/evidence-store.ts'
import { listTrash, restoreTrash } from '../../lib/files/trash.ts'
import { coldReset, describeDeletions, listDeletions, mustConfirm, rowsIn, type ResetScope } from './cold-reset.ts'

let root: string
beforeEach(async () => {
  root = await temporaryFolder('cold-reset')
})

async function write(path: string, text: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
  return path
}

const scopeOf = (part: Partial<ResetScope> = {}): ResetScope => ({
  root,
  runId: 'r',
  datasetId: 'smoke',
  files: artifactFiles(join(root, 'results'), 'r', 'smoke'),
  store: fileStore,
  collections: join(root, '.rag-ladder/platform/smoke'),
  ...part,
})

/** Every file of a finished, judged run that a person voted on. */
async function writeEverything(): Promise<string[]> {
  const { files } = scopeOf()
  const named = [
    await write(files.evidence, '{}\n{}\n{}\n'),
    await write(`${files.evidence}.torn-1`, 'x'),
    await write(files.evaluation, '{}'),
    await write(files.matrix, '{}'),
    await write(files.judgments, '{}'),
    await write(join(root, 'results/r-smoke-human-round.json'), '{}'),
    await write(join(root, 'results/r-smoke-human-seal.json'), '{}'),
    await write(join(root, 'results/r-smoke-human.json'), '{}'),
    await write(join(root, '.rag-ladder/judging/r--smoke.json'), '{}'),
    await write(join(root, '.rag-ladder/judging/r--smoke-votes.json'), '{}'),
  ]
  await write(join(root, '.rag-ladder/platform/smoke/store/vectors.bin'), '12345678')
  return named
}

describe('coldReset', () => {
  it('moves exactly the listed files to the trash, human round, seal and ballots among them, and they can be restored', async () => {
    const named = await writeEverything()
    const others = [
      await write(join(root, 'results/r-other-evidence.jsonl'), '{}\n'),
      await write(join(root, 'results/r2-smoke-evidence.jsonl'), '{}\n'),
      await write(join(root, '.rag-ladder/judging/r--other.json'), '{}'),
      await write(join(root, '.rag-ladder/platform/other/x'), 'x'),
    ]
    const list = await listDeletions(scopeOf())
    expect(list.items.map(({ path }) => path).toSorted()).toEqual(
      [...named, join(root, '.rag-ladder/platform/smoke')].toSorted(),
    )
    expect(list.items.find(({ what }) => what === 'collections')).toMatchObject({ size_bytes: 8, rows: null })
    expect([rowsIn([list]), mustConfirm([list])]).toEqual([3, true])
    const note = await coldReset(scopeOf(), [list])
    expect(note).toMatch(
      /^10 files with 3 finished rows moved to the trash: rag-ladder trash restore r@\S+; collections \(8 B\) moved to the trash: rag-ladder trash restore r@\S+-collections \(kept for 30 days\)$/,
    )
    expect((await listDeletions(scopeOf())).items).toEqual([])
    const state = join(root, '.rag-ladder')
    for (const { trash_id } of await listTrash(state)) await restoreTrash(state, trash_id)
    expect(await listDeletions(scopeOf())).toEqual(list)
    expect(await listTrash(state)).toEqual([])
    for (const file of others) expect((await readFile(file)).length).toBeGreaterThan(0)
  })

  it('lists the files that variables put elsewhere, with their rows, and not those at the default names', async () => {
    const elsewhere = await write(join(root, 'docs/other-run-evidence.jsonl'), '{}\n'.repeat(72))
    await write(scopeOf().files.evidence, '{}\n')
    const scope = scopeOf({ files: { ...scopeOf().files, evidence: elsewhere }, collections: null })
    const list = await listDeletions(scope)
    expect(list.items).toEqual([{ what: 'evidence', path: elsewhere, size_bytes: 216, rows: 72 }])
    expect(describeDeletions([list])).toEqual([
      `  smoke: evidence ${elsewhere} (72 finished rows, 216 B)`,
      '  smoke: collections of the external platform are kept',
    ])
  })

  it('refuses, and removes nothing, when rows were stored after the list was confirmed', async () => {
    await writeEverything()
    const list = await listDeletions(scopeOf())
    await write(scopeOf().files.evidence, '{}\n'.repeat(4))
    await expect(coldReset(scopeOf(), [list])).rejects.toMatchObject({
      code: 'cold_reset_changed',
      message: expect.stringContaining('has 4 rows, 3 were confirmed. Nothing was removed.'),
    })
    expect(await readdir(join(root, 'results'))).toHaveLength(8)
  })

  it('refuses when a file appeared that the confirmed list does not name', async () => {
    const list = await listDeletions(scopeOf())
    await write(join(root, 'results/r-smoke-human-round.json'), '{}')
    await expect(coldReset(scopeOf(), [list])).rejects.toThrow('human-round.json was not in the list')
  })

  it('asks for confirmation where only collections would be removed: building them again may cost money', async () => {
    await write(join(root, '.rag-ladder/platform/smoke/vectors.sqlite'), 'x')
    expect(mustConfirm([await listDeletions(scopeOf())])).toBe(true)
  })

  it('leaves the records of users that the platform keeps beside collections', async () => {
    const folder = join(root, '.rag-ladder/platform/smoke')
    await write(join(folder, 'graph/g.sqlite'), 'x')
    for (const name of [
      'platform.sqlite',
      'platform.sqlite-wal',
      'memory-vectors.sqlite',
      'storage/objects/a',
      'models/m',
    ])
      await write(join(folder, name), 'kept')
    await coldReset(scopeOf(), null)
    expect((await readdir(folder)).toSorted()).toEqual([
      'memory-vectors.sqlite',
      'models',
      'platform.sqlite',
      'platform.sqlite-wal',
      'storage',
    ])
  })
})

describe('files that are not the run’s own', () => {
  const row = (run: string, dataset = 'smoke'): string =>
    `{"schema_version":1,"run_id":"${run}","row_id":"x","dataset":{"id":"${dataset}"},"question":{"id":"q"}}\n`
  const scopeWith = (evidence: string): ResetScope => scopeOf({ files: { ...scopeOf().files, evidence } })
  const refusal = async (scope: ResetScope): Promise<string> => {
    const before = await readdir(root, { recursive: true })
    const error: unknown = await coldReset(scope, null).catch((caught: unknown) => caught)
    expect((await readdir(root, { recursive: true })).filter((name) => !name.startsWith('results'))).toEqual(
      before.filter((name) => !name.startsWith('results')),
    )
    return (error as Error).message
  }

  it('a published result is not reset, whatever a variable names', async () => {
    const file = await write(join(root, 'docs/results/r-smoke-evidence.jsonl'), row('r'))
    expect(await refusal(scopeWith(file))).toContain(`${file}: a cold reset does not remove it, because docs/results`)
    nameButtonsInRemedies()
    onTestFinished(() => nameButtonsInRemedies(false))
    expect(await refusal(scopeWith(file))).toMatch(/; start the run without "Cold start", or under another name$/)
  })

  it('a link to a published result is not reset either', async () => {
    const file = await write(join(root, 'docs/results/r-smoke-evidence.jsonl'), row('r'))
    await symlink(file, join(root, 'link.jsonl'))
    expect(await refusal(scopeWith(join(root, 'link.jsonl')))).toContain('docs/results holds published results')
  })

  it('a file that git tracks is not reset', async () => {
    const file = await write(join(root, 'results/r-smoke-evidence.jsonl'), row('r'))
    const git = (...args: string[]) => promisify(execFile)('git', ['-C', root, ...args])
    await git('init', '--quiet')
    expect(await coldReset(scopeWith(file), null)).toContain('1 file with 1 finished row moved')
    await write(file, row('r'))
    await git('add', '--force', file)
    expect(await refusal(scopeWith(file))).toContain('because git tracks it')
  })

  it.each([
    ['another run', row('other'), 'it holds the run other on smoke'],
    ['this run on another dataset', row('r', 'else'), 'it holds the run r on else'],
    ['rows of two runs', row('r') + row('second'), 'it holds rows of the run second'],
    ['something else', 'My notes\n', 'it holds no row of this run'],
  ])('a file that a variable names and that holds %s is not reset', async (_what, text, reason) => {
    const file = await write(join(root, 'mine/file.jsonl'), text)
    const message = await refusal(scopeWith(file))
    expect(message).toContain(`${file} (MATRIX_CANONICAL_FILE): ${reason}`)
    expect(await readFile(file, 'utf8')).toBe(text)
  })

  it('a damaged log with the run’s own name is reset', async () => {
    await write(scopeOf().files.evidence, '{"torn')
    expect(await coldReset(scopeOf(), null)).toContain('1 file with')
  })
})
