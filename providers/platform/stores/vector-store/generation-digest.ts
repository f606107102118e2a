import { createHash } from 'node:crypto'
import type Database from 'better-sqlite3'
import { canonicalJson } from '../../../../core/canonical-json.ts'
import { createPauses } from '../graph-engine/sliced-work.ts'
import type { CollectionInfo } from './vector-store.ts'

/** Rows in one read: a row of vectors is a blob of up to 1.5 MB, any other is a few kilobytes. */
const ROWS = 64
const ROWS_OF_VECTORS = 1

type Value = string | bigint | number | Buffer | null

/**
 * SHA-256 over everything that is stored of a generation: its chunks, and the tables in which sqlite-vec and FTS5 keep vectors and words. A
 * generation is never changed once it is written, so another digest means that its bytes were changed from outside.
 */
export async function generationDigest(
  database: Database.Database,
  generation: number,
  info: CollectionInfo,
  signal?: AbortSignal,
): Promise<string> {
  const hash = createHash('sha256')
  const { name, dimensions, chunkCount, contentDigest, embeddingModel, derivation } = info
  hash.update(canonicalJson([name, dimensions, chunkCount, contentDigest, embeddingModel, derivation ?? null]))
  const add = (row: readonly Value[]): void => {
    for (const value of row) {
      const bytes = Buffer.isBuffer(value) ? value : String(value)
      hash.update(`${typeof value} ${bytes.length} `).update(bytes)
    }
  }
  const pause = createPauses(signal)
  for (const table of tablesOf(database, generation)) {
    hash.update(table.name)
    // An open iterator would keep the connection from every other request: rows are read in steps.
    const read = table.hasRowids
      ? database.prepare<[bigint, number], Value[]>(
          `SELECT _rowid_, * FROM ${table.name} WHERE _rowid_ > ? ORDER BY _rowid_ LIMIT ?`,
        )
      : null
    if (read === null) {
      for (const row of database.prepare<[], Value[]>(`SELECT * FROM ${table.name}`).raw().safeIntegers().all())
        add(row)
      continue
    }
    const step = read.raw().safeIntegers()
    const most = table.name.includes('_vector_chunks') ? ROWS_OF_VECTORS : ROWS
    for (let after = -(2n ** 63n); ;) {
      const rows = step.all(after, most)
      for (const row of rows) add(row)
      if (rows.length < most) break
      after = rows.at(-1)![0] as bigint
      await pause()
    }
  }
  return hash.digest('hex')
}

function tablesOf(database: Database.Database, generation: number): { name: string; hasRowids: boolean }[] {
  return database
    .prepare<[string, string, string], { name: string; sql: string }>(
      `SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND (name = ? OR name GLOB ? OR name GLOB ?) ORDER BY name`,
    )
    .all(`chunks_${generation}`, `dense_${generation}_*`, `keywords_${generation}_*`)
    .map(({ name, sql }) => ({ name, hasRowids: !/WITHOUT ROWID/i.test(sql) }))
}
