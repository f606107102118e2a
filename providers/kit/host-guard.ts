import type { FastifyRequest } from 'fastify'
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
