import Database from 'better-sqlite3'
import { StateStoreUnavailableError } from './errors.ts'

const SCHEMA_VERSION = 1
const BUSY_TIMEOUT_MS = 5000

/** Opens or creates the job database; several processes may share it. Throws `StateStoreUnavailableError`. */
export function openJobDatabase(file: string): Database.Database {
  return stateGuard(() => {
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

/** Runs a step on the database; its faults come out as `StateStoreUnavailableError`. */
export function stateGuard<Result>(step: () => Result): Result {
  try {
    return step()
  } catch (error) {
    const fromDriver = error instanceof Database.SqliteError || error instanceof TypeError
    throw fromDriver ? new StateStoreUnavailableError(error.message, { cause: error }) : error
  }
}
