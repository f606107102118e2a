import { mkdir, rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { describeIssues } from '../../../core/issues.ts'
import {
  OWN_DATASET_FILE,
  OWN_DATASETS_FOLDER,
  OWN_DOCUMENTS_FOLDER,
  OwnDatasetFile,
} from '../../../contract/manifests/datasets.ts'
import {
  fileListEntry,
  readZip,
  refuseChanged,
  textOf,
  unpackZip,
  writeZip,
  ZipFileError,
  type ZipReader,
} from '../../lib/files/zip-files.ts'
import { filesBelow } from '../../lib/files/files-below.ts'
import { outgoingKeys } from '../../lib/trust/outgoing-keys.ts'
import type { Experiment } from '../experiment.ts'
import { parseYaml } from '../load-manifest.ts'
import { DatasetEditError, documentNameProblem, refuseTakenId } from './own-datasets.ts'

// A dataset as one zip file: `dataset.yaml` and `documents/…`, as in its folder, and `checksums.json`, which zips of versions before 0.2 do not
// have. Both ways stream, so that a corpus need not fit into memory. An
// archive is unpacked beside the datasets and becomes one by a rename: a half or a foreign one leaves nothing.

const CHECKSUMS = 'checksums.json'

/**
 * Writes an own dataset to a zip file that is not there yet; returns the number of documents. Throws `DatasetEditError`, also where a file holds a key: an
 * archive is for others. `allowKeyExamples` lets texts in the form of a key pass, because they are examples of documents.
 */
export async function exportDataset(
  root: string,
  id: string,
  target: string,
  { allowKeyExamples = false }: { allowKeyExamples?: boolean } = {},
): Promise<number> {
  const folder = join(root, OWN_DATASETS_FOLDER, id)
  const documents = await documentsBelow(join(folder, OWN_DOCUMENTS_FOLDER))
  const names = [OWN_DATASET_FILE, ...documents.map((name) => `${OWN_DOCUMENTS_FOLDER}/${name}`)]
  const entries = names.map((name) => ({ name, file: join(folder, name) }))
  const keys = await outgoingKeys(allowKeyExamples ? null : `rag-ladder dataset export ${id} --allow-key-examples`)
  for (const { name, file } of entries) {
    const problem = await keys.inFile(file)
    if (problem !== null) throw new DatasetEditError('id', `Cannot export the dataset ${id}: ${name}: ${problem}`)
  }
  await asDatasetEdit(() => writeZip(target, [...entries, fileListEntry(CHECKSUMS)]))
  return documents.length
}

async function asDatasetEdit<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof ZipFileError ? new DatasetEditError(error.path, error.message) : error
  }
}

/** The documents of a corpus: its files without those whose name begins with a dot. */
export const documentsBelow = async (folder: string): Promise<string[]> =>
  (await filesBelow(folder)).filter((path) => !basename(path).startsWith('.'))

/** Unpacks a zip file as the own dataset `id`; returns the number of documents. Throws `DatasetEditError`; nothing is left then. */
export async function importDataset(experiment: Experiment, file: string, id: string): Promise<number> {
  const { root } = experiment
  await refuseTakenId(experiment, id)
  const folder = join(root, OWN_DATASETS_FOLDER, `.import-${id}-${process.pid}`)
  try {
    const { documents } = await previewDataset(file)
    await mkdir(join(folder, OWN_DOCUMENTS_FOLDER), { recursive: true })
    await asDatasetEdit(async () => {
      const unpacked = await unpackZip(file, folder, entryProblem)
      await refuseChanged(folder, CHECKSUMS, unpacked, file)
    })
    await rm(join(folder, CHECKSUMS), { force: true })
    await refuseTakenId(experiment, id)
    await rename(folder, join(root, OWN_DATASETS_FOLDER, id))
    return documents.length
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

interface ArchivedDataset {
  file: OwnDatasetFile
  /** Paths below the documents' folder, in order. */
  documents: string[]
  documentBytes: number
}

/** Returns what an archive holds, from its directory and its `dataset.yaml`; nothing is unpacked to disk. Throws `DatasetEditError`. */
export const previewDataset = (file: string): Promise<ArchivedDataset> =>
  asDatasetEdit(() =>
    readZip(file, entryProblem, async (zip) => {
      const documents = zip.entries.filter(({ name }) => name.startsWith(`${OWN_DOCUMENTS_FOLDER}/`))
      return {
        file: await datasetFileOf(zip, file),
        documents: documents.map(({ name }) => name.slice(OWN_DOCUMENTS_FOLDER.length + 1)).sort(),
        documentBytes: documents.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
      }
    }),
  )

async function datasetFileOf(zip: ZipReader, file: string): Promise<OwnDatasetFile> {
  const entry = zip.entries.find(({ name }) => name === OWN_DATASET_FILE)
  if (entry === undefined)
    throw new DatasetEditError('file', `${file} has no ${OWN_DATASET_FILE}: it is not an exported dataset`)
  const text = await textOf(zip, entry, MOST_MANIFEST_BYTES)
  const parsed = OwnDatasetFile.safeParse(parseYaml(`${OWN_DATASET_FILE} in ${file}`, text))
  if (!parsed.success)
    throw new DatasetEditError(
      'file',
      `${OWN_DATASET_FILE} in ${file}: ${describeIssues(parsed.error).slice(0, 3).join('; ')}`,
    )
  const { label } = parsed.data
  if (label.length > LONGEST_LABEL)
    throw new DatasetEditError(
      'file',
      `${OWN_DATASET_FILE} in ${file}: label has ${label.length} characters, more than ${LONGEST_LABEL}`,
    )
  return parsed.data
}

/** A hundred thousand questions have half of it. */
const MOST_MANIFEST_BYTES = 64 * 1024 ** 2
/** As where a person edits it. */
const LONGEST_LABEL = 120

/** Why an entry of an archive cannot be unpacked; null when it can. */
function entryProblem(name: string): string | null {
  if (name === OWN_DATASET_FILE || name === CHECKSUMS) return null
  const inside = name.startsWith(`${OWN_DOCUMENTS_FOLDER}/`) ? name.slice(OWN_DOCUMENTS_FOLDER.length + 1) : null
  if (inside === null) return `it is neither ${OWN_DATASET_FILE} nor below ${OWN_DOCUMENTS_FOLDER}/`
  return documentNameProblem(inside)
}
