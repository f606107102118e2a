import Database from 'better-sqlite3'

/** True for each of SQLite's errors which report that another connection holds what this one asked for. */
export const isBusy = (error: unknown): boolean =>
  error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')

/**
 * A lock of the operating system, which frees it when the process ends in whatever way. Node has no file locks; SQLite has them on
 * every platform, so this is a write transaction on an empty database that is always rolled back: the file stays empty, so there
 * is nothing in it that a crash could damage. Never open the file otherwise: on POSIX systems closing it drops the lock.
 */
export class OsLock {
  readonly #database: Database.Database
  readonly #begin: Database.Statement
  readonly #end: Database.Statement

  /** Throws when the file cannot be opened, or with `mustExist` when it is missing. */
  constructor(path: string, { mustExist = false } = {}) {
    this.#database = new Database(path, { timeout: 0, fileMustExist: mustExist })
    this.#database.pragma('journal_mode = MEMORY')
    this.#begin = this.#database.prepare('BEGIN IMMEDIATE')
    this.#end = this.#database.prepare('ROLLBACK')
  }

  /** Never waits. False when another process, or another connection of this one, holds the lock. */
  tryLock(): boolean {
    try {
      this.#begin.run()
      return true
    } catch (error) {
      if (isBusy(error)) return false
      throw error
    }
  }

  unlock(): void {
    this.#end.run()
  }

  close(): void {
    this.#database.close()
  }
}
