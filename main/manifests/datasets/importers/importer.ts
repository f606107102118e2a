// An importer of a public format provides this. Adding a format is one file with an `Importer` and a line in formats.ts: sampling, file names,
// duplicates, checks and the summary are the writer's (import-dataset.ts).

/** A file or a record that cannot be imported: where, why, and what to do. Nothing is imported then. */
export class ImportError extends Error {
  override readonly name = 'ImportError'
}

/** A document of the source: a text with its title, or a file as it is. */
export type ImportedDocument =
  | { key: string; title: string; text: string }
  | {
      key: string
      /** Path below the documents' folder. */
      path: string
      /** States where the file is now. */
      file: string
    }

/** Gold evidence by the key of its document; without a fact, the whole document. */
interface ImportedGold {
  key: string
  fact?: string
}

export interface ImportedQuestion {
  id: string
  query: string
  /** Null where the source gives none. */
  answer: string | null
  /** All accepted spellings of a short answer; empty where answers are sentences. */
  accepted: readonly string[]
  /** Required points besides the accepted spellings. */
  keys?: readonly (readonly string[])[]
  answerable: boolean
  hops: number | null
  /** Holds what a sample keeps the shares of: the source's own kinds of questions. */
  stratum: string
  tags: readonly string[]
  gold: readonly ImportedGold[]
  /** Keys of the documents that the source puts beside the question; empty where it has one corpus for all. */
  near: readonly string[]
  /** Questions of one group contradict each other in one corpus: the same question with and without the documents that answer it. */
  group?: string
  /** Why the question cannot be used; null when it can. */
  problem?: string | null
  /** Gold evidence that the source names and does not have, by the reason. */
  lost?: readonly string[]
}

/** A file of the source, with its first record. */
export interface SourceFile {
  path: string
  /** Relative to the source, with forward slashes. */
  name: string
  /** The first record of a JSON or JSONL file; null for other files. */
  first: Readonly<Record<string, unknown>> | null
  /** Why its first record cannot be read; null where it can, or where there is none. */
  problem: string | null
}

/** Reads an opened source; each call of a function reads it from its beginning. */
export interface OpenSource {
  /** Files that are read, for the record of the import. */
  files: readonly SourceFile[]
  questions: () => AsyncIterable<ImportedQuestion>
  documents: () => AsyncIterable<ImportedDocument>
}

export interface Importer {
  id: string
  label: string
  /** The files that it expects, in words. */
  expects: string
  /** Terms under which the source's authors publish it. */
  licence: string
  url: string
  /** True when the documents are texts without a file of their own, which need no converter. */
  isText: boolean
  /** Holds what a gold fact becomes that its document does not hold word for word: the whole document where that is short, else nothing. */
  otherwise: 'document' | 'nothing'
  /** False where each gold document answers the question by itself; by default a question without one of its gold documents is left out. */
  needsAllGold?: boolean
  /** The source, when these files are of the format; null when they are not. Throws `ImportError` for a split that it does not have. */
  open: (files: readonly SourceFile[], split: string | null, onBytes: (bytes: number) => void) => OpenSource | null
}
