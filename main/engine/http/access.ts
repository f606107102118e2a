import type { IncomingHttpHeaders } from 'node:http'
import type { ControlError, ControlErrorCode } from '../../../contract/control/control-error.ts'
import { PAGE_KEY_HEADER } from '../../../contract/control/system.ts'
import { sameSecret, type Sessions } from './sessions.ts'

/** host: who started the engine, by its token. browser: who opened a link. */
export type Caller = 'host' | 'browser'

export interface AccessRules {
  port: number
  token: string
  sessions: Sessions
  /** Of the desktop app's pages; it counts only together with the token. */
  appOrigin: string | null
}

export type Access<Allowed> = ({ ok: true } & Allowed) | { ok: false; status: number; error: ControlError }

const refused = (status: number, code: ControlErrorCode, message: string): Access<never> => ({
  ok: false,
  status,
  error: { code, message, retryable: false },
})

const NAMES = ['127.0.0.1', 'localhost']

/** Name of the session cookie; cookies know no ports, so the name does. */
export const cookieName = (port: number): string => `rag_ladder_${port}`

/** Refuses a request that is not for this server: another Host is a foreign name that resolves to this address. */
export function checkHost(headers: IncomingHttpHeaders, { port }: AccessRules): Access<object> {
  if (NAMES.some((name) => headers.host === `${name}:${port}`)) return { ok: true }
  return refused(421, 'forbidden', 'this server does not answer for that Host')
}

function cookieOf(headers: IncomingHttpHeaders, name: string): string | null {
  const prefix = `${name}=`
  const found = (headers.cookie ?? '').split(';').find((part) => part.trim().startsWith(prefix))
  return found === undefined ? null : found.trim().slice(prefix.length)
}

/** Returns true when the browser that sent a request holds a session. A session alone gives access to pages only: other programs on this machine can read a cookie. */
export function hasSession(headers: IncomingHttpHeaders, { port, sessions }: AccessRules): boolean {
  const cookie = cookieOf(headers, cookieName(port))
  return cookie !== null && sessions.isValid(cookie)
}

/**
 * Identifies the caller. A browser must show its session, that the page is ours, and the key that only our page holds: cookies alone would also
 * come along with another program's page on this machine, and be read by that program. Reading calls carry no Origin; there `Sec-Fetch-Site` counts, which no page can forge.
 */
export function checkCaller(
  method: string,
  headers: IncomingHttpHeaders,
  rules: AccessRules,
): Access<{ caller: Caller }> {
  const { origin, authorization } = headers
  const isOwn = NAMES.some((name) => origin === `http://${name}:${rules.port}`)
  const isApp = rules.appOrigin !== null && origin === rules.appOrigin
  if (origin !== undefined && !isOwn && !isApp)
    return refused(403, 'forbidden', 'calls from that Origin are not allowed')
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && !isApp)
    return refused(403, 'forbidden', 'calls from another site are not allowed')
  if (authorization !== undefined) {
    const [scheme = '', value = ''] = authorization.split(' ', 2)
    return scheme.toLowerCase() === 'bearer' && sameSecret(value, rules.token)
      ? { ok: true, caller: 'host' }
      : refused(401, 'unauthorized', 'that token is not the one of this launch')
  }
  const isOwnRead = method === 'GET' && origin === undefined && site === 'same-origin'
  const cookie = cookieOf(headers, cookieName(rules.port)) ?? ''
  const key = headers[PAGE_KEY_HEADER]
  const isPage = typeof key === 'string' && rules.sessions.isPageKey(cookie, key)
  if (isPage && rules.sessions.isValid(cookie) && (isOwn || isOwnRead)) return { ok: true, caller: 'browser' }
  return refused(401, 'unauthorized', 'open the panel with the link that the engine printed')
}

/** Decides whether a call of the control API is allowed, and whose it is: only what a form of a foreign page cannot send. */
export function checkControlCall(
  method: string,
  headers: IncomingHttpHeaders,
  rules: AccessRules,
): Access<{ caller: Caller }> {
  const access = checkCaller(method, headers, rules)
  if (!access.ok && access.status === 403) return access
  if (method !== 'POST') return refused(405, 'input_invalid', 'the control API is called by POST')
  if (!/^application\/json *(;|$)/i.test(headers['content-type'] ?? ''))
    return refused(415, 'input_invalid', 'the control API takes application/json')
  return access
}
