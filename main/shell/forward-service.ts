import { request as send, type IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { CONTROL_REFUSAL_HEADER } from '../../contract/control/service-routes.ts'
import { SECURITY_HEADERS } from '../engine/http/content-security-policy.ts'
import { APP_ORIGIN } from './app-origin.ts'

/** What of a page's headers the engine sees, and of its answer's headers the page. */
const SENT = ['content-type', 'content-length', 'accept'] as const
const GIVEN = [
  ...['content-type', 'content-length', 'content-disposition', 'retry-after', 'location'],
  CONTROL_REFUSAL_HEADER,
]

/** Whether a path leads to a service behind the engine, where bodies are files and sound rather than questions. */
export const isServicePath = (path: string): boolean => /^\/control\/services\/[^/]+\/proxy\//.test(path)

/**
 * Streams a page's call of a service to the engine and gives the answer back, whatever method and body it has; `path` with its query. The
 * engine checks route and size. No time limit: services have deadlines of their own, longer than a client's usual ones. Rejects when the engine
 * gives no answer.
 */
export async function forwardService(
  page: Request,
  path: string,
  engine: { url: string; token: string },
): Promise<Response> {
  const passed = SENT.flatMap((name) => {
    const value = page.headers.get(name)
    return value === null ? [] : [[name, value] as const]
  })
  const headers = { ...Object.fromEntries(passed), authorization: `Bearer ${engine.token}`, origin: APP_ORIGIN }
  const { method, body, signal } = page
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = send(engine.url + path, { method, headers, signal })
    request.once('response', resolve).once('error', reject)
    if (body === null) request.end()
    // It may be answered before all of it was sent: with a refusal, mostly. That answer counts.
    else pipeline(Readable.fromWeb(body), request).catch(() => undefined)
  })
  const given = GIVEN.flatMap((name) => {
    const value = answer.headers[name]
    return typeof value === 'string' ? [[name, value] as const] : []
  })
  const isStream = answer.headers['content-type']?.startsWith('text/event-stream') === true
  const status = answer.statusCode!
  // Whole but for events, which have no end to lose: Electron at times loses that of a stream.
  const content = isStream ? (Readable.toWeb(answer) as ReadableStream) : await buffer(answer)
  return new Response(status === 204 || status === 304 ? null : content, {
    status,
    headers: { ...SECURITY_HEADERS, 'cache-control': 'no-store', ...Object.fromEntries(given) },
  })
}
