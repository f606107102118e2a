// The one HTTP client of the processes that run in Node. A call has a time limit and a size limit, follows no redirect, because a credential must
// not leave its address, and fails with `HttpFault` alone; any status is an answer.
import type { Readable } from 'node:stream'
import { request, type Dispatcher } from 'undici'
import { jsonIn, messageOf } from '../json.ts'
import { connectionsTo } from './connections.ts'
import { BodyTooLarge, bytesOf, plainBody } from './bodies.ts'

type Fault =
  /** No answer has begun. */
  | 'unreachable'
  /** The connection broke after the answer had begun. */
  | 'interrupted'
  /** The answer was not complete within the time limit. */
  | 'timeout'
  | 'too_large'

/** A call that got no complete answer. `reason` is short: a code of the system, or which limit was exceeded. */
export class HttpFault extends Error {
  override readonly name = 'HttpFault'
  readonly fault: Fault
  readonly reason: string
  /** A code of the system, such as ECONNREFUSED. */
  readonly code: string | null
  readonly status: number | null

  constructor(request: string, fault: Fault, reason: string, status: number | null, cause: unknown) {
    super(`${request}: ${fault === 'unreachable' ? `cannot be reached (${reason})` : reason}`, { cause })
    this.fault = fault
    this.reason = reason
    this.code = codeOf(cause)
    this.status = status
  }
}

export interface HttpCall {
  method?: string
  headers?: Readonly<Record<string, string>> | undefined
  /** Sent as JSON. */
  json?: object | undefined
  body?: Dispatcher.DispatchOptions['body']
  signal?: AbortSignal | undefined
  /** From sending to the last byte. */
  timeoutMs?: number
  /** Most bytes that are read of the answer. */
  limitBytes?: number
  /** Uses a connection of its own: one that is kept may be closed by a service that was started again. */
  reset?: boolean
}

type Headers = Dispatcher.ResponseData['headers']

/** An answer of any status whose body is still to be read. */
export interface OpenAnswer {
  status: number
  headers: Headers
  body: Readable
}

/** An answer as a whole. `json` is undefined for a body that is not JSON. */
export interface HttpAnswer {
  status: number
  isOk: boolean
  headers: Headers
  text: string
  json: unknown
}

export interface HttpClient {
  /** Sends a request and reads its whole answer. Rejects with `HttpFault`, and with the reason of the caller's signal. */
  send(url: string, call?: HttpCall): Promise<HttpAnswer>
  /** The same for an answer that `read` reads within the limits of the call; what it throws itself is thrown as it is. */
  open<Result>(url: string, call: HttpCall, read: (answer: OpenAnswer) => Promise<Result>): Promise<Result>
  /** Ends every call that is under way. */
  close(): Promise<void>
}

const TIMEOUT_MS = 60_000
const LATE = Symbol('late')
const LIMIT_BYTES = 16 * 1024 * 1024

/** A client that sends `headers`, usually a credential, with each request. */
export function createHttpClient(headers: Readonly<Record<string, string>> = {}): HttpClient {
  const underWay = new Set<AbortController>()

  async function open<Result>(
    url: string,
    call: HttpCall,
    read: (answer: OpenAnswer) => Promise<Result>,
  ): Promise<Result> {
    const { method = call.json === undefined && call.body === undefined ? 'GET' : 'POST', signal: outer } = call
    const { timeoutMs = TIMEOUT_MS } = call
    const stop = new AbortController()
    // `AbortSignal.timeout` and `AbortSignal.any` would keep timer and listener for the whole time limit, which over thousands of calls is memory.
    const timer = setTimeout(() => stop.abort(LATE), timeoutMs)
    const giveUp = (): void => stop.abort()
    outer?.addEventListener('abort', giveUp, { once: true })
    underWay.add(stop)
    let answer: Dispatcher.ResponseData | undefined
    try {
      outer?.throwIfAborted()
      const address = new URL(url)
      answer = await request(address, {
        method,
        dispatcher: connectionsTo(address),
        headers: {
          accept: 'application/json',
          ...(call.json === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
          ...call.headers,
        },
        body: call.json === undefined ? call.body : JSON.stringify(call.json),
        signal: stop.signal,
        ...(call.reset === true ? { reset: true } : {}),
      })
      const body = plainBody(answer.body, answer.headers['content-encoding'])
      return await read({ status: answer.statusCode, headers: answer.headers, body })
    } catch (cause) {
      outer?.throwIfAborted()
      const status = answer?.statusCode ?? null
      const fault = (kind: Fault, reason: string) =>
        new HttpFault(`${method} ${withoutCredentials(url)}`, kind, reason, status, cause)
      if (stop.signal.reason === LATE) throw fault('timeout', `no answer within ${timeoutMs / 1000} s`)
      if (cause instanceof BodyTooLarge) throw fault('too_large', cause.message)
      // What a reader finds wrong is its own to say.
      if (answer !== undefined && codeOf(cause) === null && !stop.signal.aborted) throw cause
      const reason = codeOf(cause) ?? messageOf(cause)
      throw fault(answer === undefined ? 'unreachable' : 'interrupted', reason)
    } finally {
      clearTimeout(timer)
      outer?.removeEventListener('abort', giveUp)
      underWay.delete(stop)
      // What was not read is not waited for.
      if (answer !== undefined && !answer.body.readableEnded) answer.body.on('error', () => undefined).destroy()
    }
  }

  return {
    open,
    send: (url, call = {}) =>
      open(url, call, async ({ status, headers: received, body }) => {
        const text = (await bytesOf(body, call.limitBytes ?? LIMIT_BYTES)).toString('utf8')
        return {
          status,
          isOk: status >= 200 && status < 300,
          headers: received,
          text,
          get json() {
            return jsonIn(text.startsWith('\uFEFF') ? text.slice(1) : text)
          },
        }
      }),
    async close() {
      for (const stop of underWay) stop.abort()
    },
  }
}

/** A DOMException has a number for a code, which says nothing. */
function codeOf(error: unknown): string | null {
  const { code } = (error ?? {}) as { code?: unknown }
  return typeof code === 'string' && code !== '' ? code : null
}

/** An address as it may be shown. */
function withoutCredentials(url: string): string {
  if (!URL.canParse(url)) return url
  const { origin, pathname } = new URL(url)
  return origin + pathname
}
