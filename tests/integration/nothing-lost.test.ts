import { execFile } from 'node:child_process'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { runCli, smokeProject } from '../helpers/cli.ts'
import { smokeRun } from '../helpers/ladder-run.ts'

/** A project with one finished run, whose files must survive what cannot start. */
let root: string
let user: Record<string, string>
let evidence: string
let rows: string

const ladder = (run = 'done', ...more: string[]): string[] => [
  'ladder',
  ...smokeRun(root, run),
  '--models',
  'vanilla-rag',
  '--no-publish',
  '--no-evaluate',
  ...more,
]

beforeAll(async () => {
  root = await smokeProject()
  user = { RAG_LADDER_USER_DIR: join(root, 'person') }
  evidence = join(root, 'results/done-smoke-evidence.jsonl')
  expect((await runCli(ladder(), user)).code).toBe(0)
  rows = await readFile(evidence, 'utf8')
})
afterAll(() => rm(root, { recursive: true, force: true }))
beforeEach(() => rm(join(root, '.env'), { force: true }))

const kept = async (): Promise<void> => expect(await readFile(evidence, 'utf8')).toBe(rows)

it('a malformed limit in the env file stops a cold run before its reset', async () => {
  await writeFile(join(root, '.env'), 'RESEARCH_MAX_CONCURRENT=many\n')
  const result = await runCli(ladder(), user)
  expect(result.code).toBe(2)
  expect(result.stdout).toContain('RESEARCH_MAX_CONCURRENT: invalid value "many"')
  await kept()
})

it('a malformed setting of the platform stops a cold run before its reset', async () => {
  const result = await runCli(ladder(), { ...user, MEDIA_BUDGET_ENABLED: 'perhaps' })
  expect([result.code, result.stdout]).toEqual([2, expect.stringContaining('MEDIA_BUDGET_ENABLED')])
  await kept()
})

it('a named file with the rows of another run is neither reset nor written', async () => {
  for (const named of ['docs/results/done-smoke-evidence.jsonl', 'kept/mine.jsonl']) {
    await mkdir(join(root, named, '..'), { recursive: true })
    await writeFile(join(root, named), rows)
    const result = await runCli(ladder('other'), { ...user, MATRIX_CANONICAL_FILE: named })
    expect([result.code, result.stderr]).toEqual([2, expect.stringContaining('it holds the run done on smoke')])
    expect(await readFile(join(root, named), 'utf8')).toBe(rows)
  }
  const summary = join(root, 'results/done-smoke-evaluation.json')
  const before = await readFile(summary, 'utf8')
  const result = await runCli(ladder('other', '--no-cold-reset'), { ...user, MATRIX_SUMMARY_FILE: summary })
  expect([result.code, result.stderr]).toEqual([2, expect.stringContaining('MATRIX_SUMMARY_FILE')])
  expect(await readFile(summary, 'utf8')).toBe(before)
})

it('rows that git tracks are not reset', async () => {
  await promisify(execFile)('git', ['-C', root, 'init', '--quiet'])
  await promisify(execFile)('git', ['-C', root, 'add', '--force', evidence])
  try {
    const result = await runCli(ladder(), user)
    expect([result.code, result.stderr]).toEqual([2, expect.stringContaining('git tracks it')])
    await kept()
  } finally {
    await rm(join(root, '.git'), { recursive: true, force: true })
  }
})

it('the number of files in the env file holds, and a credential in it is ignored with a warning until the file is trusted', async () => {
  await writeFile(join(root, '.env'), 'RAG_INGESTION_MAX_FILES=1\nMATRIX_MODELS=no-such-alias\n')
  const untrusted = await runCli(ladder('limited'), user)
  expect(untrusted.code).toBe(5)
  expect(untrusted.stderr).toContain('.env: MATRIX_MODELS is ignored, because a project may come from anyone')
  expect(untrusted.stdout + untrusted.stderr).toContain('has more than 1 files')

  expect((await runCli(['trust', join(root, '.env')], user)).stdout).toContain(join(root, '.env'))
  const trusted = await runCli(['plan', ...smokeRun(root, 'limited')], user)
  expect([trusted.code, trusted.stderr]).toEqual([2, expect.stringContaining('no-such-alias')])

  await writeFile(join(root, '.env'), 'MATRIX_MODELS=changed\n')
  const changed = await runCli(['plan', ...smokeRun(root, 'limited')], user)
  expect(changed.stderr).toContain('MATRIX_MODELS is ignored')
})

it('what a cold reset replaces can be restored', async () => {
  const again = await runCli(ladder(), user)
  expect(again.code).toBe(0)
  const list = (await runCli(['trash', 'list', '--project', root], user)).stdout
  const [name] = /^done@\S+Z(?=\s)/m.exec(list) ?? []
  expect(list).toContain('files of a cold reset')
  const taken = await runCli(['trash', 'restore', name!, '--project', root], user)
  expect([taken.code, taken.stderr]).toEqual([2, expect.stringContaining('is there again')])
  expect((await runCli(['trash', 'restore', name!, '--replace', '--project', root], user)).code).toBe(0)
  await kept()
  expect((await runCli(['trash', 'empty', '--project', root], user)).stdout).toContain('removed for good')
})
