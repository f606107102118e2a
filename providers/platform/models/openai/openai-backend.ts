import { z } from 'zod'
import { rememberSecrets } from '../../../../core/known-secrets.ts'
import { overflowIn } from '../../../../core/model-records/context-overflow.ts'
import { KnownModels, type KnownModel } from '../../../../core/model-records/known-models.ts'
import { describeIssues } from '../../../../core/issues.ts'
import { estimatedUsage } from '../../../../contract/evidence/model-usage.ts'
import type { ChatCompletion } from '../../../../contract/http/chat.ts'
import type { ModelOf } from '../../../../contract/manifests/model-backends.ts'
import type { LearnedOfModel, ModelRecord } from '../../../../contract/manifests/model-record.ts'
import type { ModelRole } from '../../../../contract/manifests/models.ts'
import { isRecord, jsonIn } from '../../../../core/json.ts'
import { countTokens } from '../../../../contract/evidence/count-tokens.ts'
import type { ModelBackend } from '../model-backend.ts'
import { ModelCallError } from '../model-host.ts'
import type { OnText, RoleChatRequest } from '../model-host.ts'
import { createModelHttp, STREAMED } from './model-http.ts'
import type { ModelHttp, ModelHttpOptions } from './model-http.ts'
import { createStreamedCompletion, faultOf, StreamFault } from './streamed-completion.ts'
import { askForWindow, promptTokens } from './context-window.ts'
import { answerPieces, splitThinking } from '../../../../core/thinking.ts'
import { askedInText, withWrittenCalls } from '../text-tools.ts'
import { otherModel } from './answering-model.ts'
import { embedInBatches } from '../learned-batches.ts'
import { UpstreamCompletion } from './upstream-completion.ts'

/** Texts per embedding request: small enough for every known service. */
const EMBEDDING_BATCH = 64

/** Numbers, or the base64 of 32-bit ones that some services send whatever was asked for. */
const Vector = z.union([
  z.array(z.number()),
  z.base64().transform((text) => {
    const bytes = new Uint8Array(Buffer.from(text, 'base64'))
    return [...new Float32Array(bytes.buffer, 0, Math.floor(bytes.byteLength / 4))]
  }),
])

