import { writeFileSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { COMPARED_CORPUS } from '../../main/manifests/datasets/corpus-digest.ts'
import { runCli, smokeProject } from '../helpers/cli.ts'
import { ladderArgs, rowsOf } from '../helpers/ladder-run.ts'

let root: string
const mine = (file: string): string => join(root, 'datasets/mine', file)
const args = (...more: string[]): string[] => ladderArgs(root, ...more).map((arg) => (arg === 'smoke' ? 'mine' : arg))

beforeAll(async () => {
  root = await smokeProject()
  await mkdir(mine('documents/fees'), { recursive: true })
  const fact = 'A boat of class K3 pays 218 marks for the passage.'
  await writeFile(mine('documents/fees/k3.md'), `# Fees\n\n${fact}\n`)
  await writeFile(mine('documents/keeper.md'), '# The keeper\n\nIda Moore keeps the lock.\n')
  const questions = [
    { id: 'q-1', query: 'What does a boat of class K3 pay?', gold: [{ document: 'fees/k3.md', fact }] },
    { id: 'q-2', query: 'Who keeps the lock?', answer_keys: [['Ida Moore']], gold: [{ document: 'keeper.md' }] },
  ]
  await writeFile(mine('dataset.yaml'), stringify({ version: 1, label: 'Mine', questions }))
  // An unfinished dataset, and one that is broken: neither is in the way.
  await mkdir(join(root, 'datasets/notes'), { recursive: true })
  await mkdir(join(root, 'datasets/broken'), { recursive: true })
  await writeFile(join(root, 'datasets/broken/dataset.yaml'), 'version: 1\nlabel: [')
})
afterAll(() => rm(root, { recursive: true, force: true }))

it('a dataset of a person is ingested from its own folder and answered, and not published', async () => {
  const before = await readdir(join(root, 'docs/results')).catch((): string[] => [])
  const run = await runCli(args('--models', 'vanilla-rag,hybrid-rag', '--publish'))
  expect(run.stderr).toBe('')
  expect(run.code).toBe(0)
  const rows = await rowsOf(join(root, 'results/test-mine-evidence.jsonl'))
  expect(rows).toHaveLength(4)
  for (const row of rows) {
    expect(row).toMatchObject({ status: 'ok', dataset: { corpus_path: 'datasets/mine/documents' } })
    expect(row.metrics.retrieval.scores).toMatchObject({ facts_found: 1 })
  }
  const published = run.events.find((event) => event.type === 'step.skipped' && event.step === 'publish')
  expect(JSON.stringify(published)).toContain('a dataset of your own is never published')
  expect(await readdir(join(root, 'docs/results')).catch((): string[] => [])).toEqual(before)
  expect(await readFile(mine('dataset.yaml'), 'utf8')).not.toContain('published')
})

it('plan reports documents that changed since the run, and above the limit of what it reads that they were not compared', async () => {
  const options = ['--project', root, '--dataset', 'mine', '--run-id', 'test', '--models', 'vanilla-rag']
  const plan = () => runCli(['plan', ...options, '--no-cold-reset'])
  const same = await plan()
  expect([same.code, same.stderr, same.stdout]).toEqual([0, '', expect.stringContaining('2 reused, 0 to call')])
  const more = mine('documents/more')
  await mkdir(more)
  await writeFile(join(more, 'ferry.txt'), 'The ferry leaves at six.\n')
  const changed = await plan()
  expect([changed.code, changed.stdout]).toEqual([4, expect.stringContaining('(datasets/mine/documents)')])
  for (let at = 0; at <= COMPARED_CORPUS.files; at += 1) writeFileSync(join(more, `${at}.txt`), `${at}`)
  const large = await plan()
  expect([large.code, large.stdout]).toEqual([0, expect.stringContaining('2 reused, 0 to call')])
  expect(large.stderr).toContain(
    'mine: datasets/mine/documents was not compared with what test ingested: the corpus has more than 5\u2009000 files',
  )
  await rm(more, { recursive: true })
  expect((await plan()).code).toBe(0)
})

it('a run of a dataset of a person has a name of its own unless one is given, apart from the ladder of the day', async () => {
  const options = ['--project', root, '--models', 'vanilla-rag', '--no-publish', '--json']
  const run = await runCli(['ladder', '--dataset', 'mine', ...options])
  expect([run.code, run.stderr]).toEqual([0, ''])
  const { run_id: runId } = run.events.find(({ type }) => type === 'run.started')! as { run_id: string }
  expect(runId).toMatch(/^mine-\d{4}-\d\d-\d\d$/)
  expect(await readdir(join(root, 'results'))).toContain(`${runId}-mine-evidence.jsonl`)
})

it('a run without named datasets is refused where no dataset is on a rung, and those that can be named are listed', async () => {
  for (const command of ['ladder', 'plan']) {
    const refused = await runCli([command, '--project', root])
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining(
        'no dataset is on a rung: name the datasets of the run by --dataset (smoke, mine)',
      ) as string,
    ])
  }
})

