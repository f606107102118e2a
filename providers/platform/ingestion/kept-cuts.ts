import { createHash } from 'node:crypto'
import Database from 'better-sqlite3'
import type { SubjectChanges } from '../chunking/semantic.ts'

/**
 * Where a semantic chunker cuts the documents of a collection, by their texts: a document that did not change is cut there again without embedding
 * its sentences. The file is a cache: when it cannot be used the sentences are embedded.
 */
export interface KeptCuts {
  get(text: string): SubjectChanges | null
  put(text: string, changes: SubjectChanges): void
  /** Forgets what was neither read nor written since the file was opened: documents that left the corpus. */
  prune(): void
  close(): void
}

const BUSY_TIMEOUT_MS = 2000

/** Opens or creates the file of one collection. `settings`: everything besides the text that changes the cuts. */
export function openKeptCuts(file: string, settings: readonly unknown[]): KeptCuts {
  let isUsable = true
  const attempt = <Result>(step: () => Result): Result | null => {
    try {
      return isUsable ? step() : null
    } catch (error) {
      if (!(error instanceof Database.SqliteError || error instanceof TypeError)) throw error
      isUsable = false
      return null
    }
  }
  const database = attempt(() => new Database(file, { timeout: BUSY_TIMEOUT_MS }))
  attempt(() => {
    database!.pragma('journal_mode = WAL')
    database!.pragma('synchronous = NORMAL')
    database!.exec('CREATE TABLE IF NOT EXISTS cuts (key INTEGER PRIMARY KEY, changes TEXT NOT NULL) STRICT')
  })
  const used = new Set<bigint>()
  const head = JSON.stringify(settings)
  const keyOf = (text: string): bigint => {
    const key = createHash('sha256').update(head).update('\0').update(text, 'utf8').digest().readBigInt64BE()
    used.add(key)
    return key
  }
  return {
    get: (text) =>
      attempt(() => {
        const found = database!.prepare<[bigint], string>('SELECT changes FROM cuts WHERE key = ?').pluck()
        const changes = found.get(keyOf(text))
        return changes === undefined ? null : (JSON.parse(changes) as SubjectChanges)
      }),
    put(text, changes) {
      attempt(() =>
        database!
          .prepare('INSERT OR REPLACE INTO cuts (key, changes) VALUES (?, ?)')
          .run(keyOf(text), JSON.stringify(changes)),
      )
    },
    prune() {
      attempt(() =>
        database!
          .transaction(() => {
            const forget = database!.prepare('DELETE FROM cuts WHERE key = ?')
            const keys = database!.prepare<[], bigint>('SELECT key FROM cuts').pluck().safeIntegers().all()
            for (const key of keys) if (!used.has(key)) forget.run(key)
          })
          .immediate(),
      )
    },
    close: () => void attempt(() => database!.close()),
  }
}

/** Where the cuts of a collection are kept: beside the state file. */
export const keptCutsFile = (stateFile: string, collection: string): string =>
  `${stateFile}.${encodeURIComponent(collection)}.cuts`
