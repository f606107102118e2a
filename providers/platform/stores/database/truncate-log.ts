import Sqlite from 'better-sqlite3'
import type { Database } from 'better-sqlite3'

/**
 * Moves the write-ahead log of a SQLite file into the file and empties it: otherwise the log of a large write keeps its size, several megabytes
 * beside a corpus of some kilobytes. Does nothing while another connection reads or writes; the next call or the last close does it then. A log
 * that cannot be moved stays in use: whoever writes next reports why.
 */
export function truncateLog(database: Database): void {
  const timeoutMs = database.pragma('busy_timeout', { simple: true }) as number
  // Waiting for the other connection would stop the event loop.
  database.pragma('busy_timeout = 0')
  try {
    database.pragma('wal_checkpoint(TRUNCATE)')
  } catch (error) {
    if (!(error instanceof Sqlite.SqliteError)) throw error
  } finally {
    database.pragma(`busy_timeout = ${timeoutMs}`)
  }
}
