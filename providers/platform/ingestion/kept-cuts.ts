import { createHash } from 'node:crypto'
import type { SubjectChanges } from '../chunking/semantic.ts'
import { openKeptFile } from './kept-file.ts'

/**
 * Where a semantic chunker cuts the documents of a collection, by their texts: a document that did not change is cut there again without embedding
 * its sentences.
 */
export interface KeptCuts {
  get(text: string): SubjectChanges | null
  put(text: string, changes: SubjectChanges): void
  /** Forgets what was neither read nor written since the file was opened: documents that left the corpus. */
  prune(): void
  close(): void
}

/** Opens or creates the file of one collection. `settings`: everything besides the text that changes the cuts. */
export function openKeptCuts(path: string, settings: readonly unknown[]): KeptCuts {
  const file = openKeptFile(
    path,
    'CREATE TABLE IF NOT EXISTS cuts (key INTEGER PRIMARY KEY, changes TEXT NOT NULL) STRICT',
  )
  const used = new Set<bigint>()
  const head = JSON.stringify(settings)
  const keyOf = (text: string): bigint => {
    const key = createHash('sha256').update(head).update('\0').update(text, 'utf8').digest().readBigInt64BE()
    used.add(key)
    return key
  }
  return {
    get: (text) =>
      file.attempt((database) => {
        const found = database.prepare<[bigint], string>('SELECT changes FROM cuts WHERE key = ?').pluck()
        const changes = found.get(keyOf(text))
        return changes === undefined ? null : (JSON.parse(changes) as SubjectChanges)
      }),
    put(text, changes) {
      file.attempt((database) =>
        database
          .prepare('INSERT OR REPLACE INTO cuts (key, changes) VALUES (?, ?)')
          .run(keyOf(text), JSON.stringify(changes)),
      )
    },
    prune: () => file.keepOnly('cuts', used),
    close: () => file.close(),
  }
}

/** Where the cuts of a collection are kept: beside the state file. */
export const keptCutsFile = (stateFile: string, collection: string): string =>
  `${stateFile}.${encodeURIComponent(collection)}.cuts`
