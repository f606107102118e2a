import { closeSync, openSync, readSync, renameSync, rmSync, statSync } from 'node:fs'
import { messageOf } from '../../core/json.ts'
import Database from 'better-sqlite3'
import { RunIndexError } from './run-index-error.ts'
import { APPLICATION_ID, INDEX_VERSION, SCHEMA } from './schema.ts'

const BUSY_TIMEOUT_MS = 5000
const MAGIC = 'SQLite format 3\0'

/** Returns true when SQLite reports that its file is damaged. */
export const isDamage = (error: unknown): boolean =>
  error instanceof Database.SqliteError && /^SQLITE_(CORRUPT|NOTADB)/.test(error.code)

/** Device and inode of a file; null when there is none. */
export function identityOf(path: string): string | null {
  const info = statSync(path, { bigint: true, throwIfNoEntry: false })
  return info === undefined ? null : `${info.dev}:${info.ino}`
}

/** Removes an index with SQLite's files beside it. No connection of this process may be open. */
export function removeIndex(file: string): void {
  for (const ending of ['', '-wal', '-shm']) rmSync(`${file}${ending}`, { force: true, maxRetries: 5, retryDelay: 20 })
}

/**
 * Opens the index for writing; creates it when it is missing, of another version, or damaged. Throws `unusable_file` when the
 * file is the database of another program, or its file system has no shared memory for write-ahead mode.
 */
export function openForWriting(file: string): Database.Database {
  try {
    removeOutdated(file)
    return open(file)
  } catch (error) {
    if (!isDamage(error)) throw asUnusable(file, error)
    removeIndex(file)
    return open(file)
  }
}

/** Opens an index that a writer has created. Throws `unusable_file`. */
export function openForReading(file: string): Database.Database {
  try {
    const db = new Database(file, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS })
    db.pragma('cache_size = -32768')
    db.pragma('temp_store = MEMORY')
    return db
  } catch (error) {
    throw asUnusable(file, error)
  }
}

/** Reads the header before SQLite does: only an index may be removed or changed. */
function removeOutdated(file: string): void {
  const header = headerOf(file)
  if (header === null) {
    // SQLite would apply the write-ahead log of a deleted index to the new one.
    removeIndex(file)
    return
  }
  if (header.length === 0) return
  if (header.toString('latin1', 0, MAGIC.length) !== MAGIC) {
    renameSync(file, `${file}.damaged-${Date.now()}`)
    removeIndex(file)
    return
  }
  const application = header.readUInt32BE(68)
  const version = header.readUInt32BE(60)
  if (application === APPLICATION_ID && version !== INDEX_VERSION) removeIndex(file)
  if (application !== APPLICATION_ID && version !== 0)
    throw new RunIndexError(
      'unusable_file',
      `${file} is the database of another program. Remove it or choose another project folder.`,
    )
}

function headerOf(file: string): Buffer | null {
  if (identityOf(file) === null) return null
  const header = Buffer.alloc(100)
  const fd = openSync(file, 'r')
  try {
    return header.subarray(0, readSync(fd, header, 0, header.length, 0))
  } finally {
    closeSync(fd)
  }
}

function open(file: string): Database.Database {
  const db = new Database(file, { timeout: BUSY_TIMEOUT_MS })
  try {
    const mode = String(db.pragma('journal_mode = WAL', { simple: true }))
    if (mode !== 'wal')
      throw new RunIndexError(
        'unusable_file',
        `${file}: SQLite cannot use write-ahead mode here, it answered "${mode}"`,
      )
    db.pragma('synchronous = NORMAL')
    db.pragma('cache_size = -65536')
    db.pragma('wal_autocheckpoint = 8000')
    // Rows that belong together are written and removed together; checking that made each insert slower.
    db.pragma('foreign_keys = OFF')
    db.pragma('temp_store = MEMORY')
    db.transaction(() => prepare(file, db)).immediate()
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** Inside a write transaction, so that two processes never both make the tables. */
function prepare(file: string, db: Database.Database): void {
  const application = db.pragma('application_id', { simple: true })
  const version = db.pragma('user_version', { simple: true })
  if (application === APPLICATION_ID && version === INDEX_VERSION) return
  const tables = db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() as number
  if (tables > 0 || application !== 0)
    throw new RunIndexError(
      'unusable_file',
      `${file} is the database of another program. Remove it or choose another project folder.`,
    )
  db.exec(SCHEMA)
}

const asUnusable = (file: string, error: unknown): RunIndexError =>
  error instanceof RunIndexError ? error : new RunIndexError('unusable_file', `${file}: ${messageOf(error)}`, error)
