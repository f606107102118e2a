import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import {
  OWN_DATASET_FILE,
  OWN_DATASETS_FOLDER,
  OWN_DOCUMENTS_FOLDER,
  OwnDatasetFile,
  type ImportedFrom,
} from '../../../../contract/manifests/datasets.ts'
import { countWords, NO_GOLD, plural } from '../../../../contract/words.ts'
import { hashFile } from '../../../lib/files/hash-file.ts'
import { writeAtomic } from '../../../lib/files/write-atomic.ts'
import type { Experiment } from '../../experiment.ts'
import { questionFields, refuseTakenId, writtenYaml } from '../own-datasets.ts'
import { chooseDocuments, chooseQuestions } from './choose-records.ts'
import { IMPORTERS } from './formats.ts'
import { ImportError, type Importer, type OpenSource } from './importer.ts'
import { LeftOut } from './left-out.ts'
import { sourceFiles } from './source-files.ts'
import { storedQuestions, writeDocuments } from './write-records.ts'

// Imports a public dataset as one of a person's own. The source is read several times, one record at a time: to choose the questions, to read
// the chosen ones, to choose the documents, and to write them. The dataset is written beside the others under a hidden name and becomes visible
// by a rename, so nothing is ever imported half.
//
// Documents with the same title and text are one. A sample is the same for the same files and seed, whatever their order.

export interface ImportOptions {
  /** Folder or file of the source. */
  source: string
  id: string
  /** Null: by the content of the files. */
  format?: string | null
  /** Limits the questions; null for all. */
  questions?: number | null
  /** Limits the documents: those with gold evidence, and a sample of the others; null for all that the questions came with. */
  documents?: number | null
  seed?: number
  split?: string | null
  label?: string | null
  onProgress?: (progress: ImportProgress) => void
  signal?: AbortSignal
}

export interface ImportProgress {
  step: 'questions' | 'documents'
  bytes: number
  /** Documents written until now. */
  documents: number
}

export interface ImportSummary {
  id: string
  label: string
  format: { id: string; label: string; licence: string }
  questions: { taken: number; of: number }
  documents: { taken: number; of: number }
  /** Questions with gold evidence: without any, retrieval cannot be scored. */
  withGold: number
  /** Holds what was left out, and why. */
  leftOut: { count: number; reason: string }[]
}

