import { setTimeout as sleep } from 'node:timers/promises'
import type { ModelRole } from '../../../../contract/manifests/models.ts'
import { refusedBy } from '../../../../core/http/access-refused.ts'
import { DONE, eventData } from '../../../../core/http/event-stream.ts'
import {
  createHttpClient,
  HttpFault,
  type HttpAnswer,
  type HttpCall,
  type HttpClient,
} from '../../../../core/http/http-client.ts'
import { Pace } from '../../../../core/http/pace.ts'
import { bytesOf } from '../../../../core/http/bodies.ts'
import { askedPauseMs, isTemporary, waitFor } from '../../../../core/http/pauses.ts'
import { retry, type RetryRules, type Tried } from '../../../../core/http/retry.ts'
import { isPage, saidBy, saidIn, type Said } from '../../../../core/http/said.ts'
import { jsonIn } from '../../../../core/json.ts'
import { serviceText } from '../../../../core/known-secrets.ts'
import { isUsedUp } from '../../../../core/used-up-credit.ts'
import { step, type StepEnd } from '../../trace/trace.ts'
import { countTry, modelWait } from '../model-waits.ts'
import { ModelCallError } from '../model-host.ts'
import type { ModelCallErrorCode } from '../model-host.ts'
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
  /** Shared by all that call this service; its own unless given. */
  pace?: Pace
  /** Waits between tries; tests replace it to see the delays. */
  wait?: (delayMs: number, signal?: AbortSignal) => Promise<void>
}

/** JSON over HTTP to one model service, with its retries. */
export interface ModelHttp {
  /**
   * The parsed JSON answer; throws `ModelCallError` after the last try, and the signal's reason when it is aborted. With `events`, an answer of
   * server-sent events is passed on as the data of each, and the result is `STREAMED`; what fails after the first event is not tried again.
   */
  post(path: string, body: object, signal?: AbortSignal, events?: EventReceiver): Promise<unknown>
  close(): Promise<void>
}

/** Receives an answer of server-sent events. */
export interface EventReceiver {
  add(data: string): void
  /** True once nothing must follow. A service that then keeps the connection open is not waited for. */
  readonly isFinished: boolean
}

/** Time after the end of an answer in which its usage may still come. */
const END_GRACE_MS = 1000

/** The result of a request whose answer came as events. */
export const STREAMED = Symbol('streamed')