it('is refused by publish with the reason, named or not, and nothing is written', async () => {
  const before = await readdir(join(root, 'docs/results')).catch((): string[] => [])
  for (const named of [[], ['--dataset', 'mine']]) {
    const refused = await runCli(['publish', '--project', root, '--run-id', 'test', ...named])
    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain('a dataset of your own is never published with the project')
  }
  expect(await readdir(join(root, 'docs/results')).catch((): string[] => [])).toEqual(before)
})

it('a question of a person is answered from what the run has ingested, and is a row of no run', async () => {
  const before = await readdir(join(root, 'results'))
  const question = 'What does a boat of class K3 pay?'
  const ask = (...more: string[]) => runCli(['ask', question, '--project', root, '--dataset', 'mine', ...more])
  const asked = await ask('--models', 'vanilla-rag,hybrid-rag', '--json')
  expect([asked.code, asked.stderr]).toEqual([0, ''])
  const answers = asked.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(answers).toMatchObject(
    ['vanilla-rag', 'hybrid-rag'].map((model) => ({
      model,
      error: null,
      answer: expect.stringContaining('218 marks'),
      sources: expect.arrayContaining([expect.objectContaining({ source: 'fees/k3.md' })]),
    })),
  )
  // The run before built no graph, and no contextual collection.
  const missing = await ask('--models', 'contextual-rag')
  expect(missing.code).toBe(3)
  expect(missing.stdout).toContain('contextual-rag')
  expect(missing.stdout).toContain('failed: ')
  expect(missing.stderr).toMatch(/run them first: .* ladder --dataset mine --models contextual-rag\n$/)
  expect((await runCli(['ask', question, '--project', root])).stderr).toContain('--dataset')
  expect(await readdir(join(root, 'results'))).toEqual(before)
})

it('a run without graph approaches extracts no graph; one with them builds only that', async () => {
  const phases = async (...models: string[]) => {
    const run = await runCli([
      ...args('--models', models.join(','), '--no-cold-reset'),
      '--run-id',
      `of-${models.at(-1)!}`,
    ])
    expect(run.code).toBe(0)
    const progressed = run.events.flatMap((event) => (event.type === 'ingestion.progressed' ? [event] : []))
    return new Map(progressed.map((event) => [event.phase, event.status]))
  }
  expect((await phases('vanilla-rag')).get('drain')).toBe('skipped')
  const complete = await phases('vanilla-rag', 'graph-rag')
  expect([complete.get('embed'), complete.get('drain')]).toEqual(['skipped', 'completed'])
})

it('a broken dataset blocks only a run that names it', async () => {
  const run = await runCli(args('--models', 'vanilla-rag').map((arg) => (arg === 'mine' ? 'broken' : arg)))
  expect(run.code).toBe(2)
  expect(run.stderr).toContain('datasets/broken/dataset.yaml')
})
