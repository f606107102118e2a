/** Bounds of one discovery pass. */
export interface CorpusLimits {
  maxFileBytes: number
  maxCorpusBytes: number
  maxFiles: number
}

/** `RAG_INGESTION_MAX_FILE_BYTES`, `…_MAX_CORPUS_BYTES` and `…_MAX_FILES` where they are not set. */
export const DEFAULT_CORPUS_LIMITS: CorpusLimits = {
  maxFileBytes: 104_857_600,
  maxCorpusBytes: 1_073_741_824,
  maxFiles: 10_000,
}
/** `RAG_INGESTION_EXECUTION_LEASE_SECONDS` where it is not set; 10 to 300. */
export const DEFAULT_LEASE_SECONDS = 30
