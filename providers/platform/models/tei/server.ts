import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { RERANK_MAX_BATCH, RerankRequest } from '../../../../contract/http/rerank.ts'
import type { RerankResponse } from '../../../../contract/http/rerank.ts'
import { callerSignal } from '../../../kit/caller-signal.ts'
import { HttpError } from '../../../kit/http-error.ts'
import { useErrorFamily } from '../../../kit/server.ts'
import { parseRequest } from '../../../kit/validate.ts'
import { modelErrorHeaders, reasonOf } from '../model-error-response.ts'
import { ModelCallError } from '../model-host.ts'
import type { ModelHost } from '../model-host.ts'

/** Reported as the limit of one input; the models have none of their own. */
const MAX_INPUT_TOKENS = 8192

const EmbedRequest = z.looseObject({
  inputs: z.union([z.string(), z.array(z.string())]),
  normalize: z.boolean().nullish(),
  truncate: z.boolean().nullish(),
  dimensions: z.int().positive().nullish(),
})

/** The API of Hugging Face's text-embeddings-inference (TEI) (`POST /rerank`, `POST /embed`, `GET /info`, its error bodies) over the roles `rerank` and `embed`. */
export function registerRerankerRoutes(app: FastifyInstance, models: ModelHost, version: string): void {
  void app.register(async (scope) => {
    useErrorFamily(scope, 'tei')
    scope.post('/rerank', (request, reply) => rerank(models, request, reply))
    scope.post('/embed', (request, reply) => embed(models, request, reply))
    scope.get('/info', async () => ({
      model_id: models.modelName('rerank'),
      model_sha: null,
      model_dtype: 'float32',
      model_type: { reranker: { id2label: { '0': 'LABEL_0' }, label2id: { LABEL_0: 0 } } },
      max_client_batch_size: RERANK_MAX_BATCH,
      // Inputs are taken as they come: the limits are those of the request's body and of the models that serve it.
      max_input_length: MAX_INPUT_TOKENS,
      max_batch_tokens: MAX_INPUT_TOKENS * RERANK_MAX_BATCH,
      max_concurrent_requests: 512,
      auto_truncate: false,
      tokenization_workers: 1,
      served_model_name: models.modelName('rerank'),
      version,
    }))
  })
}

async function rerank(models: ModelHost, request: FastifyRequest, reply: FastifyReply): Promise<RerankResponse> {
  const body = parseRequest(RerankRequest, request.body)
  requireBatch(body.texts.length)
  const logits = await upstream(() => models.rerank(body.query, body.texts, callerSignal(request, reply)))
  return logits
    .map((logit, index) => ({ logit, index }))
    .sort((a, b) => b.logit - a.logit || a.index - b.index)
    .map(({ logit, index }) => ({
      index,
      score: body.raw_scores ? logit : sigmoid(logit),
      ...(body.return_text ? { text: body.texts[index]! } : {}),
    }))
}

async function embed(models: ModelHost, request: FastifyRequest, reply: FastifyReply): Promise<number[][]> {
  const { inputs, normalize, dimensions } = parseRequest(EmbedRequest, request.body)
  // The model host returns unit vectors only; ignoring `normalize: false` would go unnoticed.
  if (normalize === false) throw unavailable('normalize: false is not available, vectors are of unit length')
  const texts = typeof inputs === 'string' ? [inputs] : inputs
  requireBatch(texts.length)
  const vectors = await upstream(() => models.embed('embed', texts, 'document', callerSignal(request, reply)))
  const size = vectors[0]!.length
  if (dimensions !== undefined && dimensions !== null && dimensions !== size)
    throw unavailable(`dimensions: the model has ${size}, ${dimensions} are not available`)
  return vectors.map((vector) => Array.from(vector))
}

const unavailable = (problem: string): HttpError => new HttpError(422, problem, { type: 'Validation' })

function requireBatch(size: number): void {
  if (size === 0) throw new HttpError(400, 'The batch is empty', { type: 'Empty' })
  if (size <= RERANK_MAX_BATCH) return
  throw new HttpError(413, `A batch of ${size} texts exceeds the limit of ${RERANK_MAX_BATCH}`, { type: 'Validation' })
}

function sigmoid(logit: number): number {
  return 1 / (1 + Math.exp(-logit))
}

/** TEI reports failed inference as 424, an overloaded backend as 429. */
async function upstream<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call()
  } catch (cause) {
    if (!(cause instanceof ModelCallError)) throw cause
    const overloaded = cause.code === 'rate_limited'
    throw new HttpError(overloaded ? 429 : 424, reasonOf(cause), {
      type: overloaded ? 'Overloaded' : 'Backend',
      headers: modelErrorHeaders(cause),
      cause,
    })
  }
}
