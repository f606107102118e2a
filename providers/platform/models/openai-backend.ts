import { z } from 'zod'
import { describeIssues } from '../../../contract/index.ts'
import type { ChatCompletion, ModelRole, ModelOf } from '../../../contract/index.ts'
import { countTokens } from './builtin/count-tokens.ts'
import type { ModelBackend } from './model-backend.ts'
import { ModelCallError } from './model-host.ts'
import type { OnText, RoleChatRequest } from './model-host.ts'
import { createModelHttp, STREAMED } from './model-http.ts'
import type { ModelHttp, ModelHttpOptions } from './model-http.ts'
import { createStreamedCompletion, StreamFault } from './streamed-completion.ts'
import { answerPieces, splitThinking } from './thinking.ts'
import { unitVectors } from './unit-vectors.ts'
import { UpstreamCompletion } from './upstream-completion.ts'

/** Texts per embedding request: small enough for every known service. */
const EMBEDDING_BATCH = 64

const Embeddings = z.looseObject({
  data: z.array(z.looseObject({ index: z.int().min(0).nullish(), embedding: z.array(z.number()) })),
  usage: z
    .looseObject({ prompt_tokens: z.int().min(0) })
    .optional()
    .catch(undefined),
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
    chat: (request, signal, onText) => chat({ role, choice, http }, request, signal, onText),
    async embed(texts, _side, signal, _statistics, onTokens) {
      const vectors: number[][] = []
      let tokens: number | null = 0
      for (let start = 0; start < texts.length; start += EMBEDDING_BATCH) {
        const batch = texts.slice(start, start + EMBEDDING_BATCH)
        const body = { ...choice.defaults, model: choice.model, input: batch, encoding_format: 'float' }
        const answer = read(role, Embeddings, await http.post('/embeddings', body, signal))
        vectors.push(...inOrder(role, answer, batch.length))
        const { usage } = answer
        tokens = tokens === null || usage === undefined ? null : tokens + usage.prompt_tokens
      }
      if (tokens !== null) onTokens?.(tokens)
      return unitVectors(role, vectors, texts.length)
    },
    close: () => http.close(),
  }
}

interface Service {
  role: ModelRole
  choice: ModelOf<'openai'>
  http: ModelHttp
}

/** Fields that a service refused: they are left out of later requests of this process for the same model at the same address. */
const REFUSED = new Map<string, Set<OptionalField>>()
type OptionalField = 'response_format' | 'stream_options' | 'stream'

async function chat(
  service: Service,
  { reply_schema: schema, ...request }: RoleChatRequest,
  signal?: AbortSignal,
  onText?: OnText,
): Promise<ChatCompletion> {
  const { choice } = service
  const key = `${choice.base_url} ${choice.model}`
  const refused = REFUSED.get(key) ?? new Set()
  REFUSED.set(key, refused)
  // Calls of tools are not streamed: they are of use once they are whole.
  const streams = onText !== undefined && (request.tools?.length ?? 0) === 0
  for (;;) {
    const optional = {
      ...(streams && !refused.has('stream') ? { stream: true } : {}),
      ...(streams && !refused.has('stream') && !refused.has('stream_options')
        ? { stream_options: { include_usage: true } }
        : {}),
      ...(schema === undefined || request.response_format !== undefined || refused.has('response_format')
        ? {}
        : { response_format: schemaFormat(schema) }),
    }
    const body = { ...choice.defaults, ...request, model: choice.model, stream: false, cache: undefined, ...optional }
    try {
      return withoutReasoning(await send(service, body, signal, 'stream' in optional ? onText : undefined))
    } catch (error) {
      const field = refusedField(error, Object.keys(optional) as OptionalField[])
      if (field === null) throw error
      refused.add(field)
    }
  }
}

async function send(
  { role, http }: Service,
  body: object,
  signal: AbortSignal | undefined,
  onText: OnText | undefined,
): Promise<ChatCompletion> {
  if (onText === undefined) return read(role, UpstreamCompletion, await http.post('/chat/completions', body, signal))
  const stream = createStreamedCompletion(answerPieces(onText))
  const value = await http.post('/chat/completions', body, signal, (data) => stream.add(data))
  if (value !== STREAMED) return read(role, UpstreamCompletion, value)
  try {
    return read(role, UpstreamCompletion, stream.whole())
  } catch (error) {
    if (error instanceof StreamFault) throw wrong(role, error.message)
    throw error
  }
}

/** The field of a request that a service named when it refused the request; null where the refusal is about something else. */
function refusedField(error: unknown, sent: readonly OptionalField[]): OptionalField | null {
  if (!(error instanceof ModelCallError) || (error.status !== 400 && error.status !== 422)) return null
  const names: Record<OptionalField, RegExp> = {
    stream_options: /stream_options/i,
    response_format: /response_format|json_schema|structured output/i,
    stream: /\bstream(?:ing)?\b/i,
  }
  return sent.toReversed().find((field) => names[field].test(error.message)) ?? null
}

/** OpenAI's strict mode knows no bounds of texts. */
function schemaFormat(schema: object): object {
  return { type: 'json_schema', json_schema: { name: 'reply', strict: true, schema: withoutTextBounds(schema) } }
}

function withoutTextBounds(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutTextBounds)
  if (typeof schema !== 'object' || schema === null) return schema
  const { minLength, maxLength, ...rest } = schema as Record<string, unknown>
  // A property can have such a name; then its value is a schema.
  const kept = {
    ...(typeof minLength === 'object' ? { minLength } : {}),
    ...(typeof maxLength === 'object' ? { maxLength } : {}),
  }
  return Object.fromEntries(
    Object.entries({ ...rest, ...kept }).map(([name, value]) => [name, withoutTextBounds(value)]),
  )
}

/** Reasoning is no part of the answer. Its tokens are estimated where the service does not report them. */
function withoutReasoning(completion: ChatCompletion): ChatCompletion {
  let reasoning = ''
  const choices = completion.choices.map((choice) => {
    const { content, reasoning_content: apart, reasoning: other } = choice.message
    for (const text of [apart, other]) if (typeof text === 'string') reasoning += text
    const { answer, thinking } = splitThinking(content ?? '')
    if (thinking === '') return choice
    reasoning += thinking
    return { ...choice, message: { ...choice.message, content: answer } }
  })
  const { usage } = completion
  if (reasoning === '' || usage === undefined) return { ...completion, choices }
  const details = (usage['completion_tokens_details'] ?? {}) as Record<string, unknown>
  const tokens = details['reasoning_tokens'] ?? Math.min(countTokens(reasoning), usage.completion_tokens)
  return {
    ...completion,
    choices,
    usage: { ...usage, completion_tokens_details: { ...details, reasoning_tokens: tokens } },
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
