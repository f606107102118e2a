import { createHash } from 'node:crypto'
import { chmod, cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCli } from '../helpers/cli.ts'
import { startEngine } from '../helpers/engine-process.ts'
import { PROJECT_ROOT } from '../helpers/project-root.ts'

// A project that version 0.1.0 worked on, as it left its files: manifests in the older layout, a finished run, settings, tokens, and what it kept per person. The fixture was
// written by that version; only its tokens are invented.

const FIXTURE = join(PROJECT_ROOT, 'tests/fixtures/version-0.1.0')
const RUN = 'version-0-1'
const EVIDENCE = `results/${RUN}-smoke-evidence.jsonl`

let root: string
let person: string
/** Digest of every file that version 0.1.0 left, by its path. */
let before: Record<string, string>

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'version-0-1-'))
  person = join(root, 'person')
  for (const part of ['manifests', 'results', 'person'])
    await cp(join(FIXTURE, part), join(root, part), { recursive: true })
  await cp(join(FIXTURE, 'state'), join(root, '.rag-ladder'), { recursive: true })
  await cp(join(PROJECT_ROOT, 'corpus/smoke'), join(root, 'corpus/smoke'), { recursive: true })
  // git keeps no modes: version 0.1.0 wrote its tokens for this user alone.
  await chmod(join(root, '.rag-ladder/secrets.json'), 0o600)
  before = await digests()
})
afterAll(() => rm(root, { recursive: true, force: true, maxRetries: 5 }))

async function digests(): Promise<Record<string, string>> {
  const entries = (await readdir(root, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
  const files = entries.map((entry) => join(entry.parentPath, entry.name)).toSorted()
  const digest = async (file: string): Promise<[string, string]> => [
    file.slice(root.length + 1),
    createHash('sha256')
      .update(await readFile(file))
      .digest('hex'),
  ]
  return Object.fromEntries(await Promise.all(files.map(digest)))
}

const cli = (...args: string[]) => runCli([...args, '--project', root], { RAG_LADDER_USER_DIR: person })
const UNASKED = ['--no-cold-reset', '--no-publish']

describe('a project of version 0.1.0', () => {
  it('has evidence that verifies byte for byte, with every row and its checksum', async () => {
    const { code, stdout } = await cli('verify', join(root, EVIDENCE))
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('8 rows, 8 with checksum') })
  })

  it('is summarized with the means that version 0.1.0 computed', async () => {
    const stored = JSON.parse(await readFile(join(root, `results/${RUN}-smoke-evaluation.json`), 'utf8')) as {
      approaches: { model: string; operational: { latency_ms: { mean: number } } }[]
    }
    const csv = join(root, 'figures.csv')
    expect(await cli('summarize', '--run-id', RUN, '--csv-output', csv)).toMatchObject({ code: 0 })
    const means = (await readFile(csv, 'utf8'))
      .split('\n')
      .map((line) => line.split(','))
      .filter((cells) => cells[6] === 'latency_ms' && cells[9] !== '')
      .map((cells) => [cells[2], Number(cells[9])])
    expect(stored.approaches).toHaveLength(2)
    expect(means).toEqual(stored.approaches.map(({ model, operational }) => [model, operational.latency_ms.mean]))
    await rm(csv)
  })

  it('is not continued by this version, whose answers may differ: the plan names what differs and what to do', async () => {
    const { code, stdout, stderr } = await cli('plan', '--dataset', 'smoke', '--run-id', RUN, '--no-cold-reset')
    expect(code).toBe(4)
    expect(stdout + stderr).toMatch(
      /this run started under other conditions.*\n(?:.*\n)*.*Start a new run with --run-id/,
    )
    const run = await cli('ladder', ...UNASKED, '--dataset', 'smoke', '--run-id', RUN, '--models', 'hybrid-rag')
    expect(run).toMatchObject({ code: 4 })
  })

  it('has answers that this version scores again, as a run of its own', async () => {
    const { code, stderr } = await cli('evaluate', '--dataset', 'smoke', '--from', RUN, '--run-id', 'scored-again')
    expect({ code, stderr }).toMatchObject({ code: 0 })
    const rows = (await readFile(join(root, 'results/scored-again-smoke-evidence.jsonl'), 'utf8')).trimEnd().split('\n')
    expect(rows).toHaveLength(8)
  })

  it('goes on with a run beside it, and the panel lists both with the settings as they were', async () => {
    const run = await cli(
      'ladder',
      ...UNASKED,
      '--dataset',
      'smoke',
      '--run-id',
      'now',
      '--models',
      'hybrid-rag',
      '--no-evaluate',
    )
    expect(run).toMatchObject({ code: 0 })
    const engine = await startEngine(root, { RAG_LADDER_USER_DIR: person })
    try {
      await expect
        .poll(async () => (await engine.client.runs.list({})).runs.map(({ run_id }) => run_id))
        .toEqual(expect.arrayContaining([RUN, 'now']))
      const { settings } = await engine.client.settings.get()
      expect(settings).toMatchObject({ concurrency: 3, model_set: 'builtin' })
    } finally {
      await engine.stop()
    }
  })

  it('travels as a bundle to another project', async () => {
    const bundle = join(root, 'old.bundle.zip')
    expect(await cli('bundle', 'export', RUN, '--output', bundle)).toMatchObject({ code: 0 })
    const other = await mkdtemp(join(tmpdir(), 'version-0-1-other-'))
    try {
      for (const part of ['manifests', 'corpus']) await cp(join(root, part), join(other, part), { recursive: true })
      expect(await runCli(['bundle', 'import', bundle, '--project', other])).toMatchObject({ code: 0 })
      expect(await readFile(join(other, EVIDENCE), 'utf8')).toBe(await readFile(join(root, EVIDENCE), 'utf8'))
    } finally {
      await rm(other, { recursive: true })
      await rm(bundle)
    }
  })

  it('keeps every file that version 0.1.0 left, byte for byte, after all of that', async () => {
    const after = await digests()
    const changed = Object.keys(before).filter((file) => after[file] !== before[file])
    expect(changed).toEqual([])
    expect(await runCli(['trust'], { RAG_LADDER_USER_DIR: person })).toMatchObject({
      stdout: expect.stringContaining('https://llm.example.com'),
    })
  })
})
