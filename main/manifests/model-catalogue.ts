// The catalogue of open models beside what this machine has: memory, and files that are already in the folder of models.
import { stat } from 'node:fs/promises'
import { totalmem } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ModelCatalogue, type CatalogueModel } from '../../contract/index.ts'
import type { CatalogueEntry } from '../../contract/control/models.ts'
import { loadManifest } from './load-manifest.ts'
import { InputError } from './runner-inputs.ts'

const FILE = 'manifests/model-catalogue.yaml'
const PROGRAM_ROOT = fileURLToPath(new URL('../../', import.meta.url))
const MIB = 1024 * 1024

/** Where fetched models are; the search for files on this machine looks there too. */
export const modelsFolder = (root: string): string => join(root, '.rag-ladder/models')

/** The project's catalogue, or the program's own where the project has none. Throws `ManifestError`. */
export async function loadCatalogue(root: string): Promise<CatalogueModel[]> {
  const hasOwn = (await stat(resolve(root, FILE)).catch(() => null)) !== null
  return (await loadManifest(hasOwn ? root : PROGRAM_ROOT, FILE, ModelCatalogue)).models
}

/** Each model with whether it fits into the memory of this machine, and whether its files are here. */
export async function catalogueEntries(root: string, memoryBytes = totalmem()): Promise<CatalogueEntry[]> {
  const models = await loadCatalogue(root)
  return Promise.all(
    models.map(async ({ memory_mib: memory, files, ...model }) => {
      const sizes = await Promise.all(
        files.map(({ path }) =>
          stat(join(modelsFolder(root), path)).then(
            ({ size }) => size,
            () => null,
          ),
        ),
      )
      return {
        ...model,
        memory_mib: memory,
        files,
        fits: memory === null ? null : memory * MIB <= memoryBytes,
        fetched: files.length > 0 && files.every(({ size_bytes: size }, index) => sizes[index] === size),
      }
    }),
  )
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
