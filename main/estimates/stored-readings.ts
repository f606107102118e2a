// Counts what the embedded platform has stored of reading documents. Contexts of chunks and extractions for the graph are kept one by one, by a stopped run too.
import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type Database from 'better-sqlite3'
import { STATE_FOLDER } from '../manifests/project/project-folder.ts'
import { askFile, ingestionFile } from '../runner/ingestion/stored-ingestion.ts'
import { embeddedStateDir } from '../runner/platform/platform-source.ts'

const CONTEXTS = 'SELECT count(*) FROM blurbs WHERE model = ?'
const GRAPH = `SELECT count(*) FROM extractions JOIN chunks ON chunks.id = chunk_id JOIN documents ON documents.id = document_id
  WHERE json_extract(extract_model, '$.model') = ?`

/** Counts the chunks that a model has written a context for, or has extracted for the graph. */
export function storedReadings(root: string, profile: string, kind: 'graph' | 'contexts', model: string): number {
  const folder = embeddedStateDir(join(root, STATE_FOLDER), profile)
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
