import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { limitBehind } from '../../../core/system-limit.ts'
import type { z } from 'zod'
import { Identifier } from '../../../contract/common.ts'
import type { IngestionProfile } from '../../../contract/manifests/consumer.ts'
import {
  DatasetCatalogue,
  DatasetFile,
  datasetOf,
  DATASETS_FOLDER,
  OWN_DATASET_FILE,
  OWN_DATASETS_FOLDER,
  OwnDatasetFile,
  ownDatasetOf,
  type Dataset,
} from '../../../contract/manifests/datasets.ts'
import type { Question } from '../../../contract/manifests/queries.ts'
import { loadManifest } from '../load-manifest.ts'
import { ManifestError } from '../manifest-error.ts'

// A project declares datasets in two layouts, which may be mixed: one file per dataset in `manifests/datasets/`, and the older catalogue
// `manifests/datasets.yaml`, whose entries name a questions file and an ingestion profile of `consumer.yaml`. Beside them are a person's own, a
// folder each in `datasets/`. A file that cannot be used blocks its own dataset only.

export interface DeclaredDataset {
  dataset: Dataset
  /** Manifest that declares it, relative to the project folder. */
  file: string
  /** Null in the older layout: ingestion profile and questions are in other files. */
  own: { profile: IngestionProfile; questions: Question[] } | null
}

/** A dataset whose file cannot be used. */
export interface UnusableDataset {
  id: string
  /** The file with the problems. */
  file: string
  problems: string[]
}

interface DatasetFiles {
  /** By rung, those of one rung in the order of catalogue and file names. */
  datasets: DeclaredDataset[]
  unusable: UnusableDataset[]
}

/** Entries of a folder that do not begin with a dot, sorted; none when there is no such folder. */
async function namesIn(root: string, folder: string): Promise<string[]> {
  const names = await readdir(join(root, folder)).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    const limit = limitBehind(error)
    const problem =
      limit === null ? 'the folder cannot be read: check its permissions' : `${limit.reason}: ${limit.remedy}`
    throw new ManifestError(folder, [problem], error)
  })
  return names.filter((name) => !name.startsWith('.')).toSorted()
}

/** Returns what the loaders found, and which files they refused. Other errors are thrown. */
export async function separateUnusable<Item, Loaded>(
  items: readonly Item[],
  idOf: (item: Item) => string,
  load: (item: Item) => Promise<Loaded>,
): Promise<{ loaded: Loaded[]; unusable: UnusableDataset[] }> {
  const outcomes = await Promise.all(
    items.map(async (item) => {
      try {
        return { loaded: [await load(item)], unusable: [] }
      } catch (error) {
        if (!(error instanceof ManifestError)) throw error
        return { loaded: [], unusable: [{ id: idOf(item), file: error.file, problems: error.problems }] }
      }
    }),
  )
  return {
    loaded: outcomes.flatMap(({ loaded }) => loaded),
    unusable: outcomes.flatMap(({ unusable }) => unusable),
  }
}

/** Datasets of a project's manifests, by catalogue and file name; `taken` maps each of their ids to the file that declares it. */
async function readProjectDatasets(
  root: string,
  catalogueFile: string,
  namedBy: string | null,
): Promise<DatasetFiles & { taken: Map<string, string> }> {
  const names = await namesIn(root, DATASETS_FOLDER)
  const files = names.filter((name) => name.endsWith('.yaml'))
  const listed = await listedDatasets(root, catalogueFile, namedBy, files.length > 0)
  const taken = new Map(listed.map(({ dataset }) => [dataset.id, catalogueFile]))
  const { loaded, unusable } = await separateUnusable(files, withoutEnding, (name) => {
    const id = withoutEnding(name)
    return loadDatasetFile(root, id, `${DATASETS_FOLDER}/${name}`, DatasetFile, datasetOf, taken)
  })
  for (const { dataset, file } of loaded) taken.set(dataset.id, file)
  for (const { id, file } of unusable) taken.set(id, file)
  return { datasets: [...listed, ...loaded], unusable, taken }
}

/** All datasets of a project and of the person. Throws `ManifestError` for the catalogue and for folders that cannot be read. */
export async function readDatasets(
  root: string,
  catalogueFile: string,
  namedBy: string | null = null,
): Promise<DatasetFiles> {
  const [ofProject, folders] = await Promise.all([
    readProjectDatasets(root, catalogueFile, namedBy),
    namesIn(root, OWN_DATASETS_FOLDER),
  ])
  const own = await ownFolders(root, folders)
  const ofPerson = await separateUnusable(own, String, (id) =>
    loadDatasetFile(
      root,
      id,
      `${OWN_DATASETS_FOLDER}/${id}/${OWN_DATASET_FILE}`,
      OwnDatasetFile,
      ownDatasetOf,
      ofProject.taken,
    ),
  )
  const unusable = [...ofProject.unusable, ...ofPerson.unusable]
  // Declared twice, it is not known which one is meant.
  const declared = [...ofProject.datasets, ...ofPerson.loaded].filter(
    ({ dataset }) => !unusable.some(({ id }) => id === dataset.id),
  )
  return { datasets: byLevel(declared), unusable }
}

const byLevel = (datasets: readonly DeclaredDataset[]): DeclaredDataset[] =>
  datasets.toSorted((one, other) => level(one) - level(other))

const level = ({ dataset }: DeclaredDataset): number => dataset.complexity_level

const withoutEnding = (name: string): string => name.slice(0, -'.yaml'.length)

/** Folders with a dataset file; others in `datasets/` are ignored. */
async function ownFolders(root: string, folders: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    folders.map(async (id) => {
      const names = await readdir(join(root, OWN_DATASETS_FOLDER, id)).catch((): string[] => [])
      return names.includes(OWN_DATASET_FILE) ? [id] : []
    }),
  )
  return found.flat()
}

/** The datasets of the project alone, where each file must be usable; those of a person are not read. Throws `ManifestError`. */
export async function loadProjectDatasets(root: string, catalogueFile: string): Promise<DeclaredDataset[]> {
  const { datasets, unusable } = await readProjectDatasets(root, catalogueFile, null)
  for (const { file, problems } of unusable) throw new ManifestError(file, problems)
  return byLevel(datasets)
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

async function loadDatasetFile<Schema extends z.ZodType>(
  root: string,
  id: string,
  file: string,
  schema: Schema,
  declared: (
    id: string,
    value: z.output<Schema>,
  ) => { dataset: Dataset; profile: IngestionProfile; questions: Question[] },
  taken: ReadonlyMap<string, string>,
): Promise<DeclaredDataset> {
  if (!Identifier.safeParse(id).success)
    throw new ManifestError(file, [
      `the ${file.startsWith(DATASETS_FOLDER) ? 'file' : 'folder'} name is the id of the dataset: use letters, digits, "_", "-" and "." only`,
    ])
  const other = taken.get(id)
  if (other !== undefined) throw new ManifestError(file, [`${id} is also declared in ${other}: remove one of the two`])
  const { dataset, ...own } = declared(id, await loadManifest(root, file, schema))
  return { dataset, file, own }
}
