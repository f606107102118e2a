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
  const file = openKeptFile<ParsedDocument>(path, 'texts', 'parsed')
  const keyOf = (source: Pick<CorpusFile, 'path' | 'sha256'>, revision: string): bigint =>
    createHash('sha256')
      .update(JSON.stringify([source.path, source.sha256, revision]))
      .digest()
      .readBigInt64BE()
  return {
    get: (source, revision) => file.get(keyOf(source, revision)),
    put: (source, revision, parsed) => file.put(keyOf(source, revision), parsed),
    prune: () => file.prune(),
    close: () => file.close(),
  }
}

/** Returns where the texts of a collection's documents are kept: beside the state file. */
export const keptTextsFile = (stateFile: string, collection: string): string =>
  `${stateFile}.${encodeURIComponent(collection)}.texts`
