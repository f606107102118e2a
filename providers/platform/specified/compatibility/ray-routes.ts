import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { EnvReader } from '../../../kit/env-reader.ts'
import { HttpError } from '../../../kit/http-error.ts'
import type { ClosingList } from '../../jobs/closing-list.ts'
import { createProxy, pathId } from './http-proxy.ts'

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

/** The job API of Ray, below `/api/ray`. 503 without `RAY_URL`; then nothing is called. */
export function registerRayRoutes(app: FastifyInstance, settings: RaySettings, closing: ClosingList): void {
  const { url, token, timeoutMs, maxResponseBytes } = settings
  const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` }
  const proxy = url === null ? null : createProxy({ name: 'Ray', url, headers, timeoutMs, maxResponseBytes })
  if (proxy !== null) closing.add(() => proxy.close())

  const passTo =
    (path: (request: FastifyRequest) => string) => async (request: FastifyRequest, reply: FastifyReply) => {
      const target = path(request)
      if (proxy === null) throw new HttpError(503, 'No job server is configured (RAY_URL)')
      return proxy.forward(request, reply, target)
    }
  const job = (request: FastifyRequest): string => `/api/jobs/${pathId(request, 'submission_id')}`

  app.get(
    '/api/ray/version',
    passTo(() => '/api/version'),
  )
  // Ray's own address of the list ends with a slash.
  app.get(
    '/api/ray/jobs',
    passTo(() => '/api/jobs/'),
  )
  app.post(
    '/api/ray/jobs',
    { bodyLimit: BODY_LIMIT_BYTES },
    passTo(() => '/api/jobs/'),
  )
  app.get('/api/ray/jobs/:submission_id', passTo(job))
  app.delete('/api/ray/jobs/:submission_id', { bodyLimit: BODY_LIMIT_BYTES }, passTo(job))
  app.get(
    '/api/ray/jobs/:submission_id/logs',
    passTo((request) => `${job(request)}/logs`),
  )
  app.post(
    '/api/ray/jobs/:submission_id/stop',
    { bodyLimit: BODY_LIMIT_BYTES },
    passTo((request) => `${job(request)}/stop`),
  )
}
