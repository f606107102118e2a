import { hash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isSeq, parseDocument, stringify } from 'yaml'
import { SafeRelativePath } from '../../../contract/common.ts'
import { describeIssues } from '../../../core/issues.ts'
import {
  OWN_DATASET_FILE,
  OWN_DATASETS_FOLDER,
  OWN_DOCUMENTS_FOLDER,
  OwnDatasetFile,
} from '../../../contract/manifests/datasets.ts'
import { Question } from '../../../contract/manifests/queries.ts'
import { exists } from '../../lib/files/missing-file.ts'
import { portablePathProblem } from '../../lib/files/portable-path.ts'
import { writeAtomic, writeNew } from '../../lib/files/write-atomic.ts'
import type { Experiment, LadderDataset } from '../experiment.ts'
import { goldChecker } from './gold-problems.ts'
import { loadManifest, parseYaml } from '../load-manifest.ts'

// A person's own datasets, a folder each: `datasets/<id>/` with `dataset.yaml` and `documents/`. Each change writes one file whole, or moves one
// folder. Nothing is deleted: what is removed is moved to a hidden folder, from which it can be restored. A change names the revision of the
// file that it was made on, so that it overwrites no other change.

/** A change that is refused: the field that it concerns, and what to do. Nothing was written. */
export class DatasetEditError extends Error {
  override readonly name = 'DatasetEditError'
  readonly path: string

  constructor(path: string, message: string, cause?: unknown) {
    super(message, { cause })
    this.path = path
  }
}

export interface OwnDataset {
  id: string
  file: OwnDatasetFile
  /** SHA-256 of the file's bytes. */
  revision: string
}

/** Describes what of a dataset can be changed, besides its questions. */
type DatasetSettings = Pick<OwnDatasetFile, 'label' | 'description' | 'licence' | 'complexity_level'> & {
  chunker: OwnDatasetFile['profile']['chunker']
}

const TRASH = '.trash'

const folderOf = (root: string, id: string): string => join(root, OWN_DATASETS_FOLDER, id)
const fileOf = (root: string, id: string): string => join(folderOf(root, id), OWN_DATASET_FILE)
const documentsOf = (root: string, id: string): string => join(folderOf(root, id), OWN_DOCUMENTS_FOLDER)

/** Returns true when a dataset is a person's own. */
export const isOwnDataset = ({ declaredIn }: Pick<LadderDataset, 'declaredIn'>): boolean =>
  declaredIn.startsWith(`${OWN_DATASETS_FOLDER}/`)

/** Why a dataset of a person's own is not published. */
export const OWN_IS_NOT_PUBLISHED = 'a dataset of your own is never published with the project'

/** The dataset's file as it is now. Throws `ManifestError` for a file that cannot be used. */
export async function readOwnDataset(root: string, id: string): Promise<OwnDataset> {
  const file = `${OWN_DATASETS_FOLDER}/${id}/${OWN_DATASET_FILE}`
  const [value, bytes] = await Promise.all([loadManifest(root, file, OwnDatasetFile), readFile(join(root, file))])
  return { id, file: value, revision: revisionOf(bytes) }
}

const revisionOf = (bytes: Buffer | string): string => hash('sha256', bytes)

/** Why a document cannot have this path; null when it can. */
export const documentNameProblem = (path: string): string | null =>
  SafeRelativePath.safeParse(path).success
    ? portablePathProblem(path)
    : 'expected a relative path with forward slashes and without ".."'

/**
 * Creates an empty dataset, or a copy of another with its documents and questions. Throws `DatasetEditError` for a name that is taken.
 * Durable when it resolves.
 */
export async function createOwnDataset(
  experiment: Experiment,
  { id, label, description }: Pick<OwnDatasetFile, 'label' | 'description'> & { id: string },
  source: LadderDataset | null = null,
): Promise<OwnDataset> {
  const { root } = experiment
  await refuseTakenId(experiment, id)
  const { name: _name, corpus: _corpus, ...profile } = source?.profile ?? { name: id, corpus: null }
  const text = writtenYaml({
    version: 1,
    label,
    description,
    ...(source === null ? {} : { profile }),
    questions: (source?.questions ?? []).map(questionFields),
  })
  // The file comes last: without it the folder is not a dataset, whatever ends the copy.
  if (source === null) await mkdir(documentsOf(root, id), { recursive: true })
  else await copyFolder(join(root, source.dataset.corpus_path), documentsOf(root, id))
  await writeAtomic(fileOf(root, id), text)
  return readOwnDataset(root, id)
}

const ID = /^[a-z][a-z0-9_]{0,62}$/

/** Throws `DatasetEditError` for an id that is taken, or that a dataset of a person cannot have. */
export async function refuseTakenId({ root, datasets, unusable, consumer }: Experiment, id: string): Promise<void> {
  if (!ID.test(id))
    throw new DatasetEditError(
      'id',
      `${JSON.stringify(id)} cannot be the name of a dataset: a lower-case letter, then lower-case letters, digits and "_", at most 63`,
    )
  const isTaken =
    datasets.some(({ dataset }) => dataset.id === id) ||
    unusable.some((each) => each.id === id) ||
    consumer.ingestion_profiles.some(({ name }) => name === id) ||
    (await exists(folderOf(root, id)))
  if (isTaken)
    throw new DatasetEditError('id', `there is a dataset, profile or folder ${id} already: choose another name`)
}

