import { Agent, errors, request, type Dispatcher } from 'undici'
import type { CellErrorType } from '../../contract/index.ts'
import { serviceText } from './known-secrets.ts'
import { withDeadline, type CallDeadline } from './call-deadline.ts'
import { credentialHeaders, type Credentials } from './credential-headers.ts'

/** An answer larger than this is refused before it can fill the memory. */
export const MAX_RESPONSE_BYTES = 16 * 1024 * 1024

export type GatewayReply =
  | { ok: true; latencyMs: number; status: number; body: unknown }
  | {
      ok: false
      type: CellErrorType
      latencyMs: number
      status: number | null
      message: string
      /** What `Retry-After` asked for. */
      retryAfterMs: number | null
    }

interface GatewayOptions extends Credentials {
  /** Base address, with or without `/v1`; or the full address of a chat route, whatever its path. */
  url: string
  connections?: number
}

export interface GatewayClient {
  /** One POST of a chat request; never throws for what a gateway can do wrong. */
  chat(payload: object, timeoutMs: number, signal?: AbortSignal): Promise<GatewayReply>
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

/** `Retry-After` in seconds or as a date → milliseconds from now; null when absent or unreadable. */
function retryAfterMs(header: string | string[] | undefined, now: number): number | null {
  const value = Array.isArray(header) ? header[0] : header
  if (value === undefined || value.trim() === '') return null
  const seconds = Number(value)
  const delay = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(value) - now
  return Number.isNaN(delay) ? null : Math.max(0, delay)
}

async function readCapped(body: Dispatcher.ResponseData['body']): Promise<string | null> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of body as AsyncIterable<Buffer>) {
    size += part.length
    if (size > MAX_RESPONSE_BYTES) {
      body.destroy()
      return null
    }
    parts.push(part)
  }
  return (parts.length === 1 ? parts[0]! : Buffer.concat(parts, size)).toString('utf8')
}

const RESET_CODES = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'UND_ERR_ABORTED']

function failureOf(
  error: unknown,
  deadline: CallDeadline,
  outer: AbortSignal | undefined,
): { type: CellErrorType; message: string } {
  if (outer?.aborted) return { type: 'cancelled', message: 'the run was stopped' }
  if (deadline.expired()) return { type: 'timeout', message: 'no complete answer within the time limit' }
  const cause = error instanceof Error ? error : new Error(String(error))
  const code = 'code' in cause ? String(cause.code) : ''
  if (error instanceof errors.HeadersTimeoutError || error instanceof errors.BodyTimeoutError)
    return { type: 'timeout', message: cause.message }
  if (RESET_CODES.includes(code)) return { type: 'connection_reset', message: `the connection broke: ${cause.message}` }
  return { type: 'connection_failed', message: `the gateway cannot be reached: ${code === '' ? cause.message : code}` }
}

/** The message inside an error body of any of the platform's families, else the start of the text. */
function messageOf(text: string): string {
  try {
    const body = JSON.parse(text) as { error?: { message?: unknown } | string; detail?: unknown; message?: unknown }
    const inner = typeof body.error === 'object' ? body.error.message : (body.error ?? body.detail ?? body.message)
    if (inner !== undefined) return typeof inner === 'string' ? inner : JSON.stringify(inner)
  } catch {
    // Not JSON: for example an HTML error page. Its start helps more than nothing.
  }
  return serviceText(text, 200)
}

/** A client that keeps its connections open and turns every fault of a gateway into a typed reply. */
export function createGatewayClient(options: GatewayOptions): GatewayClient {
  const agent = new Agent({
    connections: options.connections ?? 32,
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: 30_000,
  })
  const url = chatUrl(options.url)
  const headers = { 'content-type': 'application/json', accept: 'application/json', ...credentialHeaders(options) }

  async function send(payload: object, deadline: CallDeadline, outer: AbortSignal | undefined): Promise<GatewayReply> {
    const started = performance.now()
    const fail = (
      type: CellErrorType,
      message: string,
      status: number | null = null,
      retryAfter: number | null = null,
    ): GatewayReply => ({
      ok: false,
      type,
      latencyMs: performance.now() - started,
      status,
      message: serviceText(message),
      retryAfterMs: retryAfter,
    })
    try {
      const response = await request(url, {
        method: 'POST',
        dispatcher: agent,
        headers,
        body: JSON.stringify(payload),
        signal: deadline.signal,
      })
      const status = response.statusCode
      const text = await readCapped(response.body)
      if (text === null)
        return fail('response_too_large', `the answer is larger than ${MAX_RESPONSE_BYTES} bytes`, status)
      if (status === 429)
        return fail('rate_limited', messageOf(text), status, retryAfterMs(response.headers['retry-after'], Date.now()))
      if (status < 200 || status > 299) return fail('http_error', `HTTP ${status}: ${messageOf(text)}`, status)
      try {
        return { ok: true, latencyMs: performance.now() - started, status, body: JSON.parse(text) as unknown }
      } catch {
        return fail('invalid_response', `HTTP ${status}, but the body is not JSON: ${serviceText(text, 120)}`, status)
      }
    } catch (error) {
      const { type, message } = failureOf(error, deadline, outer)
      return fail(type, message)
    }
  }

  return {
    chat: (payload, timeoutMs, outer) => withDeadline(timeoutMs, outer, (deadline) => send(payload, deadline, outer)),
    close: () => agent.destroy(),
  }
}
