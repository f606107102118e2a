import { createHash } from 'node:crypto'
import Database from 'better-sqlite3'
import { GraphEngineError } from './errors.ts'

const SCHEMA_VERSION = 1

/**
 * The source of truth is what clients inserted and what a model extracted from each chunk: documents, chunks, extractions. Vectors are
 * stored by the digest of their text. The merged graph is derived from these each time it changes, so that nothing in it can be counted twice.
 */
const SCHEMA = `
  CREATE TABLE documents (
    id TEXT PRIMARY KEY,
    file_path TEXT NOT NULL,
    title TEXT NOT NULL,
    content TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('pending', 'processing', 'processed', 'failed')),
    track_id TEXT NOT NULL,
    error TEXT,
    extract_model TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    created_ms INTEGER NOT NULL,
    updated_ms INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX documents_by_status ON documents (status, sequence);
  CREATE INDEX documents_by_track ON documents (track_id);
  CREATE INDEX documents_by_path ON documents (file_path);
  CREATE TABLE chunks (
    id TEXT PRIMARY KEY,
    document_id TEXT NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    chunk_index INTEGER NOT NULL,
    start_char INTEGER NOT NULL,
    end_char INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    content TEXT NOT NULL,
    UNIQUE (document_id, chunk_index)
  ) STRICT;
  CREATE TABLE extractions (
    chunk_id TEXT PRIMARY KEY REFERENCES chunks (id) ON DELETE CASCADE,
    extraction TEXT NOT NULL
  ) STRICT;
  CREATE TABLE vectors (
    model TEXT NOT NULL,
    digest BLOB NOT NULL,
    vector BLOB NOT NULL,
    PRIMARY KEY (model, digest)
  ) STRICT, WITHOUT ROWID;
`

/** Opens or creates the engine's file for this process alone. Throws `GraphEngineError`. */
export function openGraphDatabase(file: string): Database.Database {
  const database = translated(file, () => new Database(file, { timeout: 1000 }))
  try {
    translated(file, () => {
      prepare(database, file)
    })
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

function prepare(database: Database.Database, file: string): void {
  // One owner: two engines on one file would extract every document twice. The lock ends with the process, however it ends.
  database.pragma('locking_mode = EXCLUSIVE')
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = FULL')
  database.pragma('foreign_keys = ON')
  database
    .transaction(() => {
      const version = database.pragma('user_version', { simple: true })
      if (version === SCHEMA_VERSION) return
      if (version !== 0) {
        throw new GraphEngineError(
          'file_of_another_version',
          `${file} was written by another version (${String(version)})`,
        )
      }
      database.exec(SCHEMA)
      database.pragma(`user_version = ${SCHEMA_VERSION}`)
    })
    .immediate()
}

const OUTSIDE = /^SQLITE_(?:CANTOPEN|CORRUPT|FULL|IOERR|NOTADB|PERM|READONLY)/

function translated<Result>(file: string, step: () => Result): Result {
  try {
    return step()
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
    if (/^SQLITE_(?:BUSY|LOCKED)/.test(code)) {
      throw new GraphEngineError('file_in_use', `${file} is open in another process`, { retryable: true, cause })
    }
    if (OUTSIDE.test(code) || cause instanceof TypeError) {
      throw new GraphEngineError('file_unavailable', `${file} cannot be used: ${(cause as Error).message}`, { cause })
    }
    throw cause
  }
}

/** Vectors of one embedding model by the digest of their text: what did not change is not embedded again. */
export interface VectorCache {
  get(text: string): Float32Array | null
  put(entries: readonly { text: string; vector: Float32Array }[]): void
  /** Drops every vector, of any model, that none of these texts needs. */
  keepOnly(texts: Iterable<string>): void
}

/** The vector table of an open engine file, seen by one model. */
export function createVectorCache(database: Database.Database, model: string): VectorCache {
  const get = database
    .prepare<[string, Buffer], Buffer>('SELECT vector FROM vectors WHERE model = ? AND digest = ?')
    .pluck()
  const put = database.prepare('INSERT OR REPLACE INTO vectors (model, digest, vector) VALUES (?, ?, ?)')
  database.exec('CREATE TEMP TABLE IF NOT EXISTS needed (digest BLOB PRIMARY KEY) STRICT, WITHOUT ROWID')
  return {
    get(text) {
      const blob = get.get(model, digestOf(text))
      return blob === undefined ? null : vectorOf(blob)
    },
    put(entries) {
      database
        .transaction(() => {
          for (const { text, vector } of entries) put.run(model, digestOf(text), blobOf(vector))
        })
        .immediate()
    },
    keepOnly(texts) {
      database
        .transaction(() => {
          database.exec('DELETE FROM needed')
          const need = database.prepare('INSERT OR IGNORE INTO needed (digest) VALUES (?)')
          for (const text of texts) need.run(digestOf(text))
          database
            .prepare('DELETE FROM vectors WHERE model <> ? OR digest NOT IN (SELECT digest FROM needed)')
            .run(model)
          database.exec('DELETE FROM needed')
        })
        .immediate()
    },
  }
}

const digestOf = (text: string): Buffer => createHash('sha256').update(text, 'utf8').digest()

const blobOf = (vector: Float32Array): Buffer => Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)

// A blob's memory may start anywhere; a float array must not.
const vectorOf = (blob: Buffer): Float32Array =>
  new Float32Array(blob.buffer.slice(blob.byteOffset, blob.byteOffset + blob.byteLength))
