// Counts what the embedded platform has stored of reading documents. Contexts of chunks and extractions for the graph are kept one by one, by a stopped run too.
import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import type Database from 'better-sqlite3'
import { isRemoteModel, writerOf, type ModelChoice } from '../../contract/manifests/model-backends.ts'
import { fillPlaceholders, type ModelRole } from '../../contract/manifests/models.ts'
import { addressedName, readAddresses } from '../../core/model-records/model-addresses.ts'
import { STATE_FOLDER } from '../manifests/project/project-folder.ts'
import { askFile, ingestionFile } from '../runner/ingestion/stored-ingestion.ts'
import { embeddedStateDir } from '../runner/platform/platform-source.ts'

const CONTEXTS = 'SELECT count(*) FROM blurbs WHERE model = ?'
const GRAPH = `SELECT count(*) FROM extractions JOIN chunks ON chunks.id = chunk_id JOIN documents ON documents.id = document_id
  WHERE json_extract(extract_model, '$.model') = ?`

/** The name that texts of a model are stored under, which holds its settings and another address than the first. */
function storedName(stateDir: string, role: ModelRole, choice: ModelChoice): string {
  const name = writerOf(choice)
  if (!isRemoteModel(choice)) return name
  const address = fillPlaceholders(choice.base_url, process.env)
  if (!address.ok || !URL.canParse(address.value)) return name
  return addressedName(readAddresses(stateDir), role, name, { ...choice, base_url: address.value })
}

/** Counts the chunks that a model has written a context for, or has extracted for the graph. */
export function storedReadings(root: string, profile: string, kind: 'graph' | 'contexts', choice: ModelChoice): number {
  const folder = embeddedStateDir(join(root, STATE_FOLDER), profile)
  const model = storedName(folder, kind === 'graph' ? 'graph_extract' : 'contextual_blurb', choice)
  const file = kind === 'graph' ? join(folder, 'graph', `${profile}.sqlite`) : join(folder, 'rag/blurbs.sqlite')
  const count = (database: Database.Database): number =>
    database
      .prepare<[string], number>(kind === 'graph' ? GRAPH : CONTEXTS)
      .pluck()
      .get(model) ?? 0
  return askFile(file, count) ?? 0
}

/** Returns those of these files that have not changed since the last ingestion of a profile. */
export async function unchangedFiles(root: string, profile: string, paths: readonly string[]): Promise<Set<string>> {
  const rows = askFile(ingestionFile(root, profile), (database) =>
    database.prepare<[], { path: string; sha256: string }>('SELECT path, sha256 FROM file_hashes').all(),
  )
  const known = new Map(rows?.map(({ path, sha256 }) => [path, sha256]))
  const unchanged = new Set<string>()
  for (const path of paths)
    if (known.has(path) && known.get(path) === hash('sha256', await readFile(path))) unchanged.add(path)
  return unchanged
}
