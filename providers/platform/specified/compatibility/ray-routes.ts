import type { FastifyInstance } from 'fastify'
import type { EnvReader } from '../../../kit/env-reader.ts'
import type { ClosingList } from '../../jobs/closing-list.ts'
import { registerProxy } from './http-proxy.ts'
import type { ProxiedRoute } from './http-proxy.ts'

export interface RaySettings {
  /** Address of Ray's dashboard; null: there is none. */
  url: string | null
  /** Bearer token of that server; null where it asks for none. */
  token: string | null
  timeoutMs: number
  maxResponseBytes: number
}

/** Reads `RAY_*` except the token of callers, which is part of the identity. */
export function readRaySettings(reader: EnvReader): RaySettings {
  return {
    url: reader.url('RAY_URL'),
    token: reader.optional('RAY_AUTH_TOKEN'),
    timeoutMs: reader.seconds('RAY_TIMEOUT_SECONDS', { max: 3600 }) * 1000,
    maxResponseBytes: reader.integer('RAY_MAX_RESPONSE_BYTES', { min: 1, max: Number.MAX_SAFE_INTEGER }),
  }
}

/** A job names a command and its environment; files have routes of their own. */
const BODY_LIMIT_BYTES = 1024 * 1024

const ROUTES: readonly ProxiedRoute[] = [
  ['GET', '/api/ray/version', '/api/version'],
  // Ray's own address of the list ends with a slash.
  ['GET', '/api/ray/jobs', '/api/jobs/'],
  ['POST', '/api/ray/jobs', '/api/jobs/'],
  ['GET', '/api/ray/jobs/:submission_id', '/api/jobs/:submission_id'],
  ['DELETE', '/api/ray/jobs/:submission_id', '/api/jobs/:submission_id'],
  ['GET', '/api/ray/jobs/:submission_id/logs', '/api/jobs/:submission_id/logs'],
  ['POST', '/api/ray/jobs/:submission_id/stop', '/api/jobs/:submission_id/stop'],
]

/** The job API of Ray, below `/api/ray`. 503 without `RAY_URL`; then nothing is called. */
export function registerRayRoutes(
  app: FastifyInstance,
  { url, token, ...limits }: RaySettings,
  closing: ClosingList,
): void {
  const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` }
  const target = url === null ? 'No job server is configured (RAY_URL)' : { name: 'Ray', url, headers, ...limits }
  registerProxy(app, ROUTES, target, closing, BODY_LIMIT_BYTES)
}
