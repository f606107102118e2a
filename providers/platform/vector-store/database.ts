import Database from 'better-sqlite3'
import { load } from 'sqlite-vec'
import { VectorStoreUnavailableError } from './errors.ts'

const SCHEMA_VERSION = 1
const BUSY_TIMEOUT_MS = 5000
/** A vec0 chunk is 1024 vectors in one blob (3 MB at 768 dimensions): large pages keep its overflow chain short. */
const PAGE_SIZE_BYTES = 32_768

/**
 * Opens or creates the store's file. Each write of a collection is a generation with tables of its own (`chunks_7`, `dense_7`,
 * `keywords_7`); `collections` says which generation is live, so a switch is one row.
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

function prepareFile(database: Database.Database, file: string): void {
  database.pragma(`page_size = ${PAGE_SIZE_BYTES}`)
  const mode = database.pragma('journal_mode = WAL', { simple: true })
  if (mode !== 'wal')
    throw new VectorStoreUnavailableError(`${file}: write-ahead log refused (journal mode ${String(mode)})`)
  // Collections can be rebuilt from their documents, so a power cut may lose the last one, never corrupt the file.
  database.pragma('synchronous = NORMAL')
  database
    .transaction(() => {
      const version = database.pragma('user_version', { simple: true }) as number
      if (version === SCHEMA_VERSION) return
      if (version !== 0) throw new VectorStoreUnavailableError(`${file}: made by another version (schema ${version})`)
      database.exec(`
      CREATE TABLE collections (
        name TEXT PRIMARY KEY,
        generation INTEGER NOT NULL,
        dimensions INTEGER NOT NULL,
        chunk_count INTEGER NOT NULL,
        content_digest TEXT NOT NULL,
        embedding_model TEXT NOT NULL
      ) STRICT;
      CREATE TABLE generations (id INTEGER PRIMARY KEY AUTOINCREMENT, touched_ms INTEGER NOT NULL) STRICT;
      PRAGMA user_version = ${SCHEMA_VERSION};
    `)
    })
    .immediate()
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
