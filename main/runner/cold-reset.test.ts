import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { artifactFiles } from '../evidence/artifact-files.ts'
import { fileStore } from '../evidence/evidence-store.ts'
import { coldReset, describeDeletions, listDeletions, mustConfirm, rowsIn, type ResetScope } from './cold-reset.ts'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'cold-reset-'))
})
afterEach(() => rm(root, { recursive: true, force: true }))

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
  it('deletes exactly the listed files, human round, seal and ballots among them', async () => {
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
    expect(await coldReset(scopeOf(), [list])).toBe(
      '10 files with 3 finished rows deleted; collections of the embedded platform deleted',
    )
    expect((await listDeletions(scopeOf())).items).toEqual([])
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

  it('refuses, and deletes nothing, when rows were stored after the list was confirmed', async () => {
    await writeEverything()
    const list = await listDeletions(scopeOf())
    await write(scopeOf().files.evidence, '{}\n'.repeat(4))
    await expect(coldReset(scopeOf(), [list])).rejects.toMatchObject({
      code: 'cold_reset_changed',
      message: expect.stringContaining('has 4 rows, 3 were confirmed. Nothing was deleted.'),
    })
    expect(await readdir(join(root, 'results'))).toHaveLength(8)
  })

  it('refuses when a file appeared that the confirmed list does not name', async () => {
    const list = await listDeletions(scopeOf())
    await write(join(root, 'results/r-smoke-human-round.json'), '{}')
    await expect(coldReset(scopeOf(), [list])).rejects.toThrow('human-round.json was not in the list')
  })

  it('asks no confirmation where only collections would be deleted, which the run builds again', async () => {
    await write(join(root, '.rag-ladder/platform/smoke/x'), 'x')
    expect(mustConfirm([await listDeletions(scopeOf())])).toBe(false)
  })
})
