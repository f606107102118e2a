import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, request } from 'undici'
import type { Dispatcher } from 'undici'
import type { ModelRole } from '../../../contract/index.ts'
import { DONE, eventData, EventStreamTooLong } from '../event-reader.ts'
import { readLimited } from '../read-limited.ts'
import { ModelCallError } from './model-host.ts'
import type { ModelCallErrorCode } from './model-host.ts'
import { retryAfterMs, retryDelayMs } from './retry-policy.ts'
import { StreamFault } from './streamed-completion.ts'

/** Largest answer that is read from a model service. */
const MODEL_RESPONSE_LIMIT_BYTES = 32 * 1024 * 1024

export interface ModelHttpOptions {
  role: ModelRole
  baseUrl: string
  apiKey: string | null
  /** Time for one try, from sending to the last byte. */
  timeoutMs: number
  /** Further tries after a 429, a 5xx or a failed connection. */
  retries: number
  responseLimitBytes?: number
  /** Waits between tries; tests replace it to see the delays. */
  wait?: (delayMs: number, signal?: AbortSignal) => Promise<void>
}

/** JSON over HTTP to one model service, with its retries. */
export interface ModelHttp {
  /**
   * The parsed JSON answer; throws `ModelCallError` after the last try, and the signal's reason when it is aborted. With `onEvent`, an answer of
   * server-sent events is passed on as the data of each, and the result is `STREAMED`; what fails after the first event is not tried again.
   */
  post(path: string, body: unknown, signal?: AbortSignal, onEvent?: (data: string) => void): Promise<unknown>
  close(): Promise<void>
}

/** The result of a request whose answer came as events. */
export const STREAMED = Symbol('streamed')

interface Failure {
  error: ModelCallError
  retryable: boolean
  askedMs: number | null
}

/** Opens a client with its own connection pool. */
export function createModelHttp(options: ModelHttpOptions): ModelHttp {
  const agent = new Agent({ connections: 64, keepAliveTimeout: 30_000, headersTimeout: 0, bodyTimeout: 0 })
  const wait = options.wait ?? ((delayMs, signal) => sleep(delayMs, undefined, { signal }))
  return {
    async post(path, body, signal, onEvent) {
      const payload = JSON.stringify(body)
      for (let attempt = 0; ; attempt += 1) {
        const outcome = await tryOnce(options, agent, { path, payload, onEvent }, signal)
        if (outcome.ok) return outcome.value
        if (!outcome.failure.retryable || attempt >= options.retries) throw outcome.failure.error
        await wait(retryDelayMs(attempt, outcome.failure.askedMs, Math.random()), signal)
      }
    },
    close: () => agent.destroy(),
  }
}

type Outcome = { ok: true; value: unknown } | { ok: false; failure: Failure }

async function tryOnce(
  options: ModelHttpOptions,
  agent: Agent,
  { path, payload, onEvent }: { path: string; payload: string; onEvent: ((data: string) => void) | undefined },
  signal: AbortSignal | undefined,
): Promise<Outcome> {
  signal?.throwIfAborted()
  const timeout = AbortSignal.timeout(options.timeoutMs)
  const limitBytes = options.responseLimitBytes ?? MODEL_RESPONSE_LIMIT_BYTES
  let events = 0
  try {
    const response = await request(`${options.baseUrl.replace(/\/+$/, '')}${path}`, {
      method: 'POST',
      dispatcher: agent,
      signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
      headers: {
        'content-type': 'application/json',
        accept: onEvent === undefined ? 'application/json' : 'text/event-stream, application/json',
        ...(options.apiKey === null ? {} : { authorization: `Bearer ${options.apiKey}` }),
      },
      body: payload,
    })
    if (onEvent !== undefined && isEventStream(response)) {
      for await (const data of eventData(response.body, limitBytes)) {
        events += 1
        onEvent(data)
        if (data === DONE) break
      }
      return { ok: true, value: STREAMED }
    }
    const text = await readLimited(response.body, limitBytes)
    if (text === null)
      return refuse(options, 'invalid_response', 'sent more than the size limit', { status: response.statusCode })
    if (response.statusCode >= 200 && response.statusCode < 300) return parse(options, text, response.statusCode)
    return statusFailure(options, response, text)
  } catch (error) {
    signal?.throwIfAborted()
    if (timeout.aborted)
      return refuse(options, 'timeout', `gave no complete answer within ${options.timeoutMs} ms`, { cause: error })
    if (error instanceof EventStreamTooLong)
      return refuse(options, 'invalid_response', 'sent more than the size limit', { cause: error })
    if (error instanceof StreamFault)
      return refuse(options, 'upstream_error', `failed while it answered: ${error.message}`, { cause: error })
    if (events > 0)
      return refuse(options, 'unreachable', `interrupted its answer: ${connectionProblem(error)}`, { cause: error })
    return refuse(options, 'unreachable', `cannot be reached: ${connectionProblem(error)}`, {
      cause: error,
      retryable: true,
    })
  }
}