async function copyFolder(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true })
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (entry.name.startsWith('.')) continue
    if (entry.isDirectory()) await copyFolder(join(from, entry.name), join(to, entry.name))
    else if (entry.isFile()) await writeNew(join(to, entry.name), await readFile(join(from, entry.name)))
  }
}

/** A dataset's file as text. */
export const writtenYaml = (value: object): string =>
  stringify(value, { lineWidth: 0, singleQuote: true, aliasDuplicateObjects: false })

/** A question without the fields that are as they are by default. */
export function questionFields({ id, query, ground_truth, answerable, hops, gold, ...rest }: Question): object {
  const { answer_keys, bridge_keys, forbidden_answers, rationale, expect_winner, tags } = rest
  return {
    id,
    query,
    ...(ground_truth === null ? {} : { ground_truth }),
    ...(answerable ? {} : { answerable }),
    ...(hops === null ? {} : { hops }),
    ...(gold.length === 0 ? {} : { gold }),
    ...(answer_keys.length === 0 ? {} : { answer_keys }),
    ...(bridge_keys === undefined ? {} : { bridge_keys }),
    ...(forbidden_answers === undefined ? {} : { forbidden_answers }),
    ...(rationale === null ? {} : { rationale }),
    ...(expect_winner === null ? {} : { expect_winner }),
    ...(tags.length === 0 ? {} : { tags }),
  }
}

/**
 * Replaces top-level fields of the dataset's file; comments elsewhere stay. Throws `DatasetEditError` where the file is not at `revision` or
 * would not be valid; a null revision skips that check. Durable when it resolves.
 */
async function change(
  root: string,
  id: string,
  revision: string | null,
  fieldsOf: (file: OwnDatasetFile) => Record<string, unknown>,
): Promise<OwnDataset> {
  const path = fileOf(root, id)
  const before = await readOwnDataset(root, id)
  if (revision !== null && revision !== before.revision)
    throw new DatasetEditError('revision', `${id} was changed since it was loaded: load it again and repeat the change`)
  const document = parseDocument(await readFile(path, 'utf8'))
  for (const [key, value] of Object.entries(fieldsOf(before.file))) {
    const node = document.createNode(value, { aliasDuplicateObjects: false })
    if (isSeq(node)) node.flow = false
    document.set(key, node)
  }
  const text = document.toString({ lineWidth: 0, singleQuote: true })
  const parsed = OwnDatasetFile.safeParse(parseYaml(path, text))
  if (!parsed.success) {
    const [first = 'the dataset would not be valid'] = describeIssues(parsed.error)
    throw new DatasetEditError(first.split(':')[0]!, first.slice(first.indexOf(':') + 1).trim())
  }
  await writeAtomic(path, text)
  return { id, file: parsed.data, revision: revisionOf(text) }
}

/** Changes label, description, licence, rung or chunker. Throws as every change. */
export const updateOwnDataset = (
  root: string,
  id: string,
  revision: string | null,
  { chunker, ...settings }: Partial<DatasetSettings>,
): Promise<OwnDataset> =>
  change(root, id, revision, ({ profile }) => ({
    ...settings,
    ...(chunker === undefined ? {} : { profile: { ...profile, chunker } }),
  }))

/** An id that no question has: `q-1`, `q-2`, … */
export function freeId(known: ReadonlySet<string>): string {
  let number = known.size + 1
  while (known.has(`q-${number}`)) number += 1
  return `q-${number}`
}

/** A question to be stored; without an id it is a new one. */
export type QuestionDraft = Omit<Question, 'id'> & { id?: string | undefined }

/**
 * Stores questions, each in place of the one with its id or at the end. Throws `DatasetEditError` with the path of the first fact that its
 * document does not hold, or of a question that another one asks already; then none of them is stored.
 */
export async function saveQuestions(
  root: string,
  dataset: LadderDataset,
  revision: string | null,
  drafts: readonly QuestionDraft[],
): Promise<OwnDataset> {
  const { id } = dataset.dataset
  const problemOf = goldChecker(root, dataset)
  const at = (index: number, field: string): string => (drafts.length === 1 ? field : `questions[${index}].${field}`)
  for (const [index, { gold }] of drafts.entries())
    for (const [fact, evidence] of gold.entries()) {
      const problem = await problemOf(evidence)
      if (problem !== null) throw new DatasetEditError(at(index, `gold[${fact}]`), problem)
    }
  return change(root, id, revision, ({ questions }) => {
    const stored = new Map(questions.map((question) => [question.id, question]))
    for (const [index, draft] of drafts.entries()) {
      const same = [...stored.values()].find(
        (other) => other.id !== draft.id && other.query.trim() === draft.query.trim(),
      )
      if (same !== undefined)
        throw new DatasetEditError(at(index, 'query'), `question ${same.id} has the same text: change one of them`)
      const own = draft.id ?? freeId(new Set(stored.keys()))
      stored.set(own, { ...draft, id: own })
    }
    return { questions: [...stored.values()].map(questionFields) }
  })
}

