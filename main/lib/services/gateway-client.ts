import type { CellErrorType } from '../../../contract/evidence/canonical-row.ts'
import { durationWords } from '../../../contract/words.ts'
import { isAccessRefused } from '../../../core/http/access-refused.ts'
import { createHttpClient, HttpFault, type HttpAnswer } from '../../../core/http/http-client.ts'
import { paceExchange } from '../../../core/http/pace-exchange.ts'
import { Pace } from '../../../core/http/pace.ts'
import { askedPauseMs, isLasting, PATIENCE_MS } from '../../../core/http/pauses.ts'
import { isPage, saidBy } from '../../../core/http/said.ts'
import { isRecord } from '../../../core/json.ts'
import { MAX_SERVICE_TEXT, serviceText } from '../../../core/known-secrets.ts'
import { callRemedy, isFinalCall } from '../../../core/model-remedies.ts'
import { credentialHeaders, type Credentials } from '../trust/credential-headers.ts'

/** An answer larger than this is refused before it can fill the memory. */
export const MAX_RESPONSE_BYTES = 16 * 1024 * 1024

interface Times {
  /** From sending the request to the last byte. */
  latencyMs: number
  /** Before sending, while the gateway had as many calls as it takes. */
  waitedMs?: number
}

export type GatewayReply =
  | ({ ok: true; status: number; body: unknown } & Times)
  | ({
      ok: false
      type: CellErrorType
      status: number | null
      message: string
      /** The pause that the gateway asked for, or that its limit of calls makes necessary. */
      retryAfterMs: number | null
      /** The call was one too many: it is to be repeated in its turn. */
      isLimit?: boolean
      /** The same call would end in the same way. */
      isFinal?: boolean
      /** States what the answer has beside its error, such as a trace. */
      body?: unknown
    } & Times)

interface GatewayOptions extends Credentials {
  /** Base address, with or without `/v1`; or the full address of a chat route, whatever its path. */
  url: string
  /** Folder in which the processes of a project share the pace of this gateway; its own without one. */
  pacesDir?: string
}

export interface GatewayClient {
  /** One POST of a chat request; never throws for what a gateway can do wrong. */
  chat(
    payload: object,
    timeoutMs: number,
    signal?: AbortSignal,
    headers?: Readonly<Record<string, string>>,
  ): Promise<GatewayReply>
  close(): Promise<void>
}

/** The address of an API path below a base that may already end in `/v1`; a query of the base is kept. */
export function apiUrl(base: string, path: string): string {
  const [address = '', query] = base.split('#')[0]!.split('?', 2)
  const url = `${address.replace(/\/+$/, '').replace(/\/v1$/, '')}${path}`
  if (query === undefined || query === '') return url
  return `${url}${path.includes('?') ? '&' : '?'}${query}`
}

/** The evaluator's address: a base without a path means the platform's own route. */
export const evaluateUrl = (base: string): string =>
  new URL(base).pathname.replace(/\/+$/, '').replace(/^\/v1$/, '') === '' ? apiUrl(base, '/api/rag/evaluate') : base