function isEventStream({ statusCode, headers }: Dispatcher.ResponseData): boolean {
  const type = headers['content-type']
  return statusCode >= 200 && statusCode < 300 && typeof type === 'string' && type.includes('text/event-stream')
}

function parse(options: ModelHttpOptions, text: string, status: number): Outcome {
  let value: unknown
  try {
    value = JSON.parse(text) as unknown
  } catch (cause) {
    return refuse(options, 'invalid_response', 'answered with something that is not JSON', { status, cause })
  }
  if (!isError(value)) return { ok: true, value }
  return refuse(options, 'invalid_response', `answered HTTP ${status} with an error: ${upstreamMessage(text)}`, {
    status,
  })
}

/** LM Studio answers an address that it does not have with 200 and an error, some hosts of vLLM every error. */
function isError(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || 'choices' in value || 'data' in value) return false
  const { error, object } = value as { error?: unknown; object?: unknown }
  return object === 'error' || typeof error === 'string' || (typeof error === 'object' && error !== null)
}

function statusFailure(options: ModelHttpOptions, response: Dispatcher.ResponseData, text: string): Outcome {
  const status = response.statusCode
  const header = response.headers['retry-after']
  const code = tooLong(status, text) ? 'context_length_exceeded' : codeOfStatus(status)
  return refuse(options, code, `answered HTTP ${status}: ${upstreamMessage(text)}`, {
    status,
    retryable: status === 429 || status >= 500,
    askedMs: retryAfterMs(Array.isArray(header) ? header[0] : header, Date.now()),
  })
}

/** What services answer when a prompt does not fit: OpenAI and vLLM by code, llama.cpp, Ollama, Gemini and others in words only. */
const TOO_LONG =
  /context[_ -]?(?:length|window|size)|maximum context|prompt is too long|input is too long|too many (?:input )?tokens|token count exceeds|exceed_context/i

function tooLong(status: number, text: string): boolean {
  return (status === 400 || status === 413 || status === 422) && TOO_LONG.test(text.slice(0, 10_000))
}

function codeOfStatus(status: number): ModelCallErrorCode {
  if (status === 401 || status === 403) return 'unauthorized'
  if (status === 404) return 'unknown_model'
  if (status === 429) return 'rate_limited'
  if (status === 408 || status === 504) return 'timeout'
  return status >= 400 && status < 500 ? 'bad_request' : 'upstream_error'
}

function refuse(
  options: ModelHttpOptions,
  code: ModelCallErrorCode,
  problem: string,
  more: { status?: number; cause?: unknown; retryable?: boolean; askedMs?: number | null } = {},
): Outcome {
  const message = `The model service of role ${options.role} at ${new URL(options.baseUrl).origin} ${problem}`
  const error = new ModelCallError(code, options.role, message, {
    status: more.status ?? null,
    retryAfterMs: more.askedMs ?? null,
    cause: more.cause,
  })
  return { ok: false, failure: { error, retryable: more.retryable ?? false, askedMs: more.askedMs ?? null } }
}

/** The sentence inside an error body of any known family, cut to 300 characters. */
function upstreamMessage(text: string): string {
  try {
    const body = JSON.parse(text) as { error?: { message?: unknown } | string; detail?: unknown; message?: unknown }
    const nested = typeof body.error === 'object' ? body.error.message : body.error
    const message = nested ?? body.message ?? body.detail
    if (typeof message === 'string') return message.slice(0, 300)
  } catch {
    // Proxies answer with HTML: its start is all that can be reported.
  }
  return text.slice(0, 300)
}

function connectionProblem(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = (error as NodeJS.ErrnoException).code
  return code !== undefined && code !== '' ? `${code} ${error.message}`.trim() : error.message
}
