// The test of a connection to a model service: its models are listed, and one chat, one answer in JSON and one embedding are requested. Each
// request has a deadline of its own, follows no redirect (a key must not leave its address) and is neither repeated nor cached.
import { connectionKind, connectionOfStoredKey, type ConnectionKind } from '../../contract/index.ts'
import { serviceText } from './known-secrets.ts'
import { limitedText } from './limited-text.ts'
import { jsonIn } from './read-json.ts'

const PROBES = ['models', 'chat', 'structured', 'embedding'] as const
export type Probe = (typeof PROBES)[number]

export interface ProbeResult {
  probe: Probe
  /** `unsupported`: the service answered that it does not do this, which matters only to a role that needs it. */
  status: 'passed' | 'failed' | 'unsupported' | 'skipped'
  model: string | null
  latencyMs: number | null
  /** What was found: number of models, tokens per second, dimensions. */
  finding: string | null
  /** What is wrong, in the service's own words where it has some. */
  error: string | null
  remedy: string | null
}

export interface ConnectionTest {
  kind: ConnectionKind
  baseUrl: string
  key: string | null
  /** Variable that holds the key, for the remedy. */
  keyName: string | null
  /** Null takes the first that is listed and not named like an embedding model. */
  model: string | null
  /** Null takes the first that is named like one. */
  embeddingModel: string | null
  /** Request fields of calls that generate text, in place of those of the kind. */
  generationDefaults?: Readonly<Record<string, unknown>>
  /** Asks for the models and makes no further request. */
  listOnly?: boolean
  /** For each request. */
  timeoutMs: number
  signal?: AbortSignal
}

export interface TestedConnection {
  probes: ProbeResult[]
  /** Names of all models that the service lists. */
  models: string[]
}

/** More than any of these answers has. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024
const SHOWN_CHARACTERS = 300
const EMBEDDING_NAME = /embed|(?:^|[/-])(?:bge|e5|gte|minilm|nomic)\b/i

const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
}

/** Tests a connection. Never rejects for what the service does; each failure is a result. */
export async function testConnection(test: ConnectionTest): Promise<TestedConnection> {
  const listed = await listModels(test)
  // Every further request would fail in the same way.
  const isReached = listed.result.status !== 'failed' || test.model !== null || test.embeddingModel !== null
  const generation = test.model ?? listed.models.find((name) => !EMBEDDING_NAME.test(name)) ?? null
  const embedding = test.embeddingModel ?? listed.models.find((name) => EMBEDDING_NAME.test(name)) ?? null
  const probes = [listed.result]
  if (test.listOnly === true || !isReached || listed.isUnreachable) return { probes, models: listed.models }
  probes.push(
    generation === null ? skipped('chat', 'no model is listed for it') : await chat(test, generation),
    generation === null ? skipped('structured', 'no model is listed for it') : await structured(test, generation),
    await embed(test, embedding),
  )
  return { probes, models: listed.models }
}

const skipped = (probe: Probe, finding: string): ProbeResult => ({
  probe,
  status: 'skipped',
  model: null,
  latencyMs: null,
  finding,
  error: null,
  remedy: null,
})

type Reply =
  | { ok: true; body: unknown; latencyMs: number }
  | { ok: false; isUnreachable: boolean; status: number | null; error: string; remedy: string; latencyMs: number }

type Failed = Extract<Reply, { ok: false }>

const failure = (
  probe: Probe,
  model: string | null,
  { error, remedy, latencyMs }: Omit<Failed, 'ok' | 'isUnreachable' | 'status'>,
): ProbeResult => ({
  probe,
  status: 'failed',
  model,
  latencyMs,
  finding: null,
  error,
  remedy,
})

const passed = (probe: Probe, model: string | null, latencyMs: number, finding: string): ProbeResult => ({
  probe,
  status: 'passed',
  model,
  latencyMs,
  finding,
  error: null,
  remedy: null,
})

async function listModels(
  test: ConnectionTest,
): Promise<{ result: ProbeResult; models: string[]; isUnreachable: boolean }> {
  const reply = await ask(test, 'GET', '/models', null, null)
  if (!reply.ok) return { result: failure('models', null, reply), models: [], isUnreachable: reply.isUnreachable }
  const data = fieldOf(reply.body, 'data')
  if (!Array.isArray(data)) {
    const wrong = {
      error: `${addressOf(test, '/models')} answered JSON without a list "data"`,
      remedy: 'Check that the address is that of an OpenAI-compatible service, with its version path such as /v1.',
      latencyMs: reply.latencyMs,
    }
    return { result: failure('models', null, wrong), models: [], isUnreachable: false }
  }
  const models = data.flatMap((each: unknown) => {
    const id = fieldOf(each, 'id')
    return typeof id === 'string' ? [id] : []
  })
  const finding = models.length === 1 ? '1 model' : `${models.length} models`
  return { result: passed('models', null, reply.latencyMs, finding), models, isUnreachable: false }
}

