import { hash } from 'node:crypto'
import Database from 'better-sqlite3'

/** Blurbs that were paid for, by the hash of what they were asked from; one whose bytes were changed from outside counts as missing. Survives crashes of the process. */
export interface BlurbCache {
  get(key: string): string | null
  put(key: string, model: string, blurb: string): void
  close(): void
}

const SCHEMA = `CREATE TABLE IF NOT EXISTS blurbs (
  key TEXT PRIMARY KEY, model TEXT NOT NULL, blurb TEXT NOT NULL, created_at TEXT NOT NULL
) STRICT, WITHOUT ROWID`

/**
 * Opens the cache, making the file when it is missing. `synchronous = NORMAL`: a power cut may cost the last blurbs, which are then
 * asked for again; it cannot make a wrong one.
 */
export function openBlurbCache(file: string): BlurbCache {
  const database = new Database(file)
  database.pragma('busy_timeout = 10000')
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = NORMAL')
  database.exec(SCHEMA)
  const columns = database.pragma('table_info(blurbs)') as { name: string }[]
  if (!columns.some(({ name }) => name === 'digest')) database.exec('ALTER TABLE blurbs ADD COLUMN digest TEXT')
  const select = database.prepare<[string], { blurb: string; digest: string | null }>(
    'SELECT blurb, digest FROM blurbs WHERE key = ?',
  )
  const insert = database.prepare(
    'INSERT OR REPLACE INTO blurbs (key, model, blurb, created_at, digest) VALUES (?, ?, ?, ?, ?)',
  )
  const digestOf = (key: string, blurb: string): string => hash('sha256', key + blurb)
  return {
    get(key) {
      const found = select.get(key)
      if (found === undefined) return null
      // Blurbs of earlier versions have no digest, and were paid for.
      return found.digest === null || found.digest === digestOf(key, found.blurb) ? found.blurb : null
    },
    put: (key, model, blurb) => {
      insert.run(key, model, blurb, new Date().toISOString(), digestOf(key, blurb))
    },
    close: () => {
      database.close()
    },
  }
}
