import { execFileSync } from 'node:child_process'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Reproducibility } from '../../../contract/evidence/provenance.ts'
import { PROJECT_ROOT } from '../../../tests/helpers/project-root.ts'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import { loadExperiment } from '../experiment.ts'
import { configHashes, inFormOf, reproducibilityOf, withFiles, withStoredCommits } from './provenance.ts'

const OWN = 'version: 1\nlabel: Mine\ncomplexity_level: 1\nquestions: [{ id: q-1, query: Who? }]\n'
const SMOKE = 'manifests/datasets/smoke.yaml'
let root: string

const git = (...args: string[]): string =>
  execFileSync('git', ['-C', root, '-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], {
    encoding: 'utf8',
  }).trim()

async function smoke() {
  const experiment = await loadExperiment(root)
  return { experiment, dataset: experiment.datasets.find(({ dataset }) => dataset.id === 'smoke')! }
}

const HERE = { kind: 'embedded', modelSet: null } as const

async function conditions(stored: Reproducibility | null = null): Promise<Reproducibility> {
  const { experiment, dataset } = await smoke()
  const judgePanel = { enabled: false, endpoint: 'platform', models: [] }
  const environment = { modelSet: null, gateway: 'embedded', basePort: null, providers: {}, judgePanel }
  const current = await reproducibilityOf(experiment, dataset, environment, null, null)
  return stored === null ? current : withStoredCommits(experiment, dataset, current, stored)
}

beforeEach(async () => {
  root = await temporaryFolder('provenance')
  await cp(join(PROJECT_ROOT, 'manifests'), join(root, 'manifests'), { recursive: true })
  await cp(join(PROJECT_ROOT, 'corpus/smoke'), join(root, 'corpus/smoke'), { recursive: true })
  git('init', '-q')
  git('add', '-A')
  git('commit', '-qm', 'first')
})

it('a run goes on when another dataset and a file of the user are added, committed or not', async () => {
  const stored = await conditions()
  expect(stored.runtime.repository).toMatchObject({ revision: git('rev-parse', 'HEAD'), dirty: false })
  await mkdir(join(root, 'corpus/mine'))
  for (const [file, text] of [
    ['manifests/datasets/mine.yaml', OWN],
    ['corpus/mine/a.md', 'A.'],
    ['notes.txt', 'x'],
  ] as const)
    await writeFile(join(root, file), text)
  expect(await conditions(stored)).toEqual(stored)
  git('add', '-A')
  git('commit', '-qm', 'own dataset')
  expect((await conditions()).runtime.repository.revision).not.toBe(stored.runtime.repository.revision)
  expect(await conditions(stored)).toEqual(stored)
})

it('a conflict names the manifest whose values differ and the files that changed since the commit of the run', async () => {
  const stored = await conditions()
  const path = join(root, SMOKE)
  await writeFile(path, (await readFile(path, 'utf8')).replace('ground_truth: "', 'ground_truth: "Not '))
  git('commit', '-qam', 'other answers')
  const now = await conditions(stored)
  expect(now.runtime.repository).not.toEqual(stored.runtime.repository)
  const { experiment, dataset } = await smoke()
  const conflicts = [
    conflict('config_hashes.queries', stored.config_hashes['queries']!, configHashes(experiment, dataset)['queries']!),
    conflict('runtime.repository.revision', `"${stored.runtime.repository.revision}"`, git('rev-parse', 'HEAD')),
    conflict('seed', 'ladder', 'other'),
  ]
  const named = await withFiles(experiment, dataset, conflicts, HERE)
  expect(named.map(({ files }) => files)).toEqual([[SMOKE], [SMOKE], undefined])
})

it('a conflict of models names the file of a person too where that has sets', async () => {
  const { experiment, dataset } = await smoke()
  const models = conflict('config_hashes.models', 'a', 'b')
  const filesOf = async (ownModelSets: string[]) =>
    (await withFiles({ ...experiment, ownModelSets }, dataset, [models], HERE)).map(({ files }) => files)
  expect(await filesOf([])).toEqual([['manifests/models.yaml']])
  expect(await filesOf(['mine'])).toEqual([['manifests/models.yaml', '.rag-ladder/models.yaml']])
})

