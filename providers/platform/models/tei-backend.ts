import { RERANK_MAX_BATCH, RerankResponse } from '../../../contract/index.ts'
import type { ModelOf } from '../../../contract/index.ts'
import type { ModelBackend } from './model-backend.ts'
import { ModelCallError } from './model-host.ts'
import { createModelHttp } from './model-http.ts'
import type { ModelHttpOptions } from './model-http.ts'

/** TEI's reranker by address, in batches it accepts; one bad batch fails the whole call. */
export function createTeiBackend(
  choice: ModelOf<'tei'>,
  apiKey: string | null,
  overrides: Partial<ModelHttpOptions> = {},
): ModelBackend {
  const http = createModelHttp({
    role: 'rerank',
    baseUrl: choice.base_url,
    apiKey,
    timeoutMs: choice.timeout_s * 1000,
    retries: 2,
    ...overrides,
  })
  return {
    async rerank(query, texts, signal) {
      const scores: number[] = []
      for (let start = 0; start < texts.length; start += RERANK_MAX_BATCH) {
        const batch = texts.slice(start, start + RERANK_MAX_BATCH)
        const answer = await http.post('/rerank', { query, texts: batch, raw_scores: true, truncate: true }, signal)
        scores.push(...batchScores(answer, batch.length))
      }
      return scores
    },
    close: () => http.close(),
  }
}

/** Scores in the order of the texts; every index once, every score finite. */
function batchScores(answer: unknown, count: number): number[] {
  const parsed = RerankResponse.safeParse(answer)
  if (!parsed.success) throw wrong('its answer is not a list of {index, score}')
  const scores = new Map(parsed.data.map(({ index, score }) => [index, score]))
  if (parsed.data.length !== count || scores.size !== count || [...scores.keys()].some((index) => index >= count)) {
    throw wrong(`expected indexes 0 to ${count - 1} once each`)
  }
  return Array.from({ length: count }, (_, index) => scores.get(index)!)
}

function wrong(problem: string): ModelCallError {
  return new ModelCallError('invalid_response', 'rerank', `The reranker answered wrongly: ${problem}`)
}
