import type Database from 'better-sqlite3'
import { joinedCodes } from './keyword-terms.ts'
import type { StoredChunk } from './vector-store.ts'

/** A generation that nobody touched for this long was left behind by a process that died while it wrote. */
const ABANDONED_AFTER_MS = 10 * 60_000

const tables = (generation: number): string[] => [
  `chunks_${generation}`,
  `dense_${generation}`,
  `keywords_${generation}`,
]

/** Creates the empty tables of a new generation and returns its number; nobody reads it before it is made live. */
export function createGeneration(database: Database.Database, dimensions: number): number {
  return database
    .transaction(() => {
      dropAbandoned(database)
      const inserted = database.prepare('INSERT INTO generations (touched_ms) VALUES (?)').run(Date.now())
      const id = Number(inserted.lastInsertRowid)
      // The keyword index keeps no text of its own: chunks_N has it.
      database.exec(`
        CREATE TABLE chunks_${id} (
          id INTEGER PRIMARY KEY,
          document TEXT NOT NULL, title TEXT NOT NULL, chunk_index INTEGER NOT NULL,
          start_char INTEGER NOT NULL, end_char INTEGER NOT NULL, content TEXT NOT NULL, index_text TEXT NOT NULL
        ) STRICT;
        CREATE VIRTUAL TABLE dense_${id} USING vec0(embedding float[${dimensions}] distance_metric=cosine);
        CREATE VIRTUAL TABLE keywords_${id} USING fts5(
          text, codes, content='', tokenize="porter unicode61 remove_diacritics 2"
        );
      `)
      return id
    })
    .immediate()
}

/** Adds chunks `from`..`to` to a generation that is being written; ids are positions in the list, from 1. */
export function writeBatch(
  database: Database.Database,
  generation: number,
  chunks: readonly StoredChunk[],
  vectors: readonly (Float32Array | null)[],
  from: number,
  to: number,
): void {
  const addChunk = database.prepare(`INSERT INTO chunks_${generation} VALUES (?, ?, ?, ?, ?, ?, ?, ?)`)
  const addVector = database.prepare(`INSERT INTO dense_${generation} (rowid, embedding) VALUES (?, ?)`)
  const addWords = database.prepare(`INSERT INTO keywords_${generation} (rowid, text, codes) VALUES (?, ?, ?)`)
  database
    .transaction(() => {
      touchGeneration(database, generation)
      for (let index = from; index < to; index += 1) {
        const chunk = chunks[index]!
        const id = BigInt(index + 1)
        const { document, title, chunkIndex, startChar, endChar, content, indexText } = chunk
        addChunk.run(id, document, title, chunkIndex, startChar, endChar, content, indexText)
        addWords.run(id, indexText, joinedCodes(indexText).join(' '))
        const vector = vectors[index] ?? null
        if (vector !== null) addVector.run(id, vector)
      }
    })
    .immediate()
}

/** Marks a generation as being worked on; throws when another process took it for abandoned. */
export function touchGeneration(database: Database.Database, generation: number): void {
  const touched = database.prepare('UPDATE generations SET touched_ms = ? WHERE id = ?').run(Date.now(), generation)
  if (touched.changes !== 1) throw new Error(`generation ${generation} was removed while it was being written`)
}

/** Removes a generation and its tables; call it inside a transaction. */
export function dropGeneration(database: Database.Database, generation: number): void {
  for (const table of tables(generation)) database.exec(`DROP TABLE IF EXISTS ${table}`)
  database.prepare('DELETE FROM generations WHERE id = ?').run(generation)
}

function dropAbandoned(database: Database.Database): void {
  const abandoned = database
    .prepare<[number], number>(
      'SELECT id FROM generations WHERE touched_ms < ? AND id NOT IN (SELECT generation FROM collections)',
    )
    .pluck()
    .all(Date.now() - ABANDONED_AFTER_MS)
  for (const generation of abandoned) dropGeneration(database, generation)
}
