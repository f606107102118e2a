import type { ControlError } from '../../contract/control/control-error.ts'
import { CONTROL_PREFIX } from '../../contract/control/router.ts'
import { SECURITY_HEADERS } from '../engine/http/content-security-policy.ts'
import { APP_ORIGIN } from './app-origin.ts'
import { forwardService, isServicePath } from './forward-service.ts'

/** The way to the engine as it stands at the moment. */
export interface EngineDoor {
  /** Address and credential; waits for an engine that is about to come. Null when none will. */
  open(): Promise<{ url: string; token: string } | null>
  /** Hears what a page asked for and whether the engine took it. */
  onAnswered?: (procedure: string, body: string, ok: boolean) => void
}

/** A converted document is the largest; the engine refuses larger ones too, but they need not get that far. */
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
 * Hands a page's call to the engine with the token of this launch, which no page ever sees, and streams the answer back: a question to the
 * control API as it is put, a call of a service with method and body as they come. `url` is the page's.
 */
export async function forwardControl(request: Request, url: URL, door: EngineDoor): Promise<Response> {
  const origin = request.headers.get('origin')
  if (origin !== null && origin !== APP_ORIGIN)
    return refusal(403, { code: 'forbidden', message: 'calls from that Origin are not allowed', retryable: false })
  try {
    if (!isServicePath(url.pathname)) return await askEngine(request, url.pathname, door)
    const engine = await door.open()
    return engine === null
      ? unreachable('the engine does not run')
      : await forwardService(request, url.pathname + url.search, engine)
  } catch (error) {
    return unreachable(`the engine gave no answer: ${messageOf(error)}`)
  }
}

/** Of the page's headers none is passed on. */
async function askEngine(request: Request, path: string, door: EngineDoor): Promise<Response> {
  if (request.method !== 'POST')
    return refusal(405, { code: 'input_invalid', message: 'the control API is called by POST', retryable: false })
  const body = await request.text()
  if (Buffer.byteLength(body) > MAX_BODY_BYTES)
    return refusal(413, { code: 'request_too_large', message: 'the request is too large', retryable: false })
  const engine = await door.open()
  if (engine === null) return unreachable('the engine does not run')
  const answer = await fetch(engine.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${engine.token}`, origin: APP_ORIGIN },
    body,
  })
  door.onAnswered?.(path.slice(CONTROL_PREFIX.length + 1), body, answer.ok)
  const headers: Record<string, string> = { ...SECURITY_HEADERS, 'cache-control': 'no-store' }
  const type = answer.headers.get('content-type')
  if (type !== null) headers['content-type'] = type
  return new Response(answer.body, { status: answer.status, headers })
}
