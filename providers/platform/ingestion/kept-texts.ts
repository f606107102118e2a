import { existsSync } from 'node:fs'
import { createHash } from 'node:crypto'
import type { CorpusFile } from './corpus.ts'
import { openKeptFile } from './kept-file.ts'
import type { ParsedDocument } from './parsers.ts'

/**
 * Texts of files that a service has read, by the file's path and content and by all that changes what the service reads: a file that did not change is
 * not converted or transcribed again. Texts of plain files are not kept: reading them here would cost as much as reading the file.
 */
export interface KeptTexts {
  get(file: Pick<CorpusFile, 'path' | 'sha256'>, revision: string): ParsedDocument | null
  put(file: Pick<CorpusFile, 'path' | 'sha256'>, revision: string, parsed: ParsedDocument): void
  /** Forgets what was neither read nor written since the file was opened: files that left the corpus, and their earlier contents. */
  prune(): void
  close(): void
}

/** Opens the file of one collection, which is created with the first text. */
export function openKeptTexts(path: string): KeptTexts {
  const file = openKeptFile(
    path,
    'CREATE TABLE IF NOT EXISTS texts (key INTEGER PRIMARY KEY, parsed TEXT NOT NULL) STRICT',
  )
  const used = new Set<bigint>()
  const keyOf = (source: Pick<CorpusFile, 'path' | 'sha256'>, revision: string): bigint => {
    const named = JSON.stringify([source.path, source.sha256, revision])
    const key = createHash('sha256').update(named).digest().readBigInt64BE()
    used.add(key)
    return key
  }
  return {
    get: (source, revision) =>
      file.attempt((database) => {
        const found = database.prepare<[bigint], string>('SELECT parsed FROM texts WHERE key = ?').pluck()
        const parsed = found.get(keyOf(source, revision))
        return parsed === undefined ? null : (JSON.parse(parsed) as ParsedDocument)
      }),
    put(source, revision, parsed) {
      file.attempt((database) =>
        database
          .prepare('INSERT OR REPLACE INTO texts (key, parsed) VALUES (?, ?)')
          .run(keyOf(source, revision), JSON.stringify(parsed)),
      )
    },
    prune() {
      if (used.size > 0 || existsSync(path)) file.keepOnly('texts', used)
    },
    close: () => file.close(),
  }
}

/** Where the texts of a collection's documents are kept: beside the state file. */
export const keptTextsFile = (stateFile: string, collection: string): string =>
  `${stateFile}.${encodeURIComponent(collection)}.texts`