it('a conflict of models of a platform elsewhere names no file of this project', async () => {
  const { experiment, dataset } = await smoke()
  const other = conflict('runtime.models.roles.light_gen.model', '"llama-70b"', '"llama-8b"')
  expect(await withFiles(experiment, dataset, [other], { kind: 'external', modelSet: null })).toEqual([other])
})

const conflict = (field: string, stored: string, current: string) => ({
  row_id: null,
  rows: 0,
  stored,
  current,
  path: `reproducibility.${field}`,
})

const MODELS = 'manifests/models.yaml'
const CONNECTION = '{ kind: ollama,'

it('the models of a run are no files of its project, so that a repair of one leaves the other conditions as they are', async () => {
  const stored = await conditions()
  const text = await readFile(join(root, MODELS), 'utf8')
  await writeFile(join(root, MODELS), text.replace(CONNECTION, `${CONNECTION} timeout_s: 7,`))
  expect(await conditions(stored)).toEqual(stored)
})

it('the settings of this project are not recorded for the models of a platform elsewhere', async () => {
  const { experiment, dataset } = await smoke()
  const reported = { set: 'ollama', roles: { light_gen: { backend: 'openai', model: 'm' } } }
  const modelsAt = async (gateway: string) => {
    const judgePanel = { enabled: false, endpoint: 'platform', models: [] }
    const environment = { modelSet: null, gateway, basePort: null, providers: {}, judgePanel }
    const health = { status: 'ok', version: '1', models: reported }
    return (await reproducibilityOf(experiment, dataset, environment, health, null)).runtime.models
  }
  expect(await modelsAt('http://127.0.0.1:9')).toEqual(reported)
  expect((await modelsAt('embedded'))!.roles['light_gen']).toHaveProperty('settings.base_url')
})

describe('a run whose rows hold one hash of all model sets', () => {
  const oldForm = async (): Promise<Reproducibility> => {
    const now = await conditions()
    const { experiment, dataset } = await smoke()
    return inFormOf({ ...now, config_hashes: { models: 'x' } }, now, experiment, dataset, null)
  }
  const resumed = async (stored: Reproducibility): Promise<Reproducibility> => {
    const { experiment, dataset } = await smoke()
    const now = await conditions()
    return withStoredCommits(experiment, dataset, await inFormOf(stored, now, experiment, dataset, null), stored)
  }

  it('goes on when a connection gets another number of calls at the same time, and closes when another setting changes', async () => {
    const text = await readFile(join(root, MODELS), 'utf8')
    const stored = await oldForm()
    expect(stored.config_hashes['models']).toMatch(/^[0-9a-f]{64}$/)
    await writeFile(join(root, MODELS), text.replace(CONNECTION, `${CONNECTION} concurrency: 3,`))
    expect(JSON.stringify((await smoke()).experiment.models)).toContain('"concurrency":3')
    expect(await resumed(stored)).toEqual(stored)
    await writeFile(join(root, MODELS), text.replace(CONNECTION, `${CONNECTION} timeout_s: 7,`))
    expect((await resumed(stored)).config_hashes['models']).not.toBe(stored.config_hashes['models'])
    expect((await resumed(stored)).runtime.repository.dirty).toBe(true)
  })

  it('goes on when the sets were changed before it began, and never committed', async () => {
    const text = await readFile(join(root, MODELS), 'utf8')
    await writeFile(join(root, MODELS), text.replace(CONNECTION, `${CONNECTION} timeout_s: 7,`))
    const stored = await oldForm()
    expect(stored.runtime.repository.dirty).toBe(true)
    await writeFile(join(root, 'notes.txt'), 'x')
    git('add', 'notes.txt')
    git('commit', '-qm', 'notes')
    expect(await resumed(stored)).toEqual(stored)
  })
})
