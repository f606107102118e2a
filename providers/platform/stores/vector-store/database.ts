import Database from 'better-sqlite3'
import { load } from 'sqlite-vec'
import { truncateLog } from '../database/truncate-log.ts'
import { joinedCodes, KEYWORD_TOKENIZER } from '../../../../core/keyword-terms.ts'
import { VectorStoreUnavailableError } from './vector-store.ts'
import type { StoredChunk } from './vector-store.ts'

const SCHEMA_VERSION = 2
const BUSY_TIMEOUT_MS = 5000
/** A vec0 chunk is one blob of up to 512 vectors (1.5 MB at 768 dimensions): large pages keep its overflow chain short. */
const PAGE_SIZE_BYTES = 16_384
const WAL_BYTES = 4 * 1024 * 1024
/** The driver's default is 16 MB for each file; what a search reads again is in the cache of the operating system. */
const CACHE_KIB = 2048

/**
 * Opens or creates the store's file. Each write of a collection is a generation with tables of its own (`chunks_7`, `dense_7`,
 * `keywords_7`); `collections` records which generation is live, so a switch is one row.
 */
export function openDatabase(file: string): Database.Database {
  const database = unavailableOnFailure(() => new Database(file, { timeout: BUSY_TIMEOUT_MS }))
  try {
    load(database)
    prepareFile(database, file)
    return database
  } catch (error) {
    database.close()
    throw asUnavailable(error)
  }
}

/** These columns record what made a collection, as JSON, and the digest of all that is stored of it; empty for those of version 1, which are not known to be intact. */
const RECORDS = [`derivation TEXT NOT NULL DEFAULT ''`, `stored_digest TEXT NOT NULL DEFAULT ''`] as const

function prepareFile(database: Database.Database, file: string): void {
  database.pragma(`page_size = ${PAGE_SIZE_BYTES}`)
  const mode = database.pragma('journal_mode = WAL', { simple: true })
  if (mode !== 'wal')
    throw new VectorStoreUnavailableError(`${file}: write-ahead log refused (journal mode ${String(mode)})`)
  // Collections can be rebuilt from their documents, so a power cut may lose the last one, never corrupt the file.
  database.pragma('synchronous = NORMAL')
  // Pages are large: the default of 1000 would let the log grow to 16 MB, and it would keep that size.
  database.pragma(`wal_autocheckpoint = ${WAL_BYTES / PAGE_SIZE_BYTES}`)
  database.pragma(`journal_size_limit = ${WAL_BYTES}`)
  database.pragma(`cache_size = -${CACHE_KIB}`)
  database
    .transaction(() => {
      const version = database.pragma('user_version', { simple: true }) as number
      if (version === SCHEMA_VERSION) return
      if (version === 1) {
        database.exec(`ALTER TABLE collections ADD COLUMN ${RECORDS[0]}; ALTER TABLE collections ADD COLUMN ${RECORDS[1]};
          PRAGMA user_version = ${SCHEMA_VERSION}`)
        return
      }
      if (version !== 0)
        throw new VectorStoreUnavailableError(`${file}: written by another version (schema ${version})`)
      database.exec(`
      CREATE TABLE collections (
        name TEXT PRIMARY KEY,
        generation INTEGER NOT NULL,
        dimensions INTEGER NOT NULL,
        chunk_count INTEGER NOT NULL,
        content_digest TEXT NOT NULL,
        embedding_model TEXT NOT NULL,
        ${RECORDS.join(', ')}
      ) STRICT;
      CREATE TABLE generations (id INTEGER PRIMARY KEY AUTOINCREMENT, touched_ms INTEGER NOT NULL) STRICT;
      PRAGMA user_version = ${SCHEMA_VERSION};
    `)
    })
    .immediate()
  truncateLog(database)
}

const UNAVAILABLE = /^SQLITE_(?:BUSY|CANTOPEN|CORRUPT|FULL|IOERR|LOCKED|NOTADB|PERM|PROTOCOL|READONLY)/

/** A database fault as the store's own error; anything else as it is. */
export function asUnavailable(error: unknown): unknown {
  const outside = error instanceof Error && 'code' in error && UNAVAILABLE.test(String(error.code))
  return outside || (error instanceof TypeError && /directory does not exist/.test(error.message))
    ? new VectorStoreUnavailableError(error.message, { cause: error })
    : error
}

/** Runs a step on the database and throws its faults as `VectorStoreUnavailableError`. */
export function unavailableOnFailure<Result>(step: () => Result): Result {
  try {
    return step()
  } catch (error) {
    throw asUnavailable(error)
  }
}

/** A generation untouched for this long was left by a process that died while writing it. */
const ABANDONED_AFTER_MS = 10 * 60_000

const tables = (generation: number): string[] => [
  `chunks_${generation}`,
  `dense_${generation}`,
  `keywords_${generation}`,
]

/** Most rows of a blob of vec0, which is stored in full however many of its rows are used. */
const VEC0_ROWS = 512
/** vec0 takes multiples of eight. */
const VEC0_STEP = 8

/** Rows of a blob so that so many vectors fill the fewest blobs with little room left. */
export function vec0Rows(count: number): number {
  const blobs = Math.max(1, Math.ceil(count / VEC0_ROWS))
  return Math.max(1, Math.ceil(count / blobs / VEC0_STEP)) * VEC0_STEP
}

/**
 * Creates the empty tables of a new generation for so many vectors and returns its number; nothing reads it before it is live.
 */
export function createGeneration(database: Database.Database, dimensions: number, count: number): number {
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
        CREATE VIRTUAL TABLE dense_${id} USING vec0(
          embedding float[${dimensions}] distance_metric=cosine, chunk_size=${vec0Rows(count)}
        );
        CREATE VIRTUAL TABLE keywords_${id} USING fts5(
          text, codes, content='', tokenize="${KEYWORD_TOKENIZER}"
        );
      `)
      return id
    })
    .immediate()
}

/** A chunk with its vector; null where the vector has no direction, so that the chunk is found by its words only. */
export interface ChunkToWrite {
  chunk: StoredChunk
  vector: Float32Array | null
}

/** Adds chunks to a generation that is being written. `firstId`: id of the first of them; ids count from 1. */
export function writeBatch(
  database: Database.Database,
  generation: number,
  batch: readonly ChunkToWrite[],
  firstId: number,
): void {
  const addChunk = database.prepare(`INSERT INTO chunks_${generation} VALUES (?, ?, ?, ?, ?, ?, ?, ?)`)
  const addVector = database.prepare(`INSERT INTO dense_${generation} (rowid, embedding) VALUES (?, ?)`)
  const addWords = database.prepare(`INSERT INTO keywords_${generation} (rowid, text, codes) VALUES (?, ?, ?)`)
  database
    .transaction(() => {
      touchGeneration(database, generation)
      for (const [at, { chunk, vector }] of batch.entries()) {
        const id = BigInt(firstId + at)
        const { document, title, chunkIndex, startChar, endChar, content, indexText } = chunk
        const own = indexText === content ? SAME_AS_CONTENT : indexText
        addChunk.run(id, document, title, chunkIndex, startChar, endChar, content, own)
        addWords.run(id, indexText, joinedCodes(indexText).join(' '))
        if (vector !== null) addVector.run(id, vector)
      }
    })
    .immediate()
}

/** Stored for an index text that is the content: most chunks have no other, and the file need not have it twice. */
export const SAME_AS_CONTENT = ''

/** Marks a generation as being worked on; throws when another process removed it as abandoned. */
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