/** Throws `DatasetEditError` for a question that is not there. */
export const removeQuestion = (
  root: string,
  id: string,
  revision: string | null,
  questionId: string,
): Promise<OwnDataset> =>
  change(root, id, revision, ({ questions }) => {
    const left = questions.filter((question) => question.id !== questionId)
    if (left.length === questions.length)
      throw new DatasetEditError('question_id', `${id} has no question ${questionId}`)
    return { questions: left.map(questionFields) }
  })

/** Adds a document as it is. Throws `DatasetEditError` for a name that is taken or that a file cannot have. Durable when it resolves. */
export async function addOwnDocument(
  root: string,
  id: string,
  path: string,
  bytes: Buffer,
): Promise<{ path: string; size_bytes: number }> {
  const name = path.normalize('NFC')
  const problem = documentNameProblem(name)
  if (problem !== null) throw new DatasetEditError('name', problem)
  if (bytes.length === 0) throw new DatasetEditError('name', `${name} is empty: there is nothing to ingest`)
  const file = join(documentsOf(root, id), name)
  await writeNew(file, bytes).catch((error: unknown) => {
    throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? taken(id, name) : error
  })
  return { path: name, size_bytes: bytes.length }
}

const taken = (id: string, name: string): DatasetEditError =>
  new DatasetEditError('name', `${id} has a document ${name} already: remove it first, or choose another name`)

/** Moves a document to the dataset's trash. Throws `DatasetEditError` when it is not there. */
export async function removeOwnDocument(root: string, id: string, path: string): Promise<void> {
  const file = join(documentsOf(root, id), path)
  if (documentNameProblem(path) !== null || !(await exists(file)))
    throw new DatasetEditError('path', `${id} has no document ${path}`)
  const kept = join(folderOf(root, id), TRASH, path)
  await mkdir(dirname(kept), { recursive: true })
  await rm(kept, { force: true })
  await rename(file, kept)
}

/** Moves a removed document back. Throws `DatasetEditError` when it is not in the trash, or its name is taken again. */
export async function restoreOwnDocument(root: string, id: string, path: string): Promise<void> {
  const [kept, file] = [join(folderOf(root, id), TRASH, path), join(documentsOf(root, id), path)]
  if (documentNameProblem(path) !== null || !(await exists(kept)))
    throw new DatasetEditError('path', `the trash of ${id} has no document ${path}`)
  if (await exists(file)) throw taken(id, path)
  await mkdir(dirname(file), { recursive: true })
  await rename(kept, file)
}

const trashFolder = (root: string): string => join(root, OWN_DATASETS_FOLDER, TRASH)

/** Moves a dataset to the trash and returns the name that restores it. */
export async function removeOwnDataset(root: string, id: string, now = new Date()): Promise<string> {
  if (!(await exists(fileOf(root, id))))
    throw new DatasetEditError('dataset_id', `there is no dataset ${id} of your own`)
  const trashId = `${id}@${now.toISOString().replaceAll(':', '-')}`
  await mkdir(trashFolder(root), { recursive: true })
  await rename(folderOf(root, id), join(trashFolder(root), trashId))
  return trashId
}

interface RemovedDataset {
  trash_id: string
  dataset_id: string
  /** The id where its file cannot be read. */
  label: string
  removed_at: string
}

/** Removed datasets, the last one first. */
export async function removedDatasets(root: string): Promise<RemovedDataset[]> {
  const names = await readdir(trashFolder(root)).catch((): string[] => [])
  const removed = await Promise.all(
    names.map(async (name) => {
      const [, id, date, time] = /^([^@]+)@(\d{4}-\d\d-\d\d)T(\d\d-\d\d-\d\d\.\d+Z)$/.exec(name) ?? []
      if (id === undefined) return []
      const file = `${OWN_DATASETS_FOLDER}/${TRASH}/${name}/${OWN_DATASET_FILE}`
      const label = await loadManifest(root, file, OwnDatasetFile).then(
        (value) => value.label,
        () => id,
      )
      return [{ trash_id: name, dataset_id: id, label, removed_at: `${date!}T${time!.replaceAll('-', ':')}` }]
    }),
  )
  return removed.flat().toSorted((one, other) => (one.removed_at < other.removed_at ? 1 : -1))
}

/** Moves a dataset back from the trash and returns its id. Throws `DatasetEditError` when its name is taken again. */
export async function restoreOwnDataset(root: string, trashId: string): Promise<string> {
  const removed = (await removedDatasets(root)).find(({ trash_id: id }) => id === trashId)
  if (removed === undefined) throw new DatasetEditError('trash_id', `the trash has no ${trashId}`)
  const { dataset_id: id } = removed
  if (await exists(folderOf(root, id)))
    throw new DatasetEditError('trash_id', `there is a dataset ${id} again: remove or rename that one first`)
  await rename(join(trashFolder(root), trashId), folderOf(root, id))
  return id
}