/** The list of models beside a chat route. */
export const modelsUrl = (base: string): string => chatUrl(base).replace(/\/chat\/completions\/?(?=[?#]|$)/, '/models')

/** The chat route of a base address; an address that names it already is taken as it is. */
export const chatUrl = (base: string): string =>
  /\/chat\/completions\/?(?:[?#]|$)/.test(base) ? base : apiUrl(base, '/v1/chat/completions')

/** Codes of a connection that was made and broke before an answer came. */
const RESET_CODES = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_ABORTED']

function failureOf({ fault, reason, code }: HttpFault): { type: CellErrorType; message: string } {
  if (fault === 'timeout') return { type: 'timeout', message: 'no complete answer within the time limit' }
  if (fault === 'too_large') return { type: 'response_too_large', message: reason }
  if (fault === 'interrupted' || RESET_CODES.includes(code ?? ''))
    return { type: 'connection_reset', message: `the connection broke: ${reason}` }
  return { type: 'connection_failed', message: `the gateway cannot be reached: ${reason}` }
}

/** Codes of an answer that a filter withheld or that the model refused: the next attempt would end alike. */
const WITHHELD = /"code"\s*:\s*"(content_filtered|content_filter|refused)"/

/** A failure of the gateway itself with what to do about it; one that it reports has the words of what it asked. */
function withRemedy(message: string, { status, text, json }: Pick<HttpAnswer, 'status' | 'text' | 'json'>): string {
  if (isRecord(json) && isRecord(json['error'])) return message
  const remedy = callRemedy({ status, isPage: isPage(text), isTimeout: false }, 'gateway')
  return remedy === '' ? message : `${message.replace(/[.\s]+$/, '')}.${remedy}`
}

/** A client whose calls are slowed down together when the gateway refuses some as too many; every fault of a gateway is a typed reply. */
export function createGatewayClient(options: GatewayOptions): GatewayClient {
  const client = createHttpClient(credentialHeaders(options))
  const url = chatUrl(options.url)
  const { pacesDir } = options
  /** Words of the gateway's last refusal for too many calls; null once it has answered one since. */
  let limited: string | null = null
  const pace = new Pace(pacesDir === undefined ? {} : { exchange: paceExchange(pacesDir, new URL(url).origin) })

  async function send(
    payload: object,
    timeoutMs: number,
    signal?: AbortSignal,
    headers?: Readonly<Record<string, string>>,
  ): Promise<GatewayReply> {
    const place = await pace.take(signal, timeoutMs).catch(() => null)
    const started = performance.now()
    const reply = (
      status: number | null,
      result: { ok: true; body: unknown } | { type: CellErrorType; message: string; body?: unknown },
      askedMs: number | null = null,
      lasts = false,
      isFinal = false,
    ): GatewayReply => {
      const isLimit = place?.end(lasts ? null : status, askedMs) === true
      const times = { latencyMs: performance.now() - started, waitedMs: place?.waitedMs ?? 0 }
      if ('ok' in result) return { ok: true, ...times, status: status!, body: result.body }
      const { type, message, body } = result
      const retryAfterMs = isLimit ? pace.pauseMs : askedMs
      return { ok: false, type, ...times, status, message: serviceText(message), retryAfterMs, isLimit, isFinal, body }
    }
    const isStopped = (): boolean => signal?.aborted === true
    if (isStopped()) return reply(null, CANCELLED)
    if (place === null) return reply(null, NO_TURN)
    try {
      const left = timeoutMs - place.waitedMs
      const call = { json: payload, signal, timeoutMs: left, limitBytes: MAX_RESPONSE_BYTES, headers }
      const answer = await client.send(url, call)
      const { status, isOk, json, text } = answer
      if (!isOk) {
        const message = saidBy(answer, MAX_SERVICE_TEXT).text
        const withheld = status === 400 ? WITHHELD.exec(text)?.[1] : undefined
        if (withheld !== undefined)
          return reply(status, { type: withheld === 'refused' ? 'refused' : 'content_filtered', message, body: json })
        if (isAccessRefused(status, text))
          return reply(
            status,
            { type: 'access_refused', message: `HTTP ${status}: ${message}`, body: json },
            null,
            true,
          )
        const askedMs = askedPauseMs(answer.headers)
        if (status !== 429)
          return reply(
            status,
            { type: 'http_error', message: withRemedy(`HTTP ${status}: ${message}`, answer), body: json },
            askedMs,
            false,
            answer.headers['x-should-retry'] === 'false',
          )
        if (!isLasting(text, askedMs)) {
          limited = `${message.replace(/[.\s]+$/, '')}; ${LIMIT_ADVICE}`
          return reply(status, { type: 'rate_limited', message: limited, body: json }, askedMs)
        }
        const when =
          askedMs !== null && askedMs > PATIENCE_MS
            ? `; the service asks to be called again in ${durationWords(askedMs)}`
            : ''
        return reply(status, { type: 'rate_limited', message: `${message}${when}`, body: json }, null, true)
      }
      limited = null
      if (json !== undefined) return reply(status, { ok: true, body: json })
      const { origin, pathname } = new URL(url)
      const what = isPage(text) ? 'a web page' : 'something'
      const message = `${origin}${pathname} answered HTTP ${status} with ${what} instead of JSON: ${serviceText(text, 120)}`
      return reply(
        status,
        { type: 'invalid_response', message: withRemedy(message, answer) },
        null,
        false,
        isFinalCall({ status, isPage: isPage(text) }),
      )
    } catch (error) {
      if (isStopped()) return reply(null, CANCELLED)
      if (!(error instanceof HttpFault)) throw error
      const failure = failureOf(error)
      // It waits for its turn at the service that limits its calls.
      if (failure.type === 'timeout' && limited !== null)
        return reply(null, { type: 'rate_limited', message: `${limited}; ${failure.message}` })
      return reply(error.fault === 'too_large' ? error.status : null, failure)
    }
  }

  return { chat: send, close: () => client.close() }
}

export const LIMIT_ADVICE =
  'ask for fewer answers at once, wait and try the failed answers again, or choose a larger plan of the service'
const NO_TURN = {
  type: 'rate_limited',
  message: `the service limits its calls, and none was free within the time limit; ${LIMIT_ADVICE}`,
} as const
const CANCELLED = { type: 'cancelled', message: 'the run was stopped' } as const
