import Database from 'better-sqlite3'
import { StateStoreUnavailableError } from './errors.ts'

const SCHEMA_VERSION = 1
const BUSY_TIMEOUT_MS = 5000

/** Opens or creates the job database; several processes may share it. Throws `StateStoreUnavailableError`. */
export function openJobDatabase(file: string): Database.Database {
  return stateGuard(file, () => {
    const database = new Database(file, { timeout: BUSY_TIMEOUT_MS })
    try {
      prepare(database, file)
      return database
    } catch (error) {
      database.close()
      throw error
    }
  })
}

function prepare(database: Database.Database, file: string): void {
  const mode = database.pragma('journal_mode = WAL', { simple: true })
  if (mode !== 'wal')
    throw new StateStoreUnavailableError(`${file}: write-ahead log refused (journal mode ${String(mode)})`)
  // A job that was accepted must survive a power cut.
  database.pragma('synchronous = FULL')
  database
    .transaction(() => {
      const version = database.pragma('user_version', { simple: true }) as number
      if (version === SCHEMA_VERSION) return
      if (version !== 0) throw new StateStoreUnavailableError(`${file}: made by another version (schema ${version})`)
      database.exec(`
        CREATE TABLE jobs (
          seq INTEGER PRIMARY KEY AUTOINCREMENT,
          id TEXT NOT NULL UNIQUE,
          consumer TEXT NOT NULL,
          profile TEXT NOT NULL,
          collection TEXT NOT NULL,
          idempotency_key TEXT NOT NULL,
          status TEXT NOT NULL CHECK (status IN ('pending', 'running', 'completed', 'failed', 'cancelled')),
          cancel_requested INTEGER NOT NULL DEFAULT 0,
          owner TEXT,
          fence INTEGER NOT NULL DEFAULT 0,
          lease_until_ms INTEGER NOT NULL DEFAULT 0,
          executions INTEGER NOT NULL DEFAULT 0,
          created_ms INTEGER NOT NULL,
          updated_ms INTEGER NOT NULL,
          job_order TEXT NOT NULL,
          progress TEXT NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX one_active_job_per_fingerprint ON jobs (idempotency_key) WHERE status IN ('pending', 'running');
        CREATE INDEX jobs_by_fingerprint ON jobs (idempotency_key, seq);
        CREATE INDEX active_jobs ON jobs (collection) WHERE status IN ('pending', 'running');
        PRAGMA user_version = ${SCHEMA_VERSION};
      `)
    })
    .immediate()
}

/** Runs a step on the database; its faults come out as `StateStoreUnavailableError` with the file and, where we know it, what to do. */
export function stateGuard<Result>(file: string, step: () => Result): Result {
  try {
    return step()
  } catch (error) {
    if (!(error instanceof Database.SqliteError || error instanceof TypeError)) throw error
    throw new StateStoreUnavailableError(`${file}: ${error.message}${remedyOf(error)}`, { cause: error })
  }
}

function remedyOf({ message }: Error): string {
  if (/full/.test(message)) return '. Free space on its disk, then run again'
  return /readonly/.test(message) ? '. Make the file and its folder writable, then run again' : ''
}
