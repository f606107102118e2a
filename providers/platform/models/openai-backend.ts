import { z } from 'zod'
import { describeIssues } from '../../../contract/index.ts'
import type { ModelRole, ModelOf } from '../../../contract/index.ts'
import type { ModelBackend } from './model-backend.ts'
import { UpstreamCompletion } from './upstream-completion.ts'
import { ModelCallError } from './model-host.ts'
import { createModelHttp } from './model-http.ts'
import type { ModelHttpOptions } from './model-http.ts'
import { unitVectors } from './unit-vectors.ts'

/** Texts per embedding request: small enough for every known service. */
const EMBEDDING_BATCH = 64

const Embeddings = z.looseObject({
  data: z.array(z.looseObject({ index: z.int().min(0).nullish(), embedding: z.array(z.number()) })),
})

/** A model at any OpenAI-compatible base address (with its `/v1`, where it has one): chat and embeddings. */
export function createOpenAiBackend(
  role: ModelRole,
  choice: ModelOf<'openai'>,
  apiKey: string | null,
  overrides: Partial<ModelHttpOptions> = {},
): ModelBackend {
  const http = createModelHttp({
    role,
    baseUrl: choice.base_url,
    apiKey,
    timeoutMs: choice.timeout_s * 1000,
    retries: choice.retries,
    ...overrides,
  })
  return {
    async chat(request, signal) {
      const body = {
        ...choice.defaults,
        ...request,
        model: choice.model,
        stream: false,
        cache: undefined,
        reply_schema: undefined,
      }
      return read(role, UpstreamCompletion, await http.post('/chat/completions', body, signal))
    },
    async embed(texts, _side, signal) {
      const vectors: number[][] = []
      for (let start = 0; start < texts.length; start += EMBEDDING_BATCH) {
        const batch = texts.slice(start, start + EMBEDDING_BATCH)
        const body = { ...choice.defaults, model: choice.model, input: batch, encoding_format: 'float' }
        const answer = read(role, Embeddings, await http.post('/embeddings', body, signal))
        vectors.push(...inOrder(role, answer, batch.length))
      }
      return unitVectors(role, vectors, texts.length)
    },
    close: () => http.close(),
  }
}

function read<Schema extends z.ZodType>(role: ModelRole, schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw wrong(role, describeIssues(parsed.error).slice(0, 3).join('; '))
}

function inOrder(role: ModelRole, answer: z.output<typeof Embeddings>, count: number): number[][] {
  const vectors = new Array<number[] | undefined>(count)
  for (const [position, { index, embedding }] of answer.data.entries()) vectors[index ?? position] = embedding
  if (answer.data.length !== count || vectors.length !== count || vectors.includes(undefined)) {
    throw wrong(role, `expected embeddings 0 to ${count - 1} once each, received ${answer.data.length}`)
  }
  return vectors as number[][]
}

function wrong(role: ModelRole, problem: string): ModelCallError {
  return new ModelCallError(
    'invalid_response',
    role,
    `The model of role ${role} answered in an unknown form: ${problem}`,
  )
}
