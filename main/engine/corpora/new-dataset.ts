import { mkdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { stringify } from 'yaml'
import type { z } from 'zod'
import type { AddedQuestion, AddQuestionInput, CreateDatasetInput } from '../../../contract/control/new-dataset.ts'
import type { IngestionProfile, Question } from '../../../contract/index.ts'
import { withItem } from '../../manifests/append-item.ts'
import { CONSUMER_FILE, type Experiment, type LadderDataset } from '../../manifests/experiment.ts'
import { writeAtomic } from '../../lib/write-atomic.ts'
import { inputFailure } from '../control-failure.ts'

/** The profile that is meant for people's own files; its settings are what a new dataset starts with. */
const PATTERN_PROFILE = 'user_corpus'
/** Below the first rung: it does not run unless it is named. */
const OWN_LEVEL = 0

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )

const append = async (root: string, file: string, key: string, item: object): Promise<void> => {
  const path = join(root, file)
  await writeAtomic(path, withItem(await readFile(path, 'utf8'), file, key, item))
}

const newQuestion = (id: string, { query, ground_truth }: { query: string; ground_truth: string | null }) =>
  ({ id, query, ...(ground_truth === null ? {} : { ground_truth }) }) satisfies z.input<typeof Question>

/**
 * Makes folder, questions, profile and, last, the catalogue's entry: what is cut off before that is only a file that nobody names. Durable when
 * it resolves. Throws `ControlFailure` for names that are taken, `ManifestError` for manifests that cannot be added to.
 */
export async function createDataset(
  { root, consumer, datasets, evaluation }: Experiment,
  { id, label, description, question }: z.output<typeof CreateDatasetInput>,
): Promise<void> {
  const corpus = `corpus/${id}`
  const queries = `manifests/queries/${id.replaceAll('_', '-')}.yaml`
  const taken =
    datasets.some(({ dataset }) => dataset.id === id) || consumer.ingestion_profiles.some(({ name }) => name === id)
      ? 'the manifests have a dataset or profile of this name already'
      : (await exists(join(root, corpus)))
        ? `there is a folder ${corpus} already`
        : (await exists(join(root, queries)))
          ? `there is a file ${queries} already`
          : null
  if (taken !== null) throw inputFailure([{ path: 'id', message: taken }])
  const pattern =
    consumer.ingestion_profiles.find(({ name }) => name === PATTERN_PROFILE) ?? consumer.ingestion_profiles[0]!
  const profile: IngestionProfile = {
    ...pattern,
    name: id,
    corpus: { source: 'mount', path: id },
    parser_order: ['converter', 'speech', 'plain_text'],
  }
  await mkdir(join(root, corpus), { recursive: true })
  const questions = { version: 1, dataset_id: id, queries: [newQuestion('q-1', question)] }
  await writeAtomic(join(root, queries), stringify(questions, { lineWidth: 0, singleQuote: true }))
  await append(root, CONSUMER_FILE, 'ingestion_profiles', profile)
  await append(root, evaluation.datasets_file, 'datasets', {
    ...{ id, label, description, complexity_level: OWN_LEVEL },
    ...{ corpus_path: corpus, queries_file: queries, ingestion_profile: id },
  })
}

/** Puts a question behind a dataset's others. Throws `ControlFailure` for one that is there already. */
export async function addQuestion(
  { root }: Experiment,
  { dataset, questions }: LadderDataset,
  { query, ground_truth }: z.output<typeof AddQuestionInput>,
): Promise<AddedQuestion> {
  const same = questions.find((question) => question.query.trim() === query.trim())
  if (same !== undefined) throw inputFailure([{ path: 'query', message: `question ${same.id} asks this already` }])
  const known = new Set(questions.map(({ id }) => id))
  let number = questions.length + 1
  while (known.has(`q-${number}`)) number += 1
  const id = `q-${number}`
  await append(root, dataset.queries_file, 'queries', newQuestion(id, { query, ground_truth }))
  return { question_id: id, questions: questions.length + 1 }
}
