import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import {
  describeIssues,
  OWN_DATASET_FILE,
  OWN_DATASETS_FOLDER,
  OWN_DOCUMENTS_FOLDER,
  OwnDatasetFile,
} from '../../contract/index.ts'
import { unpackZip, writeZip, ZipFileError } from '../lib/zip-files.ts'
import type { Experiment } from './experiment.ts'
import { parseYaml } from './load-manifest.ts'
import { DatasetEditError, documentNameProblem, refuseTakenId } from './own-datasets.ts'

// A dataset as one zip file: `dataset.yaml` and `documents/…`, as in its folder. Both ways stream, so that a corpus need not fit into memory. An
// archive is unpacked beside the datasets and becomes one by a rename: a half or a foreign one leaves nothing.

/** Writes an own dataset to a zip file that is not there yet; returns the number of documents. Throws `DatasetEditError`. */
export async function exportDataset(root: string, id: string, target: string): Promise<number> {
  const folder = join(root, OWN_DATASETS_FOLDER, id)
  const documents = await documentsBelow(join(folder, OWN_DOCUMENTS_FOLDER))
  const names = [OWN_DATASET_FILE, ...documents.map((name) => `${OWN_DOCUMENTS_FOLDER}/${name}`)]
  await asDatasetEdit(() =>
    writeZip(
      target,
      names.map((name) => ({ name, file: join(folder, name) })),
    ),
  )
  return documents.length
}

async function asDatasetEdit<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof ZipFileError ? new DatasetEditError(error.path, error.message) : error
  }
}

async function documentsBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort()
}

/** What an archive holds. */
interface UnpackedDataset {
  file: OwnDatasetFile
  /** Paths below the documents' folder, in order. */
  documents: string[]
}

/** Unpacks a zip file as the own dataset `id`; returns the number of documents. Throws `DatasetEditError`; nothing is left then. */
export async function importDataset(experiment: Experiment, file: string, id: string): Promise<number> {
  const { root } = experiment
  await refuseTakenId(experiment, id)
  const folder = join(root, OWN_DATASETS_FOLDER, `.import-${id}-${process.pid}`)
  try {
    const { documents } = await unpackDataset(file, folder)
    await refuseTakenId(experiment, id)
    await rename(folder, join(root, OWN_DATASETS_FOLDER, id))
    return documents.length
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Unpacks an archive into a folder and checks all of it, as an import does. Throws `DatasetEditError`; the caller removes the folder. */
export async function unpackDataset(file: string, folder: string): Promise<UnpackedDataset> {
  await mkdir(join(folder, OWN_DOCUMENTS_FOLDER), { recursive: true })
  await asDatasetEdit(() => unpackZip(file, folder, entryProblem))
  const manifest = await readFile(join(folder, OWN_DATASET_FILE), 'utf8').catch(() => {
    throw new DatasetEditError('file', `${file} has no ${OWN_DATASET_FILE}: it is not an exported dataset`)
  })
  const parsed = OwnDatasetFile.safeParse(parseYaml(`${OWN_DATASET_FILE} in ${file}`, manifest))
  if (!parsed.success)
    throw new DatasetEditError(
      'file',
      `${OWN_DATASET_FILE} in ${file}: ${describeIssues(parsed.error).slice(0, 3).join('; ')}`,
    )
  return { file: parsed.data, documents: await documentsBelow(join(folder, OWN_DOCUMENTS_FOLDER)) }
}

/** Why an entry of an archive cannot be unpacked; null when it can. */
function entryProblem(name: string): string | null {
  if (name === OWN_DATASET_FILE) return null
  const inside = name.startsWith(`${OWN_DOCUMENTS_FOLDER}/`) ? name.slice(OWN_DOCUMENTS_FOLDER.length + 1) : null
  if (inside === null) return `it is neither ${OWN_DATASET_FILE} nor below ${OWN_DOCUMENTS_FOLDER}/`
  return documentNameProblem(inside)
}
