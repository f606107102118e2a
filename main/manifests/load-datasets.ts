import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import {
  DatasetCatalogue,
  DatasetFile,
  datasetOf,
  DATASETS_FOLDER,
  Identifier,
  type Dataset,
  type IngestionProfile,
  type Question,
} from '../../contract/index.ts'
import { loadManifest } from './load-manifest.ts'
import { ManifestError } from './manifest-error.ts'

// A project declares datasets in two layouts, which may be mixed: one file per dataset in `manifests/datasets/`, and the older catalogue
// `manifests/datasets.yaml`, whose entries name a questions file and an ingestion profile of `consumer.yaml`.

export interface DeclaredDataset {
  dataset: Dataset
  /** Manifest that declares it, relative to the project folder. */
  file: string
  /** Null in the older layout: ingestion profile and questions are in other files. */
  own: { profile: IngestionProfile; questions: Question[] } | null
}

/** Paths of the dataset files, relative to the project folder and sorted; none when the project has no such folder. */
export async function datasetFiles(root: string): Promise<string[]> {
  const names = await readdir(join(root, DATASETS_FOLDER)).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw new ManifestError(DATASETS_FOLDER, ['the folder cannot be read: check its permissions'], error)
  })
  return names
    .filter((name) => name.endsWith('.yaml') && !name.startsWith('.'))
    .toSorted()
    .map((name) => `${DATASETS_FOLDER}/${name}`)
}

/** All datasets of a project: by rung, those of one rung in the order of catalogue and file names. Throws `ManifestError`. */
export async function loadDatasets(
  root: string,
  catalogueFile: string,
  namedBy: string | null = null,
): Promise<DeclaredDataset[]> {
  const files = await datasetFiles(root)
  const [listed, own] = await Promise.all([
    listedDatasets(root, catalogueFile, namedBy, files.length > 0),
    Promise.all(files.map((file) => loadDatasetFile(root, file))),
  ])
  const twice = own.find(({ dataset }) => listed.some((other) => other.dataset.id === dataset.id))
  if (twice !== undefined)
    throw new ManifestError(twice.file, [
      `${twice.dataset.id} is also declared in ${catalogueFile}: remove one of the two`,
    ])
  const level = ({ dataset }: DeclaredDataset): number => dataset.complexity_level
  return [...listed, ...own].toSorted((one, other) => level(one) - level(other))
}

async function listedDatasets(
  root: string,
  file: string,
  namedBy: string | null,
  mayBeMissing: boolean,
): Promise<DeclaredDataset[]> {
  try {
    const { datasets } = await loadManifest(root, file, DatasetCatalogue, namedBy)
    return datasets.map((dataset) => ({ dataset, file, own: null }))
  } catch (error) {
    const cause = error instanceof ManifestError ? (error.cause as NodeJS.ErrnoException | undefined) : undefined
    if (mayBeMissing && cause?.code === 'ENOENT') return []
    throw error
  }
}

async function loadDatasetFile(root: string, file: string): Promise<DeclaredDataset> {
  const id = Identifier.safeParse(file.slice(DATASETS_FOLDER.length + 1, -'.yaml'.length))
  if (!id.success)
    throw new ManifestError(file, [
      'the file name is the id of the dataset: use letters, digits, "_", "-" and "." only',
    ])
  const { dataset, ...own } = datasetOf(id.data, await loadManifest(root, file, DatasetFile))
  return { dataset, file, own }
}
