import { IngestionProfile } from '../../contract/manifests/consumer.ts'
import { defaultOf } from '../../contract/settings/variables.ts'
import type { CorpusLimits } from '../../providers/platform/ingestion/corpus.ts'

/** The declared limits. */
export const DEFAULT_CORPUS_LIMITS: CorpusLimits = {
  maxFileBytes: Number(defaultOf('RAG_INGESTION_MAX_FILE_BYTES')),
  maxCorpusBytes: Number(defaultOf('RAG_INGESTION_MAX_CORPUS_BYTES')),
  maxFiles: Number(defaultOf('RAG_INGESTION_MAX_FILES')),
}

/** An ingestion profile over `corpus/<name>`, in small chunks, for the parts of it that a test does not care about. */
export const testProfile = (name: string, changes: Partial<IngestionProfile> = {}): IngestionProfile =>
  IngestionProfile.parse({
    name,
    corpus: { source: 'mount', path: name },
    parser_order: ['converter', 'plain_text'],
    chunker: { strategy: 'recursive', chunk_size: 120, overlap: 20 },
    vector_target: { collection_prefix: 'RagBase' },
    graph_target: { mode: 'upload_documents', wait_for_extraction: true, timeout_seconds: 60 },
    ...changes,
  })
