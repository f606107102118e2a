import { Agent, request } from 'undici'
import { RERANK_MAX_BATCH } from '../../../contract/index.ts'
import { HttpError } from '../../kit/http-error.ts'
import type { ModelHost, RerankPool } from '../models/model-host.ts'
import { readLimited } from '../read-limited.ts'

/**
 * A reranker that answers like `POST /rerank` of text-embeddings-inference (TEI): a service at `RERANKER_URL`, else the role `rerank` of this
 * process. Answers are not trusted: `rerankInBatches` checks both. Rejects with `HttpError` for a faulty service, `ModelCallError` for a
 * faulty model.
 */
export interface Reranker {
  /** `[{index, score}]`, one entry per text. A service reads texts only and ignores `pool`. */
  rank(query: string, texts: readonly string[], signal: AbortSignal, pool?: RerankPool): Promise<unknown>
  /** Takes all candidates of a search in one call, with what the search knows of them. */
  ranksPools?: boolean
}

/** The one reranker of a platform as a request sees it: `models` is its metered view. */
export type RerankerOf = (models: Pick<ModelHost, 'rerank'>) => Reranker

/** 32 scores take a few kilobytes. */
const RESPONSE_LIMIT_BYTES = 1024 * 1024

/** TEI's `POST /rerank` at an address. Never retries: a failed batch fails the whole request. */
export function httpReranker(url: string, apiKey: string | null): Reranker & { close(): Promise<void> } {
  const agent = new Agent({ connections: 16, headersTimeout: 0, bodyTimeout: 0 })
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json',
    ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
  }
  return {
    async rank(query, texts, signal) {
      const { status, text } = await send(JSON.stringify({ query, texts }), signal)
      if (status !== 200) throw new HttpError(502, `The reranker answered HTTP ${status}`)
      if (text === null) throw new HttpError(502, 'The reranker sent more than the size limit')
      try {
        return JSON.parse(text) as unknown
      } catch (cause) {
        throw new HttpError(502, 'The reranker did not answer with JSON: check RERANKER_URL', { cause })
      }
    },
    close: () => agent.destroy(),
  }

  async function send(body: string, signal: AbortSignal): Promise<{ status: number; text: string | null }> {
    let status: number | null = null
    try {
      const response = await request(`${url}/rerank`, { method: 'POST', dispatcher: agent, headers, body, signal })
      status = response.statusCode
      return { status, text: await readLimited(response.body, RESPONSE_LIMIT_BYTES) }
    } catch (cause) {
      signal.throwIfAborted()
      // A status means that the service is reachable and ended its answer early.
      if (status !== null) throw new HttpError(502, 'The reranker ended its answer early', { cause })
      throw new HttpError(503, 'The reranker cannot be reached', { cause })
    }
  }
}

/** The role `rerank` of this process's models; its logits become probabilities, as TEI gives them. Rejects with `ModelCallError`. */
export const modelReranker: RerankerOf = (models) => ({
  ranksPools: true,
  async rank(query, texts, signal, pool) {
    const logits = await models.rerank(query, texts, signal, pool)
    return logits.map((logit, index) => ({ index, score: 1 / (1 + Math.exp(-logit)) }))
  },
})

/**
 * A finite score per text, in the order of the texts, requested in batches that rerankers accept. One bad batch fails all of them:
 * `HttpError` 502 for an answer that is not one score per text, else what the reranker throws.
 */
export async function rerankInBatches(
  reranker: Reranker,
  query: string,
  texts: readonly string[],
  signal: AbortSignal = new AbortController().signal,
): Promise<number[]> {
  const scores: number[] = []
  for (let start = 0; start < texts.length; start += RERANK_MAX_BATCH) {
    signal.throwIfAborted()
    const batch = texts.slice(start, start + RERANK_MAX_BATCH)
    scores.push(...scoresInOrder(await reranker.rank(query, batch, signal), batch.length))
  }
  return scores
}

/** The same for the candidates of a search. A model of this process gets them at once, with what the search knows; a service gets batches of texts. */
export async function rerankPool(
  reranker: Reranker,
  query: string,
  texts: readonly string[],
  pool: RerankPool,
  signal: AbortSignal = new AbortController().signal,
): Promise<number[]> {
  if (reranker.ranksPools !== true) return rerankInBatches(reranker, query, texts, signal)
  return scoresInOrder(await reranker.rank(query, texts, signal, pool), texts.length)
}

/** Indexes 0 to `count - 1`, each once, with a finite score each. */
function scoresInOrder(answer: unknown, count: number): number[] {
  if (!Array.isArray(answer)) throw invalid('expected a list')
  if (answer.length !== count) throw invalid(`${answer.length} results for ${count} documents`)
  const scores = new Array<number | undefined>(count).fill(undefined)
  for (const entry of answer as unknown[]) {
    const { index, score } = (typeof entry === 'object' && entry !== null ? entry : {}) as Record<string, unknown>
    if (typeof index !== 'number' || !Number.isInteger(index)) throw invalid('an index is not a whole number')
    if (index < 0 || index >= count) throw invalid('an index is out of range')
    if (scores[index] !== undefined) throw invalid('an index appears twice')
    if (typeof score !== 'number' || !Number.isFinite(score)) throw invalid('a score is not a finite number')
    scores[index] = score
  }
  return scores as number[]
}

function invalid(problem: string): HttpError {
  return new HttpError(502, `The reranker's answer is invalid: ${problem}`)
}
