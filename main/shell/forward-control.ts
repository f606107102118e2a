import { request as send, type IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import type { ControlError } from '../../contract/control/control-error.ts'
import { CONTROL_PREFIX } from '../../contract/control/router.ts'
import { CONTROL_REFUSAL_HEADER } from '../../contract/control/service-routes.ts'
import { SECURITY_HEADERS } from '../engine/http/content-security-policy.ts'
import { APP_ORIGIN } from './page-rules.ts'

/** Access to the engine that is running now. */
export interface EngineAccess {
  /** Address and credential; waits for an engine that is starting. Null when none is. */
  open(): Promise<{ url: string; token: string } | null>
  /** Called with each request of a page and whether the engine accepted it. */
  onAnswered?: (procedure: string, body: string, ok: boolean) => void
}

/** The largest request is a converted document; the engine refuses larger ones too. */
const MAX_BODY_BYTES = 4 * 1024 * 1024

/** A refusal in the form that the pages' client reads. */
function refusal(status: number, error: ControlError): Response {
  const body = { json: { defined: true, code: 'CONTROL', status, message: error.message, data: error } }
  return new Response(JSON.stringify(body), {
    status,
    headers: { ...SECURITY_HEADERS, 'content-type': 'application/json', 'cache-control': 'no-store' },
  })
}

const messageOf = (error: unknown): string => {
  const { cause } = error as { cause?: unknown }
  return cause instanceof Error ? cause.message : error instanceof Error ? error.message : String(error)
}

const unreachable = (message: string): Response => refusal(503, { code: 'unreachable', message, retryable: true })

/**
 * Forwards a page's call to the engine with the token of this launch, which no page ever sees, and streams the answer back: a call of the control
 * API, or of a service with its method and body. `url` is the page's.
 */
export async function forwardControl(request: Request, url: URL, engineAccess: EngineAccess): Promise<Response> {
  const origin = request.headers.get('origin')
  if (origin !== null && origin !== APP_ORIGIN)
    return refusal(403, { code: 'forbidden', message: 'calls from that Origin are not allowed', retryable: false })
  try {
    if (!isServicePath(url.pathname)) return await askEngine(request, url.pathname, engineAccess)
    const engine = await engineAccess.open()
    return engine === null
      ? unreachable('the engine does not run')
      : await forwardService(request, url.pathname + url.search, engine)
  } catch (error) {
    return unreachable(`the engine did not answer: ${messageOf(error)}`)
  }
}

/** An answer is read whole but for events, which have no end to lose: Electron at times loses that of a stream, and the page waits for ever. */
const isEventStream = (type: string | null | undefined): boolean => type?.startsWith('text/event-stream') === true

const hasNoBody = (status: number): boolean => status === 204 || status === 304

/** No header of the page is forwarded. */
async function askEngine(request: Request, path: string, engineAccess: EngineAccess): Promise<Response> {
  if (request.method !== 'POST')
    return refusal(405, { code: 'input_invalid', message: 'the control API is called by POST', retryable: false })
  const body = await request.text()
  if (Buffer.byteLength(body) > MAX_BODY_BYTES)
    return refusal(413, { code: 'request_too_large', message: 'the request is too large', retryable: false })
  const engine = await engineAccess.open()
  if (engine === null) return unreachable('the engine does not run')
  const answer = await fetch(engine.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${engine.token}`, origin: APP_ORIGIN },
    body,
  })
  engineAccess.onAnswered?.(path.slice(CONTROL_PREFIX.length + 1), body, answer.ok)
  const headers: Record<string, string> = { ...SECURITY_HEADERS, 'cache-control': 'no-store' }
  const type = answer.headers.get('content-type')
  if (type !== null) headers['content-type'] = type
  const content = isEventStream(type) ? answer.body : await answer.arrayBuffer()
  return new Response(hasNoBody(answer.status) ? null : content, { status: answer.status, headers })
}

/** Forwarded headers of requests and of responses. */
const REQUEST_HEADERS = ['content-type', 'content-length', 'accept'] as const
const RESPONSE_HEADERS = [
  'content-type',
  'content-length',
  'content-disposition',
  'retry-after',
  'location',
  CONTROL_REFUSAL_HEADER,
]

/** Returns true when a path belongs to a service, whose bodies are files and audio. */
const isServicePath = (path: string): boolean => /^\/control\/services\/[^/]+\/proxy\//.test(path)

/**
 * Streams a page's call of a service to the engine and returns the answer; `path` includes the query. The engine checks route and size. No time
 * limit: services have their own deadlines, longer than a client's usual ones. Rejects when the engine does not answer.
 */
async function forwardService(page: Request, path: string, engine: { url: string; token: string }): Promise<Response> {
  const passed = REQUEST_HEADERS.flatMap((name) => {
    const value = page.headers.get(name)
    return value === null ? [] : [[name, value] as const]
  })
  const headers = { ...Object.fromEntries(passed), authorization: `Bearer ${engine.token}`, origin: APP_ORIGIN }
  const { method, body, signal } = page
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = send(engine.url + path, { method, headers, signal })
    request.once('response', resolve).once('error', reject)
    if (body === null) request.end()
    // The answer, usually a refusal, may come before the whole body was sent. That answer counts.
    else pipeline(Readable.fromWeb(body), request).catch(() => undefined)
  })
  const given = RESPONSE_HEADERS.flatMap((name) => {
    const value = answer.headers[name]
    return typeof value === 'string' ? [[name, value] as const] : []
  })
  const status = answer.statusCode!
  const isStream = isEventStream(answer.headers['content-type'])
  const content = isStream ? (Readable.toWeb(answer) as ReadableStream) : await buffer(answer)
  return new Response(hasNoBody(status) ? null : content, {
    status,
    headers: { ...SECURITY_HEADERS, 'cache-control': 'no-store', ...Object.fromEntries(given) },
  })
}
