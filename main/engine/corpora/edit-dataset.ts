import { mkdir, open, readFile, realpath, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { stringify } from 'yaml'
import type { z } from 'zod'
import type { AddDocumentInput, AddedDocument } from '../../../contract/control/corpora.ts'
import type { AddedQuestion, AddQuestionInput, CreateDatasetInput } from '../../../contract/control/new-dataset.ts'
import { DATASETS_FOLDER, type Question } from '../../../contract/index.ts'
import { writeAtomic } from '../../lib/write-atomic.ts'
import { withItem } from '../../manifests/append-item.ts'
import type { Experiment, LadderDataset } from '../../manifests/experiment.ts'
import { inputFailure } from '../control-failure.ts'

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
 * Creates the folder of the documents and then the dataset's manifest. Durable when it resolves. Throws `ControlFailure` for names that are
 * taken.
 */
export async function createDataset(
  { root, consumer, datasets }: Experiment,
  { id, label, description, question }: z.output<typeof CreateDatasetInput>,
): Promise<void> {
  const corpus = `corpus/${id}`
  const file = `${DATASETS_FOLDER}/${id}.yaml`
  const taken =
    datasets.some(({ dataset }) => dataset.id === id) || consumer.ingestion_profiles.some(({ name }) => name === id)
      ? 'the manifests already have a dataset or profile with this name'
      : (await exists(join(root, corpus)))
        ? `the folder ${corpus} exists`
        : (await exists(join(root, file)))
          ? `the file ${file} exists`
          : null
  if (taken !== null) throw inputFailure([{ path: 'id', message: taken }])
  const manifest = { version: 1, label, description, questions: [newQuestion('q-1', question)] }
  await mkdir(join(root, corpus), { recursive: true })
  await mkdir(join(root, DATASETS_FOLDER), { recursive: true })
  await writeAtomic(join(root, file), stringify(manifest, { lineWidth: 0, singleQuote: true }))
}

/** Appends a question to a dataset. Throws `ControlFailure` for one that exists. */
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
  const key = dataset.queries_file.startsWith(`${DATASETS_FOLDER}/`) ? 'questions' : 'queries'
  await append(root, dataset.queries_file, key, newQuestion(id, { query, ground_truth }))
  return { question_id: id, questions: questions.length + 1 }
}

/** Writes a text into a dataset's corpus folder; durable when it resolves. Throws `ControlFailure` for a name that exists. */
export async function addDocument(
  root: string,
  { dataset }: LadderDataset,
  { name, text }: AddDocumentInput,
): Promise<AddedDocument> {
  const folder = join(root, dataset.corpus_path)
  await mkdir(folder, { recursive: true })
  const path = `${name}.md`
  const file = join(await realpath(folder), path)
  // Only a new file is written: nothing in a corpus is ever overwritten.
  const handle = await open(file, 'wx').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw inputFailure([{ path: 'name', message: `${dataset.corpus_path} already has ${path}` }])
  })
  try {
    await handle.writeFile(text)
    await handle.sync()
  } catch (error) {
    // Half a document would be ingested like a whole one.
    await rm(file, { force: true })
    throw error
  } finally {
    await handle.close()
  }
  return { path, size_bytes: Buffer.byteLength(text) }
}
