import { createHash } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import Database from 'better-sqlite3'
import type { ByteVector } from '../vectors/dense-vectors.ts'
import { GraphEngineError } from './errors.ts'
import { vectorDigest } from './stored-digests.ts'
import type { VectorRow } from './stored-graph.ts'

const SCHEMA_VERSION = 4
const WAL_BYTES = 4 * 1024 * 1024
/** The driver's default is 16 MB; documents are read one after the other, so that pages are seldom read again. */
const CACHE_KIB = 2048

const DIGEST_COLUMN = `digest TEXT NOT NULL DEFAULT ''`
/** Of each extraction; zero for those of version 3. */
const HEALTH_COLUMNS = ['entities', 'dropped', 'truncated'].map((name) => `${name} INTEGER NOT NULL DEFAULT 0`)

/**
 * The source of truth is what clients inserted and what a model extracted from each chunk: documents, chunks (ranges of their document's
 * text), extractions (compressed JSON, with how their replies were read). Each row carries a digest of what it holds (`stored-digests.ts`). Vectors of networks are stored in one byte a component, by a key of their model and text; those by
 * rules are made when the graph is built. The merged graph is derived from these each time it changes, so that nothing in it can be counted twice.
 *
 * Of a vector, `key` is the first 64 bits of the SHA-256 of model and text; `vector` is its scale as a 32-bit float, then its components, deflated
 * where `packed` is 1: vectors of short texts are mostly zeros.
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
    updated_ms INTEGER NOT NULL,
    ${DIGEST_COLUMN}
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
    UNIQUE (document_id, chunk_index)
  ) STRICT;
  CREATE TABLE extractions (
    chunk_id TEXT PRIMARY KEY REFERENCES chunks (id) ON DELETE CASCADE,
    extraction BLOB NOT NULL,
    ${DIGEST_COLUMN},
    ${HEALTH_COLUMNS.join(', ')}
  ) STRICT;
  CREATE TABLE vectors (
    id INTEGER PRIMARY KEY,
    key INTEGER NOT NULL,
    vector BLOB NOT NULL,
    packed INTEGER NOT NULL DEFAULT 0,
    ${DIGEST_COLUMN}
  ) STRICT;
  CREATE UNIQUE INDEX vectors_by_key ON vectors (key);
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
  database.pragma(`journal_size_limit = ${WAL_BYTES}`)
  database.pragma(`cache_size = -${CACHE_KIB}`)
  database.pragma('foreign_keys = ON')
  database
    .transaction(() => {
      const version = database.pragma('user_version', { simple: true })
      if (version === SCHEMA_VERSION) return
      if (version === 3) addDigests(database)
      else if (version === 0) database.exec(SCHEMA)
      else
        throw new GraphEngineError(
          'file_of_another_version',
          `${file} was written by another version (${String(version)})`,
        )
      database.pragma(`user_version = ${SCHEMA_VERSION}`)
    })
    .immediate()
}

/** Rows of version 3 have no digest: they were read by an extractor without a record, and ingestion has them read again. */
function addDigests(database: Database.Database): void {
  for (const table of ['documents', 'extractions', 'vectors'])
    database.exec(`ALTER TABLE ${table} ADD COLUMN ${DIGEST_COLUMN}`)
  for (const column of HEALTH_COLUMNS) database.exec(`ALTER TABLE extractions ADD COLUMN ${column}`)
}

/** A text as it is stored. */
export const packed = (text: string): Buffer => deflateRawSync(text, { level: 3 })

/** The text of stored bytes. */
export const unpacked = (bytes: Buffer): string => inflateRawSync(bytes).toString('utf8')

const OUTSIDE = /^SQLITE_(?:CANTOPEN|CORRUPT|FULL|IOERR|NOTADB|PERM|READONLY)/

function translated<Result>(file: string, step: () => Result): Result {
  try {
    return step()
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
    if (/^SQLITE_(?:BUSY|LOCKED)/.test(code)) {
      throw new GraphEngineError('file_in_use', `${file} is open in another process`, { cause })
    }
    if (OUTSIDE.test(code) || cause instanceof TypeError) {
      throw new GraphEngineError('file_unavailable', `${file} cannot be used: ${(cause as Error).message}`, { cause })
    }
    throw cause
  }
}

/** Least time between two syncs of one kind of work that can be repeated. */
const SYNC_INTERVAL_MS = 1000