/** Imports a dataset. Throws `ImportError` or `DatasetEditError`; nothing is left then. */
export async function importPublicDataset(experiment: Experiment, options: ImportOptions): Promise<ImportSummary> {
  const { id, seed = 0, split = null, questions: wanted = null, documents: limit = null } = options
  await refuseTakenId(experiment, id)
  const progress: ImportProgress = { step: 'questions', bytes: 0, documents: 0 }
  const report = (more: Partial<ImportProgress>): void => {
    options.signal?.throwIfAborted()
    options.onProgress?.(Object.assign(progress, more))
  }
  const { importer, source } = await openSource(options, (bytes) => report({ bytes: progress.bytes + bytes }))
  const leftOut = new LeftOut()

  const chosen = await chooseQuestions(source, wanted, seed, leftOut)
  const keys = await chooseDocuments(source, chosen.questions, chosen.blocked, limit, wanted !== null, seed)
  const folder = join(experiment.root, OWN_DATASETS_FOLDER, `.import-${id}-${process.pid}`)
  await removeUnfinished(experiment.root, id)
  await mkdir(join(folder, OWN_DOCUMENTS_FOLDER), { recursive: true })
  try {
    report({ step: 'documents' })
    const written = await writeDocuments(
      join(folder, OWN_DOCUMENTS_FOLDER),
      source,
      chosen.questions,
      keys,
      leftOut,
      (count) => report({ documents: count }),
    )
    const questions = storedQuestions(chosen.questions, written.byKey, importer, leftOut)
    const summary: ImportSummary = {
      id,
      label: options.label ?? labelOf(options.source, id),
      format: { id: importer.id, label: importer.label, licence: importer.licence },
      questions: { taken: questions.length, of: chosen.of },
      documents: { taken: written.count, of: written.of },
      withGold: questions.filter(({ gold }) => gold.length > 0).length,
      leftOut: leftOut.list(),
    }
    const from: ImportedFrom = {
      format: importer.id,
      ...(importer.url === '' ? {} : { url: importer.url }),
      files: await Promise.all(
        source.files.map(async ({ path, name }) => ({ name, sha256: (await hashFile(path)).sha256 })),
      ),
      ...(split === null ? {} : { split }),
      seed,
      questions: summary.questions,
      documents: summary.documents,
    }
    const file = OwnDatasetFile.parse({
      version: 1,
      label: summary.label,
      description: descriptionOf(options.source, importer, summary),
      // The form of a file tells which set it is like, not where it comes from.
      ...(importer.licence === '' ? {} : { licence: `${importer.licence}, as ${importer.label} is published` }),
      ...(importer.isText ? { profile: { parser_order: ['plain_text'] } } : {}),
      imported_from: from,
      questions: [],
    })
    const { parser_order: order } = file.profile
    const text = writtenYaml({
      ...file,
      profile: importer.isText ? { parser_order: order } : undefined,
      questions: questions.map(questionFields),
    })
    await writeAtomic(join(folder, OWN_DATASET_FILE), text)
    await refuseTakenId(experiment, id)
    await rename(folder, join(experiment.root, OWN_DATASETS_FOLDER, id))
    return summary
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The name of the source tells datasets of one format apart; the format and the counts are in the description. */
const labelOf = (source: string, id: string): string =>
  basename(resolve(source))
    .replace(/(\.(json|jsonl|zip|gz))+$/i, '')
    .trim() || id

const descriptionOf = (source: string, { label, url }: Importer, { questions, documents }: ImportSummary): string =>
  `Imported from ${basename(resolve(source))} in the form of ${label}${url === '' ? '' : ` (${url})`}: ${countWords(questions.taken)} of ${plural(questions.of, 'question')}, ${countWords(documents.taken)} of ${plural(documents.of, 'document')}.`

/** Returns what a process that was ended has left. */
async function removeUnfinished(root: string, id: string): Promise<void> {
  const names = await readdir(join(root, OWN_DATASETS_FOLDER)).catch((): string[] => [])
  for (const name of names) {
    const [, pid] = new RegExp(`^\\.import-${id}-(\\d+)$`).exec(name) ?? []
    if (pid !== undefined && (Number(pid) === process.pid || !isRunning(Number(pid))))
      await rm(join(root, OWN_DATASETS_FOLDER, name), { recursive: true, force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

async function openSource(
  { source: path, format = null, split = null }: ImportOptions,
  onBytes: (bytes: number) => void,
): Promise<{ importer: Importer; source: OpenSource }> {
  const named = format === null ? IMPORTERS : IMPORTERS.filter(({ id }) => id === format)
  if (named.length === 0)
    throw new ImportError(`unknown format ${format}: expected one of ${IMPORTERS.map(({ id }) => id).join(', ')}`)
  const files = await sourceFiles(path)
  for (const importer of named) {
    const source = importer.open(files, split, onBytes)
    if (source !== null) return { importer, source }
  }
  const unread = files.flatMap(({ problem }) => problem ?? [])
  throw new ImportError(
    [
      format === null
        ? `${path}: no known format. Expected ${IMPORTERS.map(({ label, expects }) => `${label}: ${expects}`).join('; ')}`
        : `${path} is not ${named[0]!.label}: expected ${named[0]!.expects}`,
      ...unread.slice(0, 3),
    ].join('. '),
  )
}

/** The summary as lines for people. */
export function importLines({ id, label, format, questions, documents, withGold, leftOut }: ImportSummary): string[] {
  return [
    `datasets/${id}/: ${label}, ${plural(questions.taken, 'question')} of ${countWords(questions.of)}, ${plural(documents.taken, 'document')} of ${countWords(documents.of)}`,
    `Read as ${format.label}`,
    ...(format.licence === ''
      ? []
      : [`Licence of ${format.label} as published: ${format.licence}. A file of another source has its own.`]),
    ...(withGold > 0 ? [] : [`Warning: ${NO_GOLD}.`]),
    ...leftOut.map(({ count, reason }) => `Left out: ${countWords(count)} ${reason}`),
  ]
}

/** A short name of the source, for a dataset that is given none. */
export const idOfSource = (source: string): string =>
  basename(source)
    .replace(/\.[^.]*$/, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replace(/^[^a-z]+/, '')
    .replace(/_+$/, '')
    .slice(0, 63)
