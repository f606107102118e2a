import type { FastifyInstance } from 'fastify'
import { RerankAdapterRequest } from '../../../../contract/http/rerank.ts'
import type { RerankAdapterResponse } from '../../../../contract/http/rerank.ts'
import { callerSignal } from '../../../kit/caller-signal.ts'
import { withWorkDeadline } from '../../../kit/deadlines.ts'
import type { EnvReader } from '../../../kit/env-reader.ts'
import { HttpError } from '../../../kit/http-error.ts'
import { parseRequest } from '../../../kit/validate.ts'
import { ModelCallError } from '../../models/model-host.ts'
import { rerankInBatches } from '../../models/tei/reranker.ts'
import type { Reranker } from '../../models/tei/reranker.ts'

export interface RerankAdapterDeps {
  reranker: Reranker
  /** For a whole request, all of its batches together. */
  timeoutMs: number
}

/**
 * `POST /graph-engine/rerank` in the form of LightRAG's rerank bindings `jina` and `cohere` (`{query, documents, top_n}`). 422 malformed, 502 for a bad batch, 503 without a
 * reranker, 504 after the deadline; never a part of the result.
 */
export function registerRerankAdapter(app: FastifyInstance, { reranker, timeoutMs }: RerankAdapterDeps): void {
  app.post('/graph-engine/rerank', async (request, reply): Promise<RerankAdapterResponse> => {
    const {
      query,
      documents,
      top_n: topN,
      return_documents: withText,
    } = parseRequest(RerankAdapterRequest, request.body)
    const gone = callerSignal(request, reply)
    const scores = await withWorkDeadline(
      timeoutMs,
      (late) => rerankInBatches(reranker, query, documents, AbortSignal.any([late, gone])),
      { message: 'Reranking timed out' },
    ).catch((cause: unknown) => {
      if (gone.aborted) throw new HttpError(499, 'The caller disconnected', { cause })
      throw cause instanceof ModelCallError ? refusal(cause) : cause
    })
    const results = scores
      .map((score, index) => ({ index, relevance_score: score }))
      .sort((a, b) => b.relevance_score - a.relevance_score || a.index - b.index)
      .slice(0, topN ?? undefined)
      .map((result) => ({ ...result, document: withText ? { text: documents[result.index]! } : null }))
    return { results }
  })
}

function refusal(cause: ModelCallError): HttpError {
  if (cause.code === 'timeout') return new HttpError(504, 'Reranking timed out', { cause })
  if (cause.code === 'unreachable' || cause.code === 'not_configured') {
    return new HttpError(503, 'The reranker cannot be reached', { cause })
  }
  return new HttpError(502, 'The reranker failed', { cause })
}

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
