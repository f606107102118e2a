import { createHash, hash } from 'node:crypto'
import { existsSync, rmSync } from 'node:fs'
import Database from 'better-sqlite3'

/** A SQLite file beside the state file that keeps what costs time to make again. It is a cache: when it cannot be used, it has nothing. */
export interface KeptFile<Value> {
  get(key: string): Value | null
  put(key: string, value: Value): void
  /** Forgets what was neither read nor written since the file was opened. */
  prune(): void
  close(): void
}

const BUSY_TIMEOUT_MS = 2000
/** The driver's default is 16 MB for each file; an ingestion reads a value once. */
const CACHE_KIB = 2048

/** The file of one collection, which is created with the first value. `column` of `table` holds the values as JSON, by digests of their keys. */
export function openKeptFile<Value>(path: string, table: string, column: string): KeptFile<Value> {
  const used = new Set<bigint>()
  let database: Database.Database | null = null
  let isUsable = true
  /** Null when the file cannot be used, from the first failed step on. */
  const attempt = <Result>(step: (database: Database.Database) => Result): Result | null => {
    if (!isUsable) return null
    try {
      database ??= open(
        path,
        `CREATE TABLE IF NOT EXISTS ${table} (key INTEGER PRIMARY KEY, ${column} TEXT NOT NULL) STRICT`,
      )
      return step(database)
    } catch (error) {
      if (!(error instanceof Database.SqliteError || error instanceof TypeError)) throw error
      isUsable = false
      return null
    }
  }
  const deleteUnused = (database: Database.Database): void => {
    const forget = database.prepare(`DELETE FROM ${table} WHERE key = ?`)
    const keys = database.prepare<[], bigint>(`SELECT key FROM ${table}`).pluck().safeIntegers().all()
    for (const key of keys) if (!used.has(key)) forget.run(key)
  }
  return {
    get: (name) =>
      attempt((database) => {
        const key = digestNumber(name)
        used.add(key)
        const value = database
          .prepare<[bigint], string>(`SELECT ${column} FROM ${table} WHERE key = ?`)
          .pluck()
          .get(key)
        const json = value === undefined ? null : intactJson(value)
        return json === null ? null : (JSON.parse(json) as Value)
      }),
    put(name, value) {
      attempt((database) => {
        const key = digestNumber(name)
        used.add(key)
        database
          .prepare(`INSERT OR REPLACE INTO ${table} (key, ${column}) VALUES (?, ?)`)
          .run(key, withDigest(JSON.stringify(value)))
      })
    },
    prune() {
      if (used.size > 0 || existsSync(path))
        attempt((database) => database.transaction(() => deleteUnused(database)).immediate())
    },
    close() {
      database?.close()
      isUsable = false
    },
  }
}

const digestNumber = (key: string): bigint => createHash('sha256').update(key).digest().readBigInt64BE()

const DIGEST_CHARS = 32
const digestOf = (json: string): string => hash('sha256', json).slice(0, DIGEST_CHARS)
const withDigest = (json: string): string => digestOf(json) + json

/** A value whose bytes are as they were written; anything else, which includes what earlier versions wrote, is made again. */
function intactJson(stored: string): string | null {
  const json = stored.slice(DIGEST_CHARS)
  return stored.startsWith(digestOf(json)) ? json : null
}

function open(file: string, createTable: string): Database.Database {
  const database = new Database(file, { timeout: BUSY_TIMEOUT_MS })
  try {
    database.pragma('journal_mode = WAL')
    // A killed process loses nothing; what a power cut takes is made again.
    database.pragma('synchronous = NORMAL')
    database.pragma(`cache_size = -${CACHE_KIB}`)
    // A document that leaves the corpus leaves the disk: without it, a deleted row stays in the file until another takes its space.
    database.pragma('secure_delete = ON')
    database.exec(createTable)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/**
 * Defines what an interrupted ingestion leaves for the next one: texts that a service has read, where a semantic chunker cuts, and vectors. A document that
 * did not change is not read, cut or embedded again.
 */
export const KEPT = ['texts', 'cuts', 'vectors'] as const

/** Returns where something of a collection is kept: beside the state file. */
export const keptFilePath = (stateFile: string, collection: string, what: (typeof KEPT)[number]): string =>
  `${stateFile}.${encodeURIComponent(collection)}.${what}`

/** Deletes a file of kept vectors, texts or cuts. */
export function removeKeptFile(file: string): void {
  for (const name of [file, `${file}-wal`, `${file}-shm`]) rmSync(name, { force: true, maxRetries: 3 })
}
