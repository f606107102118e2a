import { createHash } from 'node:crypto'
import type { SubjectChanges } from './chunking/semantic.ts'
import { openKeptFile } from './kept-file.ts'

/**
 * Keeps where a semantic chunker cuts the documents of a collection, by their texts: a document that did not change is cut there again without embedding
 * its sentences.
 */
export interface KeptCuts {
  get(text: string): SubjectChanges | null
  put(text: string, changes: SubjectChanges): void
  /** Forgets what was neither read nor written since the file was opened: documents that left the corpus. */
  prune(): void
  close(): void
}

/** Opens the file of one collection, which is created with the first cuts. `settings`: everything besides the text that changes the cuts. */
export function openKeptCuts(path: string, settings: readonly unknown[]): KeptCuts {
  const file = openKeptFile<SubjectChanges>(path, 'cuts', 'changes')
  const head = JSON.stringify(settings)
  const keyOf = (text: string): bigint =>
    createHash('sha256').update(head).update('\0').update(text, 'utf8').digest().readBigInt64BE()
  return {
    get: (text) => file.get(keyOf(text)),
    put: (text, changes) => file.put(keyOf(text), changes),
    prune: () => file.prune(),
    close: () => file.close(),
  }
}

/** Returns where the cuts of a collection are kept: beside the state file. */
export const keptCutsFile = (stateFile: string, collection: string): string =>
  `${stateFile}.${encodeURIComponent(collection)}.cuts`