/**
 * Runs writes of work that can be repeated: claims, extractions, vectors. Each kind syncs at most once a second, because a sync stops the
 * event loop for as long as the disk takes. When the process dies nothing is lost; a power cut costs the work since the last sync, and
 * the next start repeats it. Any other commit syncs, and with it everything written before.
 */
export function createDeferredSync(
  database: Database.Database,
  clock: () => number = () => performance.now(),
): <Result>(write: () => Result) => Result {
  let syncedMs = clock()
  return (write) => {
    // SQLite refuses to change the level inside a transaction, whose commit decides.
    if (database.inTransaction) return write()
    const nowMs = clock()
    if (nowMs - syncedMs >= SYNC_INTERVAL_MS) {
      syncedMs = nowMs
      return write()
    }
    database.pragma('synchronous = NORMAL')
    try {
      return write()
    } finally {
      database.pragma('synchronous = FULL')
    }
  }
}

/** Vectors of one embedding model by their text: what did not change is not embedded again. */
export interface VectorCache {
  /** False for one that stores nothing, whose keys no caller needs. */
  readonly keeps: boolean
  key(text: string): bigint
  get(key: bigint): ByteVector | null
  /** Stores vectors; those already stored under their key stay. */
  put(entries: readonly { key: bigint; vector: ByteVector }[]): void
  /** Drops every vector, of any model, whose key is not listed. */
  keepOnly(keys: ReadonlySet<bigint>): void
}

/** The vector table of an open engine file, seen by one model. */
export function createVectorCache(database: Database.Database, model: string): VectorCache {
  const get = database.prepare<[bigint], VectorRow>('SELECT vector, packed FROM vectors WHERE key = ?')
  const put = database.prepare('INSERT OR IGNORE INTO vectors (key, vector, packed, digest) VALUES (?, ?, ?, ?)')
  const count = database.prepare<[], number>('SELECT count(*) FROM vectors').pluck()
  const deferSync = createDeferredSync(database)
  database.exec('CREATE TEMP TABLE IF NOT EXISTS needed (key INTEGER PRIMARY KEY) STRICT')
  return {
    keeps: true,
    key: (text) => createHash('sha256').update(model).update('\0').update(text, 'utf8').digest().readBigInt64BE(),
    get(key) {
      const row = get.get(key)
      return row === undefined ? null : vectorOf(row)
    },
    put(entries) {
      const putAll = database.transaction(() => {
        for (const { key, vector } of entries) {
          const row = rowOf(vector)
          put.run(key, row.vector, row.packed, vectorDigest(key, row))
        }
      })
      deferSync(() => putAll.immediate())
    },
    keepOnly(keys) {
      if (count.get()! <= keys.size) return
      database
        .transaction(() => {
          database.exec('DELETE FROM needed')
          const need = database.prepare('INSERT INTO needed (key) VALUES (?)')
          for (const key of keys) need.run(key)
          database.exec('DELETE FROM vectors WHERE key NOT IN (SELECT key FROM needed); DELETE FROM needed')
        })
        .immediate()
    },
  }
}

/**
 * For a model that computes vectors by rules: making one again costs about as much as reading and unpacking it, and in the file they would be
 * four fifths of all bytes. Vectors that an earlier version stored are dropped.
 */
export function withoutVectorCache(database: Database.Database): VectorCache {
  database.exec('DELETE FROM vectors')
  return {
    keeps: false,
    key: (text) => createHash('sha256').update(text, 'utf8').digest().readBigInt64BE(),
    get: () => null,
    put: () => undefined,
    keepOnly: () => undefined,
  }
}

const SCALE_BYTES = 4

function rowOf({ scale, components }: ByteVector): VectorRow {
  const bytes = Buffer.from(components.buffer, components.byteOffset, components.length)
  const deflated = deflateRawSync(bytes, { level: 3 })
  const packed = deflated.length < bytes.length ? 1 : 0
  const head = Buffer.allocUnsafe(SCALE_BYTES)
  head.writeFloatLE(scale)
  return { vector: Buffer.concat([head, packed === 1 ? deflated : bytes]), packed }
}

function vectorOf({ vector, packed }: VectorRow): ByteVector {
  const body = vector.subarray(SCALE_BYTES)
  const bytes = packed === 1 ? inflateRawSync(body) : body
  return { scale: vector.readFloatLE(), components: new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length) }
}
