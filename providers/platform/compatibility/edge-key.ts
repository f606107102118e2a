import type { FastifyRequest } from 'fastify'
import { HttpError } from '../../kit/http-error.ts'
import { secretsEqual } from '../../kit/secrets.ts'

const NAME = 'apikey'

/**
 * Key authentication as Kong's `key-auth` plugin does it: header or query `apikey`, the header first; several values are refused. The
 * refusals have Kong's bodies, not the backend's. 503 while no key is configured.
 */
export function requireEdgeKey(request: FastifyRequest, expected: string | null): void {
  if (expected === null) throw new HttpError(503, 'The edge key is not configured')
  const given = givenKeys(request)
  if (given.length === 0) throw refused('No API key found in request')
  if (given.length > 1) throw refused('Duplicate API key found')
  if (!secretsEqual(given[0]!, expected)) throw refused('Unauthorized')
}

function givenKeys(request: FastifyRequest): string[] {
  // The parsed headers would show two keys as one that no client sent.
  const { rawHeaders } = request.raw
  const inHeader = rawHeaders.filter((_text, index) => index % 2 === 1 && rawHeaders[index - 1]!.toLowerCase() === NAME)
  if (inHeader.length > 0) return inHeader
  const inQuery = (request.query as Record<string, unknown>)[NAME]
  return [inQuery].flat().filter((key) => typeof key === 'string')
}

function refused(message: string): HttpError {
  return new HttpError(401, message, { family: 'edge', headers: { 'www-authenticate': 'Key' } })
}