async function chat(test: ConnectionTest, model: string): Promise<ProbeResult> {
  const messages = [{ role: 'user', content: 'Answer with the one word: ready' }]
  const reply = await ask(test, 'POST', '/chat/completions', model, { ...generation(test, model), messages })
  if (!reply.ok) return failure('chat', model, reply)
  const text = contentOf(reply.body)
  if (text === null) return failure('chat', model, withoutContent(reply.latencyMs))
  const tokens = fieldOf(fieldOf(reply.body, 'usage'), 'completion_tokens')
  const rate =
    typeof tokens === 'number' && reply.latencyMs > 0
      ? `${((tokens * 1000) / reply.latencyMs).toFixed(1)} tokens/s`
      : 'the service reports no tokens'
  return passed('chat', model, reply.latencyMs, rate)
}

const withoutContent = (latencyMs: number) => ({
  error: 'the answer has no text in choices[0].message.content',
  remedy:
    'A model that reasons may have spent all tokens on it: switch reasoning off, for example with defaults: { reasoning_effort: none }.',
  latencyMs,
})

async function structured(test: ConnectionTest, model: string): Promise<ProbeResult> {
  const messages = [{ role: 'user', content: 'Which city is the capital of France? Answer in JSON: {"city": "…"}' }]
  const format = { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema: SCHEMA } }
  const reply = await ask(test, 'POST', '/chat/completions', model, {
    ...generation(test, model),
    messages,
    response_format: format,
  })
  if (!reply.ok) {
    const isRefused = reply.status === 400 || reply.status === 422 || reply.status === 501
    const result = failure('structured', model, reply)
    return isRefused
      ? { ...result, status: 'unsupported', remedy: 'Roles that need JSON ask this service for plain text instead.' }
      : result
  }
  const text = contentOf(reply.body)
  if (text === null) return failure('structured', model, withoutContent(reply.latencyMs))
  if (typeof fieldOf(jsonIn(text), 'city') === 'string')
    return passed('structured', model, reply.latencyMs, 'JSON as the schema requires')
  return {
    ...failure('structured', model, {
      error: `the answer is not JSON as the schema requires: ${serviceText(text, SHOWN_CHARACTERS)}`,
      remedy:
        'The service ignores response_format. Roles that need JSON read it out of plain text; a larger model fails less often.',
      latencyMs: reply.latencyMs,
    }),
    status: 'unsupported',
  }
}

async function embed(test: ConnectionTest, model: string | null): Promise<ProbeResult> {
  if (!connectionKind(test.kind).hasEmbeddings)
    return skipped('embedding', `${connectionKind(test.kind).label} has no embeddings: use another model for embed`)
  if (model === null) return skipped('embedding', 'no embedding model is named or recognized in the list')
  const body = { model, input: ['ready'], encoding_format: 'float' }
  const reply = await ask(test, 'POST', '/embeddings', model, body)
  if (!reply.ok) {
    const hasNoRoute =
      reply.status === 405 || reply.status === 501 || (reply.status === 404 && !/model/i.test(reply.error))
    const result = failure('embedding', model, reply)
    return hasNoRoute
      ? {
          ...result,
          status: 'unsupported',
          remedy: 'This service has no embeddings: use another model for embed and evaluator_embed.',
        }
      : result
  }
  const data = fieldOf(reply.body, 'data')
  const vector: unknown = Array.isArray(data) ? fieldOf(data[0], 'embedding') : null
  if (Array.isArray(vector) && vector.length > 0 && vector.every(Number.isFinite))
    return passed('embedding', model, reply.latencyMs, `${vector.length} dimensions`)
  return failure('embedding', model, {
    error: 'the answer has no list of numbers in data[0].embedding',
    remedy: `Check that ${model} is an embedding model.`,
    latencyMs: reply.latencyMs,
  })
}

const generation = ({ kind, generationDefaults }: ConnectionTest, model: string) => ({
  ...(generationDefaults ?? connectionKind(kind).generationDefaults),
  model,
  stream: false,
  // OpenAI's newer models refuse max_tokens, which other services know only.
  [kind === 'openai' ? 'max_completion_tokens' : 'max_tokens']: kind === 'openai' ? 2048 : 256,
})

const addressOf = ({ baseUrl }: ConnectionTest, route: string): string => `${baseUrl.replace(/\/+$/, '')}${route}`

