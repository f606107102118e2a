import type { ModelHost } from '../models/model-host.ts'

/**
 * A reranking service with TEI's answers. The answer is not trusted: `rerankInBatches` checks it, whether it came from this process or
 * over HTTP. Rejects with `HttpError` for what a service can do wrong, with `ModelCallError` for what a model can.
 */
export interface Reranker {
  /** `[{index, score}]`, one entry per text. */
  rank(query: string, texts: readonly string[], signal: AbortSignal): Promise<unknown>
}

/** The one reranker of a platform as a request sees it: `models` is its metered view. */
export type RerankerOf = (models: Pick<ModelHost, 'rerank'>) => Reranker
