// The catalogue of open models beside what this machine has: memory, and files that are already in the folder of models.
import { rm, stat } from 'node:fs/promises'
import { totalmem } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isModelPath } from '../../../contract/manifests/model-backends.ts'
import { LOCAL_EMBEDDINGS, ModelCatalogue, type CatalogueModel } from '../../../contract/manifests/model-catalogue.ts'
import { fillPlaceholders } from '../../../contract/manifests/models.ts'
import type { CatalogueEntry } from '../../../contract/control/models.ts'
import { loadModels } from '../experiment.ts'
import { loadManifest } from '../load-manifest.ts'
import { InputError } from '../runner-inputs.ts'

const FILE = 'manifests/model-catalogue.yaml'
const PROGRAM_ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const MIB = 1024 * 1024

/** Returns where fetched models are; the search for files on this machine looks there too. */
export const modelsFolder = (root: string): string => join(root, '.rag-ladder/models')

/** The project's catalogue, or the program's own where the project has none. Throws `ManifestError`. */
export async function loadCatalogue(root: string): Promise<CatalogueModel[]> {
  const hasOwn = (await stat(resolve(root, FILE)).catch(() => null)) !== null
  return (await loadManifest(hasOwn ? root : PROGRAM_ROOT, FILE, ModelCatalogue)).models
}

/** Lists what a download leaves beside the file until it is finished. */
const UNFINISHED = ['.part', '.part.etag']

const sizeOf = (path: string): Promise<number | null> =>
  stat(path).then(
    ({ size }) => size,
    () => null,
  )

/** Each model with whether it fits into the memory of this machine, whether its files are here, and which sets name them. */
export async function catalogueEntries(
  root: string,
  memoryBytes = totalmem(),
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<CatalogueEntry[]> {
  const [models, users] = await Promise.all([loadCatalogue(root), usersOfFiles(root, env)])
  return Promise.all(
    models.map(async ({ memory_mib: memory, files, ...model }) => {
      const paths = files.map(({ path }) => join(modelsFolder(root), path))
      // A model of several files is named by their folder.
      const [first] = files
      const path = first === undefined ? null : join(modelsFolder(root), first.path.split('/')[0]!)
      const [sizes, parts] = await Promise.all([
        Promise.all(paths.map(sizeOf)),
        Promise.all(paths.map((path) => sizeOf(path + UNFINISHED[0]!))),
      ])
      const isHere = files.map(({ size_bytes: size }, index) => sizes[index] === size)
      const received = files.map(({ size_bytes: size }, index) => (isHere[index] === true ? size : (parts[index] ?? 0)))
      return {
        ...model,
        memory_mib: memory,
        files,
        fits: memory === null ? null : memory * MIB <= memoryBytes,
        fetched: files.length > 0 && !isHere.includes(false),
        paths,
        path,
        received_bytes: received.reduce((sum, bytes) => sum + bytes, 0),
        used_by: path === null ? [] : (users.get(path) ?? []),
      }
    }),
  )
}

/** Sets by the file that one of their roles names. */
async function usersOfFiles(
  root: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Map<string, string[]>> {
  const users = new Map<string, string[]>()
  for (const [name, { roles }] of Object.entries((await loadModels(root)).models.sets)) {
    // The project's set for these files works again when they are downloaded again.
    if (name === LOCAL_EMBEDDINGS.set) continue
    for (const choice of Object.values(roles)) {
      const path = isModelPath(choice) ? fillPlaceholders(choice.model, env) : null
      if (path?.ok !== true) continue
      const file = resolve(root, path.value)
      users.set(file, [...new Set([...(users.get(file) ?? []), name])])
    }
  }
  return users
}

/**
 * Deletes the files of a model, finished or not; returns their paths. Throws `InputError` for one that has no files here or that a set names.
 */
export async function removeFetchedModel(root: string, id: string): Promise<string[]> {
  const entry = (await catalogueEntries(root)).find((each) => each.id === id)
  if (entry === undefined) throw new InputError([`the catalogue has no model ${id}`])
  const { paths, received_bytes: received, used_by: users } = entry
  if (received === 0) throw new InputError([`no file of ${id} is in ${modelsFolder(root)}`])
  if (users.length > 0)
    throw new InputError([
      `${id} is used by the model sets ${users.join(', ')}: remove them first, or choose another model in them`,
    ])
  await Promise.all(paths.flatMap((path) => ['', ...UNFINISHED].map((end) => rm(path + end, { force: true }))))
  return paths
}

/** The model with its files, which all have a checksum. Throws `InputError` for one that cannot be fetched, with what fetches it. */
export async function fetchableModel(root: string, id: string): Promise<CatalogueModel> {
  const models = await loadCatalogue(root)
  const model = models.find((each) => each.id === id)
  if (model === undefined)
    throw new InputError([`the catalogue has no model ${id}; it has ${models.map((each) => each.id).join(', ')}`])
  const { files, run_by: by } = model
  if (files.length === 0)
    throw new InputError([
      'service' in by
        ? `${id} is fetched by the service ${by.service}: see the page Services`
        : `${id} has no files and no checksum in the catalogue: the ${by.backend} backend fetches ${'model' in by ? by.model : 'it'} at its first use`,
    ])
  const unchecked = files.filter(({ sha256 }) => sha256 === null).map(({ path }) => path)
  if (unchecked.length > 0)
    throw new InputError([
      `${id}: the catalogue has no checksum of ${unchecked.join(', ')}, so it is not fetched: download it yourself from ${model.source_page} and compare its checksum`,
    ])
  return model
}