async function ask(
  test: ConnectionTest,
  method: 'GET' | 'POST',
  route: string,
  model: string | null,
  body: object | null,
): Promise<Reply> {
  const address = addressOf(test, route)
  const deadline = AbortSignal.timeout(test.timeoutMs)
  const signal = test.signal === undefined ? deadline : AbortSignal.any([deadline, test.signal])
  const { key, kind } = test
  const started = performance.now()
  const elapsed = (): number => Math.round(performance.now() - started)
  try {
    const response = await fetch(address, {
      method,
      signal,
      redirect: 'manual',
      headers: {
        accept: 'application/json',
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(key !== null && route === '/models' ? connectionKind(kind).listHeaders?.(key) : {}),
        ...(body === null ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === null ? {} : { body: JSON.stringify(body) }),
    })
    const text = await limitedText(response.body, MAX_ANSWER_BYTES)
    const latencyMs = elapsed()
    if (!response.ok) {
      const { status } = response
      const reason = errorTextOf(text)
      const error = `${method} ${address} answered ${status}${reason === '' ? '' : `: ${reason}`}`
      return {
        ok: false,
        isUnreachable: false,
        status,
        error,
        remedy: remedyOf(test, response, model, reason),
        latencyMs,
      }
    }
    const json = jsonIn(text)
    if (json !== undefined) return { ok: true, body: json, latencyMs }
    const what = /^\s*</.test(text) ? 'a web page' : 'no JSON'
    return {
      ok: false,
      isUnreachable: false,
      status: null,
      error: `${method} ${address} answered with ${what}: ${serviceText(text.trim(), 80)}`,
      remedy:
        'The address is that of another program or of a page: check port and path; most services need /v1 at the end.',
      latencyMs,
    }
  } catch (error) {
    return {
      ok: false,
      isUnreachable: true,
      status: null,
      latencyMs: elapsed(),
      ...unreached(test, method, address, deadline, error),
    }
  }
}

function unreached(
  { kind, timeoutMs }: ConnectionTest,
  method: string,
  address: string,
  deadline: AbortSignal,
  error: unknown,
): { error: string; remedy: string } {
  const { label } = connectionKind(kind)
  if (deadline.aborted)
    return {
      error: `${method} ${address} did not answer within ${timeoutMs / 1000} s`,
      remedy: `${label} may still be loading the model: test again, or set a longer --timeout.`,
    }
  const cause = (error as Error).cause as NodeJS.ErrnoException | undefined
  const code = cause?.code ?? (error as Error).name
  if (code === 'ECONNREFUSED')
    return { error: `nothing listens at ${address}`, remedy: `Start ${label}, or correct the address and its port.` }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return { error: `the host of ${address} is unknown`, remedy: 'Correct the address, or check the network.' }
  return {
    error: `${method} ${address} failed: ${serviceText(cause?.message ?? (error as Error).message, SHOWN_CHARACTERS)}`,
    remedy: `Check that ${label} is running and that the address begins with the right scheme, http or https.`,
  }
}

function remedyOf(
  { keyName, key, kind }: ConnectionTest,
  { status, headers }: Response,
  model: string | null,
  reason: string,
): string {
  if (status >= 300 && status < 400)
    return `The service is at another address: ${serviceText(headers.get('location') ?? 'not named', SHOWN_CHARACTERS)}. Use that one.`
  if (status === 401 || status === 403) {
    if (keyName === null)
      return 'The service needs a key: store one (rag-ladder models key set NAME, or Key on the page Models), or name the variable that holds it.'
    const connection = connectionOfStoredKey(keyName)
    if (connection !== null)
      return `Check the stored key of ${connection} and what it is allowed to use. Replace it on the page Models, or: rag-ladder models key set ${connection}`
    return key === null
      ? `Set ${keyName} to a key of this service.`
      : `Check the key in ${keyName} and what it is allowed to use.`
  }
  if (status === 404 && (model === null || !/model/i.test(reason)))
    return 'The address has no such route: check its path; most services need /v1 at the end.'
  if (status === 404)
    return kind === 'ollama'
      ? `Fetch it with: ollama pull ${model}`
      : `Use one of the models that the service lists instead of ${model}.`
  if (status === 429) return 'The limit or the credit of this key is used up: wait, or check the account.'
  if (status >= 500) return 'The service itself failed: its own log names the cause.'
  return 'The service refuses the request: its message names the cause.'
}

/** The message in an error body of any of these services, without credentials. */
function errorTextOf(text: string): string {
  const json = jsonIn(text)
  const error = fieldOf(json, 'error')
  const found = [fieldOf(error, 'message'), error, fieldOf(json, 'message'), fieldOf(json, 'detail')].find(
    (each): each is string => typeof each === 'string',
  )
  return serviceText((found ?? text).trim(), SHOWN_CHARACTERS)
}

function contentOf(body: unknown): string | null {
  const choices = fieldOf(body, 'choices')
  const content = Array.isArray(choices) ? fieldOf(fieldOf(choices[0], 'message'), 'content') : null
  return typeof content === 'string' && content.trim() !== '' ? content : null
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined
