// Edits `.rag-ladder/models.yaml`, a person's own connections and sets. Comments and the order of the file stay as they are. What is written has been
// validated together with the project's sets, so that no edit leaves a file that cannot be loaded.
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Document, isMap, parseDocument } from 'yaml'
import {
  describeIssues,
  fieldPath,
  joinModels,
  ModelsFile,
  OWN_MODELS_FILE,
  OwnModelsFile,
} from '../../contract/index.ts'
import { writeAtomic } from '../lib/write-atomic.ts'
import { MODELS_FILE } from './experiment.ts'
import { loadManifest, parseYaml } from './load-manifest.ts'
import { ManifestError } from './manifest-error.ts'

export interface OwnModelsEdit {
  path: readonly string[]
  /** Undefined removes what is there. */
  value: unknown
}

/** Makes the edits and writes the file, as version 2. Throws `ManifestError` with the file unchanged when the result cannot be used. */
export async function editOwnModels(root: string, edits: readonly OwnModelsEdit[]): Promise<void> {
  const file = resolve(root, OWN_MODELS_FILE)
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  })
  // Refuses a file that is damaged, with line and column.
  if (text !== null) parseYaml(OWN_MODELS_FILE, text)
  const document = text === null ? new Document({ version: 2 }) : parseDocument(text, { merge: true })
  document.set('version', 2)
  document.delete('schema_version')
  for (const { path, value } of edits)
    if (value !== undefined) document.setIn(path, document.createNode(value, { aliasDuplicateObjects: false }))
    else if (document.hasIn(path)) document.deleteIn(path)
  // An empty map is written on one line, and what is added to it later would be too.
  for (const part of ['connections', 'sets']) {
    const map = document.get(part)
    if (isMap(map) && map.items.length === 0) document.delete(part)
  }
  const written = document.toString({ lineWidth: 140 })
  const parsed = OwnModelsFile.safeParse(parseYaml(OWN_MODELS_FILE, written))
  if (!parsed.success) throw new ManifestError(OWN_MODELS_FILE, describeIssues(parsed.error))
  const { problems } = joinModels(await loadManifest(root, MODELS_FILE, ModelsFile), parsed.data)
  if (problems.ofPerson.length > 0)
    throw new ManifestError(
      OWN_MODELS_FILE,
      problems.ofPerson.map(({ path, message }) => `${fieldPath(path)}: ${message}`),
    )
  await writeAtomic(file, written)
}