/** Opens a client of one service, whose calls are slowed down together when it refuses some as too many. */
export function createModelHttp(options: ModelHttpOptions): ModelHttp {
  const { apiKey, retries, wait = waitFor } = options
  const client = createHttpClient(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` })
  const pace = options.pace ?? new Pace({ wait })
  const turns: RetryRules = {
    attempts: retries + 1,
    // A pause after a failure is time that the service takes, unlike the wait for a turn.
    pace: { take: (signal) => modelWait(() => pace.take(signal)) },
    wait,
  }
  return {
    async post(path, body, signal, events) {
      const url = `${options.baseUrl.replace(/\/+$/, '')}${path}`
      const call: HttpCall = { json: body, signal, timeoutMs: options.timeoutMs }
      const outcome = await retry({ ...turns, signal }, () =>
        step(
          { kind: 'http', name: `POST ${new URL(url).pathname}`, request: () => body },
          () => tryOnce(options, client, url, call, events),
          stepEnd,
        ),
      )
      if (outcome instanceof ModelCallError) throw outcome
      return outcome.value
    },
    close: () => client.close(),
  }
}

type Outcome = Tried<{ value: unknown } | ModelCallError>

/** The end of one try in a trace. Numbers of vectors are left out, and what came as events is with the call that asked for it. */
function stepEnd({ result }: Outcome): StepEnd {
  if (result instanceof ModelCallError) return { error: result.message }
  if (result.value === STREAMED) return {}
  return {
    response: JSON.stringify(result.value, (key, value: unknown) =>
      key === 'embedding' && (Array.isArray(value) || typeof value === 'string') ? `${value.length} left out` : value,
    ),
  }
}

async function tryOnce(
  options: ModelHttpOptions,
  client: HttpClient,
  url: string,
  call: HttpCall,
  receiver: EventReceiver | undefined,
): Promise<Outcome> {
  const limitBytes = options.responseLimitBytes ?? MODEL_RESPONSE_LIMIT_BYTES
  const accept = receiver === undefined ? 'application/json' : 'text/event-stream, application/json'
  let events = 0
  countTry()
  try {
    return await client.open(url, { ...call, headers: { accept } }, async ({ status, headers, body }) => {
      const isOk = status >= 200 && status < 300
      if (receiver !== undefined && isOk && headers['content-type']?.includes('text/event-stream') === true) {
        const data = eventData(body, limitBytes)
        for (;;) {
          const next = await (receiver.isFinished ? orAfterGrace(data.next()) : data.next())
          if (next === null || next.done === true) break
          events += 1
          receiver.add(next.value)
          if (next.value === DONE) break
        }
        return answered(STREAMED, status)
      }
      const text = (await bytesOf(body, limitBytes)).toString('utf8')
      // Some proxies send events under another media type.
      if (receiver !== undefined && isOk && /^\s*(?:data|event|):/.test(text)) {
        for await (const data of eventData(oneChunk(text), limitBytes)) receiver.add(data)
        return answered(STREAMED, status)
      }
      const lines = receiver !== undefined && isOk ? linesOfJson(text) : []
      for (const line of lines) receiver?.add(line)
      if (lines.length > 0) return answered(STREAMED, status)
      return isOk ? parse(options, url, text, status) : statusFailure(options, url, { status, headers, text })
    })
  } catch (error) {
    if (error instanceof StreamFault)
      return refuse(options, 'upstream_error', `failed while it answered: ${error.message}`, {
        said: { text: error.message, param: null },
        cause: error,
      })
    if (!(error instanceof HttpFault)) throw error
    const { fault, status } = error
    if (fault === 'timeout')
      return refuse(options, 'timeout', `gave no complete answer within ${options.timeoutMs} ms`, { cause: error })
    if (fault === 'too_large')
      return refuse(options, 'invalid_response', 'sent more than the size limit', { status, cause: error })
    const detail = status === null ? undefined : 'the upstream interrupted its answer'
    const problem = status === null ? 'cannot be reached' : 'interrupted its answer'
    return refuse(options, 'unreachable', `${problem}: ${connectionProblem(error.cause)}`, {
      detail,
      cause: error,
      again: events === 0,
    })
  }
}

const answered = (value: unknown, status: number): Outcome => ({ result: { value }, again: false, status })

/** The next event, or null when it does not come in the time of grace. */
async function orAfterGrace<Next>(next: Promise<Next>): Promise<Next | null> {
  const waited = new AbortController()
  try {
    return await Promise.race([next, sleep(END_GRACE_MS, null, { signal: waited.signal })])
  } finally {
    waited.abort()
    next.catch(() => undefined)
  }
}

/** A stream in the form of one JSON value for each line; empty for any other text. */
function linesOfJson(text: string): string[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return lines.length > 1 && lines.every((line) => jsonIn(line) !== undefined) ? lines : []
}

async function* oneChunk(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text)
}

function parse(options: ModelHttpOptions, url: string, text: string, status: number): Outcome {
  const value = jsonIn(text.replace(/^\uFEFF/, ''))
  if (value === undefined)
    return refuse(options, 'invalid_response', 'answered with something that is not JSON', {
      detail: pageDetail(url, text, status) ?? `the upstream answered with something that is not JSON (HTTP ${status})`,
      isPage: isPage(text),
      status,
    })
  if (!isError(value)) return answered(value, status)
  // OpenRouter and others report the failure of the service behind them so, with that one's status.
  const { error } = value as { error?: { code?: unknown } | string }
  const code = typeof error === 'object' ? Number(error.code) : Number.NaN
  const failed = code >= 400 && code < 600 ? code : null
  const said = saidIn(text)
  return refuse(
    options,
    failed === null ? 'invalid_response' : codeOfStatus(failed),
    `answered HTTP ${status} with an error: ${said.text}`,
    { status: failed ?? status, said, again: failed !== null && isTemporary(failed) },
  )
}

/** LM Studio answers an address that it does not have with 200 and an error, some hosts of vLLM every error. */
function isError(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { error, object, choices, data } = value as Record<string, unknown>
  if ((choices ?? data ?? null) !== null) return false
  return object === 'error' || typeof error === 'string' || (typeof error === 'object' && error !== null)
}

/** Names the address that answered with a web page: another program is there, or a proxy before the service. Undefined for any other answer. */
function pageDetail(url: string, text: string, status: number): string | undefined {
  if (!isPage(text)) return undefined
  const { origin, pathname } = new URL(url)
  const title = /<(title|h1)\b[^>]*>([^<]*)/i.exec(text)?.[2]?.replace(/\s+/g, ' ').trim() ?? ''
  const named = title === '' ? '' : `: ${serviceText(title, 80)}`
  return `${serviceText(origin + pathname, 200)} answered with a web page (HTTP ${status})${named}`
}

function statusFailure(
  options: ModelHttpOptions,
  url: string,
  answer: Pick<HttpAnswer, 'status' | 'headers' | 'text'>,
): Outcome {
  const { status, text } = answer
  const code = tooLong(status, text)
    ? 'context_length_exceeded'
    : status === 400 && FILTERED.test(text)
      ? 'content_filtered'
      : codeOfStatus(status)
  const said = saidBy(answer)
  return refuse(options, code, `answered HTTP ${status}: ${said.text}`, {
    status,
    detail: pageDetail(url, text, status),
    isPage: isPage(text),
    said,
    again: isTemporary(status) && !isAboutField(status, said.text) && !isUsedUp(text),
    askedMs: askedPauseMs(answer.headers),
  })
}

/** Azure and compatible services refuse a request by this code when their filter stops its prompt. */
const FILTERED = /"code"\s*:\s*"content_filter"|ResponsibleAIPolicyViolation/

/** Matches what services answer when a prompt does not fit: OpenAI and vLLM by code, llama.cpp, Ollama, Gemini and others in words only. */
const TOO_LONG =
  /context[_ -]?(?:length|window|size)|maximum context|prompt is too long|input is too long|too many (?:input )?tokens|token count exceeds|exceed_context/i

function tooLong(status: number, text: string): boolean {
  return (status === 400 || status === 413 || status === 422) && TOO_LONG.test(text.slice(0, 10_000))
}

/** llama.cpp refuses a schema that it cannot follow, and tools without a template for them, with status 500: the same request fails again. */
const isAboutField = (status: number, text: string): boolean =>
  status === 500 && /response_format|json_schema|grammar|\btools? (?:param|call)/i.test(text)

function codeOfStatus(status: number): ModelCallErrorCode {
  if (refusedBy(status, '') !== null) return 'unauthorized'
  if (status === 404) return 'unknown_model'
  if (status === 429) return 'rate_limited'
  if (status === 408 || status === 504) return 'timeout'
  return status >= 400 && status < 500 ? 'bad_request' : 'upstream_error'
}

function refuse(
  options: ModelHttpOptions,
  code: ModelCallErrorCode,
  problem: string,
  more: {
    status?: number | null
    detail?: string | undefined
    isPage?: boolean
    said?: Said
    cause?: unknown
    again?: boolean
    askedMs?: number | null
  } = {},
): Outcome {
  const { status = null, askedMs = null, again = false } = more
  const message = `The model service of role ${options.role} at ${new URL(options.baseUrl).origin} ${problem}`
  const error = new ModelCallError(code, options.role, message, { ...more, retryAfterMs: askedMs })
  return { result: error, again, status, askedMs }
}

function connectionProblem(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = (error as NodeJS.ErrnoException).code
  return code !== undefined && code !== '' ? `${code} ${error.message}`.trim() : error.message
}
