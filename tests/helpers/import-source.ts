import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeAll, beforeEach, onTestFinished } from 'vitest'
import { loadExperiment, type Experiment } from '../../main/manifests/experiment.ts'
import {
  importPublicDataset,
  type ImportOptions,
  type ImportSummary,
} from '../../main/manifests/datasets/importers/import-dataset.ts'
import { readOwnDataset } from '../../main/manifests/datasets/own-datasets.ts'
import { PROJECT_ROOT } from './project-root.ts'

/** A source folder and a project without own datasets, new for each test, with what brings the one into the other. */
export function useImportSource() {
  let project: Experiment
  const place = { root: '', source: '' } as { root: string; source: string; experiment: Experiment }

  beforeAll(async () => {
    project = await loadExperiment(PROJECT_ROOT)
  })
  beforeEach(async () => {
    const folders = [mkdtemp(join(tmpdir(), 'project-')), mkdtemp(join(tmpdir(), 'source-'))] as const
    const [root, source] = await Promise.all(folders)
    onTestFinished(async () => {
      await Promise.all([root, source].map((folder) => rm(folder, { recursive: true, force: true })))
    })
    Object.assign(place, { root, source, experiment: { ...project, root } })
  })

  return {
    place,
    write: async (files: Readonly<Record<string, string>>): Promise<void> => {
      for (const [name, text] of Object.entries(files)) {
        await mkdir(dirname(join(place.source, name)), { recursive: true })
        await writeFile(join(place.source, name), text)
      }
    },
    bring: (more: Partial<ImportOptions> = {}): Promise<ImportSummary> =>
      importPublicDataset(place.experiment, { source: place.source, id: 'mine', ...more }),
    questions: async () => (await readOwnDataset(place.root, 'mine')).file.questions,
    documents: async (): Promise<string[]> => (await readdir(join(place.root, 'datasets/mine/documents'))).sort(),
  }
}

/** Records as lines of JSON. */
export const lines = (...records: object[]): string => records.map((record) => JSON.stringify(record)).join('\n')

/** Files of a set in BEIR's layout, with a document that is empty and one that is there twice. */
export const BEIR = {
  'corpus.jsonl': lines(
    { _id: 'd1', title: 'Alder Weir', text: 'The weir was built in 1931.' },
    { _id: 'd2', title: 'Alder Weir', text: 'A pub of this name stands in Leeds.' },
    { _id: 'd3', title: 'Alder Weir', text: 'The weir was built in 1931.' },
    { _id: 'd4', title: '', text: '' },
    { _id: 'CON', title: '', text: 'A text without a title.' },
  ),
  'queries.jsonl': lines(
    { _id: 'q1', text: 'When was the weir built?' },
    { _id: 'q2', text: 'Where is the pub?' },
    { _id: 'q3', text: 'Not judged in this split' },
  ),
  'qrels/test.tsv': 'query-id\tcorpus-id\tscore\r\nq1\td3\t1\r\nq1\td2\t0\r\nq2\td2\t2\r\n',
  'qrels/train.tsv': 'query-id\tcorpus-id\tscore\nq3\td1\t1\n',
}

/** A record of HotpotQA. */
export const HOTPOT = {
  _id: 'h1',
  question: 'Where did the keeper of Alder Weir train?',
  answer: 'Leeds',
  type: 'bridge',
  level: 'hard',
  supporting_facts: [
    ['Alder Weir', 1],
    ['Ida Moore', 0],
  ],
  context: [
    ['Alder Weir', ['The weir was built in 1931.', ' Its keeper was Ida Moore.']],
    ['Ida Moore', ['Ida Moore trained in Leeds.', ' She was a surveyor.']],
    ['Leeds/Bradford: an *airport*?', ['It is an airport.']],
  ],
}