const Embeddings = z.looseObject({
  data: z.array(z.looseObject({ index: z.int().min(0).nullish(), embedding: Vector })),
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
  {
    known: models = new KnownModels(),
    asksWindow = false,
    ...overrides
  }: Partial<ModelHttpOptions> & { known?: KnownModels; asksWindow?: boolean } = {},
): ModelBackend {
  rememberSecrets(apiKey)
  const http = createModelHttp({
    role,
    baseUrl: choice.base_url,
    apiKey,
    timeoutMs: choice.timeout_s * 1000,
    retries: choice.retries,
    ...overrides,
  })
  const known = models.of(choice.base_url, choice.model)
  const service: Service = { role, choice, http, known }
  const learnWindow = async (): Promise<void> => {
    const window = await askForWindow(choice.base_url, choice.model, apiKey)
    if (window !== null) known.learn({ context_window: window })
  }
  const askOnce = (asked: WeakMap<KnownModel, Promise<void>>): Promise<void> => {
    const answer = asked.get(known) ?? learnWindow()
    asked.set(known, answer)
    return answer
  }
  const isUnsure = (): boolean => known.record.context_window === null || known.isKept('context_window')
  return {
    async chat(request, signal, onText) {
      if (asksWindow && known.isKept('context_window')) await askOnce(ASKED_BEFORE)
      const wasUnsure = isUnsure()
      const completion = await chat(service, request, signal, onText)
      // A service that loads a model at its first call knows the window only then; one that cuts prompts without a word is the reason to ask.
      if (asksWindow && wasUnsure && (isUnsure() || ASKED_AFTER.has(known))) {
        await askOnce(ASKED_AFTER)
        // A prompt that exceeds the window was cut where the service names that window; with less room the answer is whole.
        const window = known.record.context_window
        if (window !== null && promptTokens(request) > window) roomFor(service, request, null)
      }
      return completion
    },
    async embed(texts, _side, signal, _statistics, onTokens) {
      const ask = async (batch: readonly string[]) => {
        const body = { ...choice.defaults, model: choice.model, input: batch }
        const answer = await fitted(
          service,
          () => body,
          (sent) => http.post('/embeddings', sent, signal),
        )
        const { data, usage } = read(role, Embeddings, answer)
        known.learn({ reports_usage: usage !== undefined })
        return { embedded: inOrder(role, data, batch.length), tokens: usage?.prompt_tokens ?? null }
      }
      return embedInBatches(role, known, texts, EMBEDDING_BATCH, ask, onTokens)
    },
    close: () => http.close(),
  }
}

/** Models whose window this process has asked for: before its first call where an earlier process has left one, and after a call where it was not told. */
const ASKED_BEFORE = new WeakMap<KnownModel, Promise<void>>()
const ASKED_AFTER = new WeakMap<KnownModel, Promise<void>>()

interface Service {
  role: ModelRole
  choice: ModelOf<'openai'>
  http: ModelHttp
  known: KnownModel
}

/** Most tokens of an answer, reasoning included, where neither the caller nor the connection says. */
const ROOM_TOKENS = 4096
const EXTRACTION_ROOM_TOKENS = 8192
/** An answer with less room than this is no use. */
const LEAST_ROOM_TOKENS = 256

/**
 * The limit of tokens that a request gets; throws where its prompt leaves no room in the window. A window that an earlier process has learned
 * neither refuses a prompt nor shortens an answer: it is dropped, and the service's answer teaches it again.
 */
function roomFor(service: Service, request: RoleChatRequest, measured: number | null): number {
  const { role, choice, known } = service
  const usual = role === 'graph_extract' ? EXTRACTION_ROOM_TOKENS : ROOM_TOKENS
  const wanted = request.max_tokens ?? usual
  const window = known.record.context_window
  if (window === null) return wanted
  const prompt = measured ?? promptTokens(request)
  // An estimate can be too small: a request that is refused for it would be made twice, each time.
  const counted = measured ?? Math.ceil(prompt * 1.15) + 64
  if (window - counted < wanted && known.dropKept('context_window')) return wanted
  if (window - prompt >= LEAST_ROOM_TOKENS) return Math.min(wanted, Math.max(LEAST_ROOM_TOKENS, window - counted))
  known.refresh()
  if (known.record.context_window !== window) return roomFor(service, request, measured)
  const remedy = `Start the service with a larger context, or hand over less text (the context budget). If its context is larger now, test the model set on the page Models`
  const detail = `the prompt has about ${prompt} tokens, but the context of ${choice.model} holds ${window} with the answer. ${remedy}`
  throw new ModelCallError('context_length_exceeded', role, detail, { detail })
}

/**
 * Posts a request as the model takes it; what it refuses by name is left out, and asked again. `make` is called for each
 * attempt, with the tokens of the prompt where the service has counted them.
 */
async function fitted<Answer>(
  { known }: Service,
  make: (measured: number | null) => Record<string, unknown>,
  post: (body: Record<string, unknown>) => Promise<Answer>,
): Promise<Answer> {
  let measured: number | null = null
  for (;;) {
    const wanted = make(measured)
    known.dropExceeded(wanted)
    const sent = known.fit(wanted)
    try {
      return await post(sent)
    } catch (error) {
      if (!(error instanceof ModelCallError) || error.said === null) throw error
      if (error.code === 'context_length_exceeded') {
        const { window, prompt } = overflowIn(error.said.text)
        if (window !== null) known.learn({ context_window: window })
        // Some refuse a prompt that fits together with the longest answer that is asked for.
        const fits = window !== null && prompt !== null && window - prompt >= LEAST_ROOM_TOKENS
        if (!fits || measured !== null) throw error
        measured = prompt
        continue
      }
      if (!known.learnRefusal({ status: error.status, ...error.said }, sent)) throw error
    }
  }
}

async function chat(
  service: Service,
  { reply_schema: schema, temperature, ...request }: RoleChatRequest,
  signal?: AbortSignal,
  onText?: OnText,
): Promise<ChatCompletion> {
  const { choice, known } = service
  const { temperature: declared, ...defaults } = choice.defaults
  // Calls of tools are not streamed: they are of use once they are whole.
  const tools = request.tool_choice === 'none' ? [] : (request.tools ?? [])
  const streams = onText !== undefined && tools.length === 0
  const writesCalls = (): boolean => tools.length > 0 && known.refuses('tools')
  // A limit of the connection is its own business; a caller's holds in any case.
  const hasLimit =
    ['max_tokens', 'max_completion_tokens'].some((field) => field in defaults) || 'max_completion_tokens' in request
  const make = (measured: number | null): Record<string, unknown> => {
    const room = roomFor(service, { ...request, reply_schema: schema }, measured)
    return {
      ...defaults,
      // What approaches send is their default: that of the connection replaces it, and null sends none.
      temperature: declared === undefined ? temperature : (declared ?? undefined),
      ...request,
      ...(writesCalls() ? { messages: askedInText(request) } : {}),
      model: choice.model,
      cache: undefined,
      max_tokens: hasLimit ? (request.max_tokens ?? defaults['max_tokens']) : room,
      stream: streams,
      stream_options: streams ? { include_usage: true } : undefined,
      response_format: request.response_format ?? (schema === undefined ? undefined : schemaFormat(schema)),
    }
  }
  let sent: Record<string, unknown> = {}
  const received = await fitted(service, make, (body) => {
    sent = body
    return send(service, body, signal, body['stream'] === true ? onText : undefined)
  })
  const { completion, reasoning } = withoutReasoning(received)
  const whole = received.choices[0]!.message.content
  const answer =
    tools.length === 0 ? completion : withWrittenCalls(completion, tools, { answers: writesCalls(), whole })
  const other = otherModel(choice.model, received.model)
  known.learn({
    ...(reasoning === null ? {} : { reasoning }),
    ...shownBy(answer, completion, sent),
    // A router names another one with each answer: the first is kept.
    answers_as: other === null ? null : (known.record.answers_as ?? other),
  })
  if (answer.usage !== undefined) return answer
  const written = countTokens(JSON.stringify(received.choices[0]!.message))
  return { ...answer, usage: estimatedUsage(promptTokens({ ...request, reply_schema: schema }), written) }
}

/** True for JSON with every field that the schema of the request requires. */
function fitsSchema(text: string, format: unknown): boolean {
  const value = jsonIn(text)
  const asked = isRecord(format) && isRecord(format['json_schema']) ? format['json_schema']['schema'] : null
  const required = isRecord(asked) && Array.isArray(asked['required']) ? asked['required'] : []
  return isRecord(value) && required.every((field) => Object.hasOwn(value, String(field)))
}

/** Returns what an answer shows of its model: how it ends, whether it keeps to a schema, how it calls tools. */
function shownBy(answer: ChatCompletion, received: ChatCompletion, sent: Record<string, unknown>): LearnedOfModel {
  const { finish_reason: ending, message } = received.choices[0]!
  const hasCalls = ({ choices }: ChatCompletion): boolean => (choices[0]!.message.tool_calls?.length ?? 0) > 0
  const text = message.content ?? ''
  const isKept = fitsSchema(text, sent['response_format'])
  return {
    finish_reasons: ending === null ? [] : [ending],
    reports_usage: received.usage !== undefined,
    ...(hasCalls(answer) ? { tools: hasCalls(received) ? ('native' as const) : ('text' as const) } : {}),
    // What was cut may have been JSON.
    ...(sent['response_format'] === undefined || text === '' || (ending === 'length' && !isKept)
      ? {}
      : { schema: isKept ? ('kept' as const) : ('ignored' as const) }),
  }
}

async function send(
  { role, http, known }: Service,
  body: object,
  signal: AbortSignal | undefined,
  onText: OnText | undefined,
): Promise<ChatCompletion> {
  if (onText === undefined) return readChat(role, await http.post('/chat/completions', body, signal))
  const stream = createStreamedCompletion(answerPieces(onText))
  const value = await http.post('/chat/completions', body, signal, stream)
  known.learn({ streams: value === STREAMED })
  if (value !== STREAMED) return readChat(role, value)
  try {
    return readChat(role, stream.whole())
  } catch (error) {
    if (error instanceof StreamFault) throw wrong(role, error.message)
    throw error
  }
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

/** Throws where the service withheld the answer, or the model refused in the field that some services have for it. */
function requireAnswer(role: ModelRole, { finish_reason: ending, message }: ChatCompletion['choices'][number]): void {
  const refusal = (message as { refusal?: unknown }).refusal
  if (ending === 'content_filter')
    throw new ModelCallError('content_filtered', role, `The model service of role ${role} filtered its answer`)
  if (typeof refusal !== 'string' || refusal.trim() === '' || (message.content ?? '').trim() !== '') return
  const said = { text: refusal, param: null }
  throw new ModelCallError('refused', role, `The model of role ${role} refused: ${refusal}`, { said })
}

/** A completion. Services behind another report their failure inside a choice. Throws `ModelCallError`. */
function readChat(role: ModelRole, value: unknown): ChatCompletion {
  const completion = read(role, UpstreamCompletion, value)
  const choice = completion.choices[0]!
  requireAnswer(role, choice)
  if (choice.finish_reason !== 'error') return completion
  const text = faultOf((choice as { error?: unknown }).error) ?? 'an error without words'
  const message = `The model service of role ${role} reported inside its answer: ${text}`
  throw new ModelCallError('upstream_error', role, message, { said: { text, param: null } })
}

/** Reasoning is not part of the answer. Its tokens are estimated where the service does not report them. */
function withoutReasoning(completion: ChatCompletion): { completion: ChatCompletion } & Pick<ModelRecord, 'reasoning'> {
  let reasoning = ''
  let form: ModelRecord['reasoning'] = null
  const choices = completion.choices.map((choice) => {
    const { content, reasoning_content: apart, reasoning: other } = choice.message
    for (const text of [apart, other]) if (typeof text === 'string') reasoning += text
    if (reasoning !== '') form = 'field'
    const { answer, thinking } = splitThinking(content ?? '')
    if (thinking === '') return choice
    reasoning += thinking
    form = 'text'
    return { ...choice, message: { ...choice.message, content: answer } }
  })
  const { usage } = completion
  if (reasoning === '' || usage === undefined) return { completion: { ...completion, choices }, reasoning: form }
  const details = (usage['completion_tokens_details'] ?? {}) as Record<string, unknown>
  const tokens = details['reasoning_tokens'] ?? Math.min(countTokens(reasoning), usage.completion_tokens)
  const counted = { ...usage, completion_tokens_details: { ...details, reasoning_tokens: tokens } }
  return { completion: { ...completion, choices, usage: counted }, reasoning: form }
}

function read<Schema extends z.ZodType>(role: ModelRole, schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw wrong(role, describeIssues(parsed.error).slice(0, 3).join('; '))
}

function inOrder(role: ModelRole, data: z.output<typeof Embeddings>['data'], count: number): number[][] {
  const vectors = new Array<number[] | undefined>(count)
  for (const [position, { index, embedding }] of data.entries()) vectors[index ?? position] = embedding
  if (data.length !== count || vectors.length !== count || vectors.includes(undefined)) {
    throw wrong(role, `expected embeddings 0 to ${count - 1} once each, received ${data.length}`)
  }
  return vectors as number[][]
}

function wrong(role: ModelRole, problem: string): ModelCallError {
  return new ModelCallError(
    'invalid_response',
    role,
    `The model of role ${role} answered in an unknown form: ${problem}`,
    { detail: `the upstream answered in an unknown form: ${problem}` },
  )
}
