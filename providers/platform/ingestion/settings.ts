import { defaultOf } from '../../../contract/index.ts'

/** Bounds of one discovery pass. */
export interface CorpusLimits {
  maxFileBytes: number
  maxCorpusBytes: number
  maxFiles: number
}

/** The declared limits. */
export const DEFAULT_CORPUS_LIMITS: CorpusLimits = {
  maxFileBytes: Number(defaultOf('RAG_INGESTION_MAX_FILE_BYTES')),
  maxCorpusBytes: Number(defaultOf('RAG_INGESTION_MAX_CORPUS_BYTES')),
  maxFiles: Number(defaultOf('RAG_INGESTION_MAX_FILES')),
}
