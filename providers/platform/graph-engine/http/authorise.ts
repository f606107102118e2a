import type { FastifyRequest } from 'fastify'
import { HttpError } from '../../../kit/http-error.ts'
import { bearerToken } from '../../../kit/secrets.ts'
import type { GraphEngine } from '../graph-engine.ts'

/**
 * Refuses requests without the engine's key in `X-API-Key`: 403 when it is missing or wrong, 401 when something came as a bearer
 * instead, which is another scheme here.
 */
export function authorise(request: FastifyRequest, engine: Pick<GraphEngine, 'checkKey'>): void {
  const header = request.headers['x-api-key']
  const check = engine.checkKey(Array.isArray(header) ? header[0] : header)
  if (check === 'ok') return
  if (bearerToken(request.headers.authorization) !== null) {
    throw new HttpError(401, 'Invalid token. Please login again.', { headers: { 'www-authenticate': 'Bearer' } })
  }
  throw new HttpError(403, check === 'missing' ? 'API Key required' : 'Invalid API Key')
}
