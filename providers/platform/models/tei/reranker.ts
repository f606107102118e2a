import { RERANK_MAX_BATCH } from '../../../../contract/http/rerank.ts'
import { refusedBy } from '../../../../core/http/access-refused.ts'
import { createHttpClient, HttpFault } from '../../../../core/http/http-client.ts'
import { pauseHeader } from '../../../../core/http/pauses.ts'
import { HttpError } from '../../../kit/http-error.ts'
import { step } from '../../trace/trace.ts'
import type { ModelHost, RerankPool } from '../model-host.ts'

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
const TIMEOUT_MS = 10 * 60_000

/** TEI's `POST /rerank` at an address. Never retries: a failed batch fails the whole request. */
export function httpReranker(url: string, apiKey: string | null): Reranker & { close(): Promise<void> } {
  const client = createHttpClient(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` })
  return {
    async rank(query, texts, signal) {
      const call = { json: { query, texts }, signal, timeoutMs: TIMEOUT_MS, limitBytes: RESPONSE_LIMIT_BYTES }
      const sent = step(
        { kind: 'reranker', name: 'reranker service', request: () => call.json },
        () => client.send(`${url}/rerank`, call),
        (answer) => ({ response: answer.text, ...(answer.isOk ? {} : { error: `HTTP ${answer.status}` }) }),
      )
      const { status, headers, text, json } = await sent.catch((cause: unknown) => {
        if (!(cause instanceof HttpFault)) throw cause
        const [status, problem] = PROBLEMS[cause.fault]
        throw new HttpError(status, problem, { cause })
      })
      const refused = refusedBy(status, text)
      if (refused === 'key')
        throw new HttpError(502, `The reranker refuses the key (HTTP ${status}): correct RERANKER_API_KEY`, REFUSED)
      if (refused === 'account') throw new HttpError(502, `The reranker asks for payment (HTTP ${status})`, REFUSED)
      if (status === 429) {
        const limited = { code: 'rate_limited', headers: pauseHeader(headers) }
        throw new HttpError(502, 'The reranker limits its calls (HTTP 429)', limited)
      }
      if (status !== 200) throw new HttpError(502, `The reranker answered HTTP ${status}`)
      if (json === undefined) throw new HttpError(502, 'The reranker did not answer with JSON: check RERANKER_URL')
      return json
    },
    close: () => client.close(),
  }
}

const REFUSED = { code: 'model_access_refused' }

const PROBLEMS = {
  unreachable: [503, 'The reranker cannot be reached'],
  timeout: [504, `The reranker gave no answer within ${TIMEOUT_MS / 1000} s`],
  interrupted: [502, 'The reranker ended its answer early'],
  too_large: [502, 'The reranker sent more than the size limit'],
} as const

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
