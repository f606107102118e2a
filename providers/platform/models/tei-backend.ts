import { z } from 'zod'
import { RERANK_MAX_BATCH, RerankResponse } from '../../../contract/http/rerank.ts'
import type { ModelOf } from '../../../contract/manifests/model-backends.ts'
import type { ModelRole } from '../../../contract/manifests/models.ts'
import { KnownModels } from '../../../core/model-records/known-models.ts'
import { embedInBatches, inLearnedBatches } from './learned-batches.ts'
import type { ModelBackend } from './model-backend.ts'
import { ModelCallError } from './model-host.ts'
import { createModelHttp } from './openai/model-http.ts'
import type { ModelHttpOptions } from './openai/model-http.ts'

/** `POST /embed`: a vector for each input, in their order. */
const Embeddings = z.array(z.array(z.number()))

/**
 * A model of a TEI server, in batches that it accepts; where its operator allows fewer, that is learned and kept. One bad batch fails the whole call. It refuses texts
 * that are too long for the model unless it is asked to cut them.
 */
export function createTeiBackend(
  role: ModelRole,
  choice: ModelOf<'tei'>,
  apiKey: string | null,
  { known: models = new KnownModels(), ...overrides }: Partial<ModelHttpOptions> & { known?: KnownModels } = {},
): ModelBackend {
  const http = createModelHttp({
    role,
    baseUrl: choice.base_url,
    apiKey,
    timeoutMs: choice.timeout_s * 1000,
    retries: 2,
    ...overrides,
  })
  const known = models.of(choice.base_url, choice.model)
  return {
    async embed(texts, side, signal, _statistics, onTokens) {
      const prefix = (side === 'query' ? choice.query_prefix : choice.document_prefix) ?? ''
      const ask = async (inputs: readonly string[]) => {
        const answer = Embeddings.safeParse(await http.post('/embed', { inputs, truncate: true }, signal))
        if (!answer.success) throw wrong(role, 'its answer is not a list of vectors')
        return { embedded: answer.data, tokens: null }
      }
      const inputs = texts.map((text) => prefix + text)
      return embedInBatches(role, known, inputs, RERANK_MAX_BATCH, ask, onTokens)
    },
    async rerank(query, texts, signal) {
      const scores: number[] = []
      await inLearnedBatches(known, texts, RERANK_MAX_BATCH, async (batch) => {
        const answer = await http.post('/rerank', { query, texts: batch, raw_scores: true, truncate: true }, signal)
        scores.push(...batchScores(role, answer, batch.length))
      })
      return scores
    },
    close: () => http.close(),
  }
}

/** Scores in the order of the texts; every index once, every score finite. */
function batchScores(role: ModelRole, answer: unknown, count: number): number[] {
  const parsed = RerankResponse.safeParse(answer)
  if (!parsed.success) throw wrong(role, 'its answer is not a list of {index, score}')
  const scores = new Map(parsed.data.map(({ index, score }) => [index, score]))
  if (parsed.data.length !== count || scores.size !== count || [...scores.keys()].some((index) => index >= count)) {
    throw wrong(role, `expected indexes 0 to ${count - 1} once each`)
  }
  return Array.from({ length: count }, (_, index) => scores.get(index)!)
}

function wrong(role: ModelRole, problem: string): ModelCallError {
  return new ModelCallError('invalid_response', role, `The model of role ${role} answered wrongly: ${problem}`)
}
