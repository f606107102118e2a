import type { EnvReader } from '../../kit/env-reader.ts'

export interface RerankAdapterSettings {
  /** For a whole request, however many batches it takes. */
  timeoutMs: number
  /** A reranking service with TEI's surface; null asks the role `rerank` of this platform's models. */
  url: string | null
  apiKey: string | null
}

export function readRerankAdapterSettings(reader: EnvReader): RerankAdapterSettings {
  return {
    timeoutMs: reader.seconds('GRAPHENGINE_RERANK_ADAPTER_TIMEOUT_SECONDS', { max: 3600 }) * 1000,
    url: reader.url('RERANKER_URL'),
    apiKey: reader.optional('RERANKER_API_KEY'),
  }
}
