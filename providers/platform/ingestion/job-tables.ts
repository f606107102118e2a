import Sqlite from 'better-sqlite3'
import { PlatformDatabaseError } from '../stores/database/database.ts'
import type { Database, Params } from '../stores/database/database.ts'
import { TASK_TABLES } from '../stores/database/migrations.ts'
import { openSqliteDatabase } from '../stores/database/sqlite-database.ts'
import { StateStoreUnavailableError } from './errors.ts'

/** Name of ingestions among the kinds of background jobs. */
export const INGESTION = 'ingestion'
/** A job fails for good after this many runs were lost with their process. */
export const MAX_EXECUTIONS = 5

const FILE_HASHES = `CREATE TABLE IF NOT EXISTS file_hashes (
  path TEXT PRIMARY KEY,
  size INTEGER NOT NULL,
  modified_ns INTEGER NOT NULL,
  changed_ns INTEGER NOT NULL,
  inode INTEGER NOT NULL,
  read_ns INTEGER NOT NULL,
  sha256 TEXT NOT NULL
) STRICT, WITHOUT ROWID;`

/** Steps of the file's schema, forward only, as those of the platform's database. */
const INGESTION_STEPS: readonly string[] = [
  // 1: jobs with leases of their own, as versions up to 0.1 wrote them.
  `CREATE TABLE jobs (
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
   ) STRICT;`,
  // 2: background jobs as all others, and beside them what only an ingestion has. The collection is the resource that one job at a time writes.
  `${FILE_HASHES}
   ${TASK_TABLES}
   CREATE TABLE ingestions (
     task_id TEXT PRIMARY KEY REFERENCES tasks (id) ON DELETE CASCADE,
     consumer TEXT NOT NULL,
     profile TEXT NOT NULL,
     idempotency_key TEXT NOT NULL,
     job_order TEXT NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX ingestions_by_fingerprint ON ingestions (idempotency_key);
   INSERT INTO tasks (seq, id, kind, payload, signature, status, attempts, max_attempts, available_ms, owner, fence, lease_until_ms,
     visible_again_ms, cancel_requested, created_ms, updated_ms, heartbeat_ms, progress, resource)
   SELECT seq, id, '${INGESTION}', 'null', '', CASE status WHEN 'completed' THEN 'succeeded' ELSE status END, executions, ${MAX_EXECUTIONS},
     created_ms, owner, fence, lease_until_ms, lease_until_ms, cancel_requested, created_ms, updated_ms, updated_ms, progress, collection FROM jobs;
   INSERT INTO ingestions SELECT id, consumer, profile, idempotency_key, job_order FROM jobs;
   DROP TABLE jobs;`,
]

/** Opens or creates the file of jobs; several processes may share it. Throws `StateStoreUnavailableError`, as every query does. */
export function openJobDatabase(file: string): Database {
  let database: Database
  try {
    database = openSqliteDatabase(file, INGESTION_STEPS)
  } catch (error) {
    throw asUnavailable(file, error)
  }
  const guarded = async <Result>(step: () => Promise<Result>): Promise<Result> => {
    try {
      return await step()
    } catch (error) {
      throw asUnavailable(file, error)
    }
  }
  return {
    all: async <Row>(sql: string, params?: Params) => guarded(() => database.all<Row>(sql, params)),
    get: async <Row>(sql: string, params?: Params) => guarded(() => database.get<Row>(sql, params)),
    run: async (sql, params) => guarded(() => database.run(sql, params)),
    transaction: async (step) => guarded(() => database.transaction(step)),
    unsynced: async (step) => guarded(() => database.unsynced(step)),
    truncateLog: () => database.truncateLog(),
    close: () => database.close(),
  }
}

/** A fault of the database with the file and, where known, what to do; any other error as it is. */
function asUnavailable(file: string, error: unknown): unknown {
  const isFault =
    error instanceof Sqlite.SqliteError || error instanceof TypeError || error instanceof PlatformDatabaseError
  if (!isFault) return error
  const message = error.message.startsWith(file) ? error.message : `${file}: ${error.message}`
  return new StateStoreUnavailableError(`${message}${remedyOf(error)}`, { cause: error })
}

function remedyOf({ message }: Error): string {
  if (/full/.test(message)) return '. Free space on its disk, then run again'
  return /readonly/.test(message) ? '. Make the file and its folder writable, then run again' : ''
}
