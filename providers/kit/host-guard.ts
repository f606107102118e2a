import type { FastifyReply, FastifyRequest } from 'fastify'
import { HttpError } from './http-error.ts'

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/** Who may be named by requests that arrive on loopback, besides loopback itself. */
export interface TrustedNames {
  /** Host names without port, as in `host.docker.internal`. */
  hosts?: readonly string[]
  /** Origins as browsers send them; `*` trusts all. */
  origins?: readonly string[]
}

/**
 * Hook for servers on loopback: a page of a foreign site can make a browser send requests here, under its own name as Host (DNS
 * rebinding) or with its Origin. Both are refused; requests that arrive on another address are left to that deployment's edge.
 */
export function hostGuard(trusted: TrustedNames = {}) {
  const hosts = new Set([...LOOPBACK, ...(trusted.hosts ?? [])])
  const origins = new Set(trusted.origins)
  return async (request: FastifyRequest): Promise<void> => {
    if (!isLoopbackAddress(request.socket.localAddress)) return
    const host = hostName(request.headers.host)
    if (host !== null && !hosts.has(host)) throw new HttpError(421, 'This server does not answer for that Host')
    const origin = request.headers.origin
    // A foreign page can embed what a GET answers, and its browser sends no Origin then.
    if (origin === undefined && request.headers['sec-fetch-site'] === 'cross-site' && !origins.has('*'))
      throw new HttpError(403, 'Requests from pages of other sites are not allowed')
    if (origin === undefined || origins.has('*') || origins.has(origin)) return
    if (!LOOPBACK.includes(originHost(origin) ?? ''))
      throw new HttpError(403, 'Requests from that Origin are not allowed')
  }
}

/** Lets browsers give the answer to pages of these origins, and answers their preflights. */
export function allowOrigin(origins: readonly string[], request: FastifyRequest, reply: FastifyReply): void {
  const origin = request.headers.origin
  if (origin === undefined || !(origins.includes('*') || origins.includes(origin))) return
  const exposed = { 'access-control-expose-headers': 'retry-after, x-request-id' }
  void reply.headers({ 'access-control-allow-origin': origin, vary: 'Origin', ...exposed })
  // A preflight carries no credential, so it is answered before anyone is asked for one.
  if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined) return
  void reply
    .code(204)
    .headers({
      'access-control-allow-methods': 'GET, POST, PUT, DELETE',
      // SDKs add headers of their own.
      'access-control-allow-headers':
        request.headers['access-control-request-headers'] ?? 'authorization, content-type',
      'access-control-max-age': '600',
    })
    .send()
}

function isLoopbackAddress(address: string | undefined): boolean {
  return address === '127.0.0.1' || address === '::1' || address === '::ffff:127.0.0.1'
}

function hostName(host: string | undefined): string | null {
  if (host === undefined) return null
  return host.replace(/:\d+$/, '').toLowerCase()
}

function originHost(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).hostname.toLowerCase() : null
}
