import Database from 'better-sqlite3'

/** A SQLite file beside the state file that keeps what costs time to make again. It is a cache: when it cannot be used, it has nothing. */
export interface KeptFile {
  /** Null when the file cannot be used, from the first failed step on. */
  attempt<Result>(step: (database: Database.Database) => Result): Result | null
  /** Deletes the rows of a table that has an INTEGER column `key`, except those of these keys. */
  keepOnly(table: string, keys: ReadonlySet<bigint>): void
  close(): void
}

const BUSY_TIMEOUT_MS = 2000

/** Opens or creates a file with one table. */
export function openKeptFile(file: string, createTable: string): KeptFile {
  let database: Database.Database | null = null
  let isUsable = true
  const attempt: KeptFile['attempt'] = (step) => {
    if (!isUsable) return null
    try {
      database ??= open(file, createTable)
      return step(database)
    } catch (error) {
      if (!(error instanceof Database.SqliteError || error instanceof TypeError)) throw error
      isUsable = false
      return null
    }
  }
  return {
    attempt,
    keepOnly(table, kept) {
      attempt((database) =>
        database
          .transaction(() => {
            const forget = database.prepare(`DELETE FROM ${table} WHERE key = ?`)
            const keys = database.prepare<[], bigint>(`SELECT key FROM ${table}`).pluck().safeIntegers().all()
            for (const key of keys) if (!kept.has(key)) forget.run(key)
          })
          .immediate(),
      )
    },
    close() {
      database?.close()
      isUsable = false
    },
  }
}

function open(file: string, createTable: string): Database.Database {
  const database = new Database(file, { timeout: BUSY_TIMEOUT_MS })
  try {
    database.pragma('journal_mode = WAL')
    // A killed process loses nothing; what a power cut takes is made again.
    database.pragma('synchronous = NORMAL')
    // What leaves the corpus leaves the disk: without it, a deleted row stays in the file until another takes its space.
    database.pragma('secure_delete = ON')
    database.exec(createTable)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}
