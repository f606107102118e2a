import { cp, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import { declareSmokeInOlderLayout } from '../../../tests/helpers/older-layout.ts'
import { PROJECT_ROOT } from '../../../tests/helpers/project-root.ts'
import { checkCorpus, loadExperiment } from '../experiment.ts'
import { loadProjectDatasets } from './load-datasets.ts'
import { selectDatasets } from '../selection.ts'
import { configHashes, runtimeFiles } from '../project/provenance.ts'

const OWN = 'manifests/datasets/notes.yaml'
const CATALOGUE = 'manifests/datasets.yaml'
const QUESTIONS = [{ id: 'q-1', query: 'Who keeps the lock?', ground_truth: 'Ida Moore' }]
let root: string

const write = (file: string, value: unknown) =>
  writeFile(join(root, file), stringify(value, { aliasDuplicateObjects: false }))

beforeEach(async () => {
  root = await temporaryFolder('datasets')
  await cp(join(PROJECT_ROOT, 'manifests'), join(root, 'manifests'), { recursive: true })
  await mkdir(join(root, 'manifests/datasets'), { recursive: true })
})

it('a dataset needs one file with a label and questions', async () => {
  await write(OWN, { version: 1, label: 'Notes', questions: QUESTIONS })
  const { datasets, consumer } = await loadExperiment(root)
  const added = datasets.find(({ dataset }) => dataset.id === 'notes')!
  expect(added).toMatchObject({
    declaredIn: OWN,
    dataset: { label: 'Notes', complexity_level: 0, corpus_path: 'corpus/notes', queries_file: OWN },
    profile: { name: 'notes', corpus: { path: 'notes' }, chunker: { chunk_size: 800, overlap: 100 } },
    questions: [{ id: 'q-1', query: 'Who keeps the lock?' }],
  })
  expect(consumer.ingestion_profiles).toContainEqual(added.profile)
})

it('the older layout is read: catalogue, questions file and profile give the hashes that one file gives', async () => {
  const smoke = async () => {
    const experiment = await loadExperiment(root)
    const dataset = experiment.datasets.find((each) => each.dataset.id === 'smoke')!
    const config = configHashes(experiment, dataset)
    return { dataset, config, registries: runtimeFiles(experiment, dataset) }
  }
  const now = await smoke()
  await declareSmokeInOlderLayout(root)
  const older = await smoke()

  expect(now.dataset.declaredIn).toBe('manifests/datasets/smoke.yaml')
  expect(older.dataset.declaredIn).toBe(CATALOGUE)
  expect(older.dataset.questions).toEqual(now.dataset.questions)
  // The dataset's own hash has the path of the questions file, which rows name.
  expect(older.config.dataset).not.toBe(now.config.dataset)
  expect({ ...older.config, dataset: '' }).toEqual({ ...now.config, dataset: '' })
  expect(older.registries).toEqual(now.registries)
})

it('a project without the older catalogue needs none', async () => {
  await rm(join(root, CATALOGUE), { force: true })
  await rm(join(root, 'manifests/datasets'), { recursive: true })
  await expect(loadProjectDatasets(root, CATALOGUE)).rejects.toThrow(/no such file/)
  await mkdir(join(root, 'manifests/datasets'))
  await write(OWN, { version: 1, label: 'Notes', questions: QUESTIONS })
  expect((await loadProjectDatasets(root, CATALOGUE)).map(({ dataset }) => dataset.id)).toEqual(['notes'])
})

it.each([
  ['an unknown field', { lable: 'x' }, /lable: unknown field/],
  ['no questions', { questions: [] }, /questions: at least one question is needed/],
  ['documents outside the corpus', { documents: 'docs' }, /documents: expected a folder below corpus\//],
  ['an overlap that is too large', { profile: { chunker: { chunk_size: 10, overlap: 10 } } }, /overlap must be less/],
])(
  'a dataset file with %s is refused by its path where it is named, and blocks no other dataset',
  async (_name, change, message) => {
    const before = (await loadExperiment(root)).datasets.map(({ dataset }) => dataset.id)
    await write(OWN, { version: 1, label: 'Notes', questions: QUESTIONS, ...change })
    const experiment = await loadExperiment(root)
    expect(experiment.datasets.map(({ dataset }) => dataset.id)).toEqual(before)
    expect(experiment.unusable).toEqual([{ id: 'notes', file: OWN, problems: [expect.stringMatching(message)] }])
    expect(() => selectDatasets(experiment, ['notes'])).toThrow(message)
    expect(selectDatasets(experiment, null).length).toBeGreaterThan(0)
    await expect(loadProjectDatasets(root, CATALOGUE)).rejects.toThrow(message)
  },
)

it('a dataset declared in both layouts is refused, naming both files', async () => {
  await write(CATALOGUE, {
    version: 1,
    datasets: [
      {
        id: 'notes',
        label: 'Notes',
        description: '',
        complexity_level: 0,
        corpus_path: 'corpus/user',
        queries_file: 'manifests/q.yaml',
        ingestion_profile: 'user_corpus',
      },
    ],
  })
  await write(OWN, { version: 1, label: 'Notes', questions: QUESTIONS })
  const experiment = await loadExperiment(root)
  const problem = 'notes is also declared in manifests/datasets.yaml: remove one of the two'
  expect(experiment.unusable).toEqual([{ id: 'notes', file: OWN, problems: [problem] }])
  expect(experiment.datasets.map(({ dataset }) => dataset.id)).not.toContain('notes')
})

it('a profile name that the consumer manifest has too is refused', async () => {
  await write('manifests/datasets/user_corpus.yaml', { version: 1, label: 'Mine', questions: QUESTIONS })
  expect((await loadExperiment(root)).unusable).toMatchObject([
    {
      id: 'user_corpus',
      problems: [expect.stringMatching(/user_corpus, which manifests\/consumer\.yaml declares too/)],
    },
  ])
})

describe('a dataset of a person', () => {
  const MINE = 'datasets/mine/dataset.yaml'
  beforeEach(() => mkdir(join(root, 'datasets/mine/documents'), { recursive: true }))

  it('is a folder with its file and documents, and may have no question yet', async () => {
    await write(MINE, { version: 1, label: 'Mine', questions: [] })
    const experiment = await loadExperiment(root)
    const mine = experiment.datasets.find(({ dataset }) => dataset.id === 'mine')!
    expect(mine).toMatchObject({
      declaredIn: MINE,
      dataset: { complexity_level: 0, corpus_path: 'datasets/mine/documents', queries_file: MINE },
      profile: { name: 'mine', corpus: { source: 'mount', path: '@datasets/mine/documents' } },
      questions: [],
    })
    expect(experiment.consumer.ingestion_profiles).toContainEqual(mine.profile)
    expect(() => selectDatasets(experiment, ['mine'])).toThrow(/mine has no question yet/)
    await checkCorpus(experiment, mine, '/elsewhere')
  })

  it('cannot take the name of a dataset of the project', async () => {
    await mkdir(join(root, 'datasets/smoke'), { recursive: true })
    await write('datasets/smoke/dataset.yaml', { version: 1, label: 'Mine', questions: QUESTIONS })
    const { datasets, unusable } = await loadExperiment(root)
    expect(unusable).toMatchObject([{ id: 'smoke', file: 'datasets/smoke/dataset.yaml' }])
    expect(datasets.map(({ dataset }) => dataset.id)).not.toContain('smoke')
  })

  it('is no dataset without its file', async () => {
    expect((await loadExperiment(root)).unusable).toEqual([])
  })
})
