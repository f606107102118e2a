import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { GRAPH_PICTURE_MAX_NODES } from '../../../../contract/index.ts'
import { HttpError } from '../../../kit/http-error.ts'
import { bearerToken } from '../../../kit/secrets.ts'
import { parseRequest } from '../../../kit/validate.ts'
import type { GraphEngine } from '../graph-engine.ts'
import { DEFAULT_LIMITS } from '../limits.ts'
import { registerDocumentRoutes } from './document-routes.ts'
import { answering } from './graph-failure.ts'
import { registerQueryRoutes } from './query-routes.ts'

/** An engine, or a choice among several by the workspace that a request names; null when there is none of that name. */
export type EngineSource = GraphEngine | ((workspace: string | null) => GraphEngine | null)

const PictureQuery = z.object({ limit: z.coerce.number().int().min(1).max(GRAPH_PICTURE_MAX_NODES).default(500) })

/** How long a document may take to arrive. */
const UPLOAD_TIMEOUT_MS = 120_000

/** Header with which a request names its workspace, where there are several. */
const WORKSPACE_HEADER = 'lightrag-workspace'

/**
 * The graph engine's HTTP surface, to be registered in a scope of its own: `app.register((scope) => registerGraphEngineRoutes(scope,
 * engine), { prefix: '/graph-engine' })`. Every route but `/health` asks for the engine's key.
 */
export async function registerGraphEngineRoutes(
  app: FastifyInstance,
  source: EngineSource,
  options: { uploadBytes?: number; uploadTimeoutMs?: number } = {},
): Promise<void> {
  const engineOf = (request: FastifyRequest): GraphEngine => {
    const engine = typeof source === 'function' ? source(workspaceOf(request)) : source
    if (engine === null) throw new HttpError(503, 'No knowledge graph is active')
    return engine
  }
  app.addHook('onRequest', async (request) => {
    if (request.routeOptions.config.open !== true) authorise(request, engineOf(request))
  })
  app.get('/health', { config: { open: true } }, async (request) => engineOf(request).health())
  app.get('/graph', async (request) => {
    const { limit } = parseRequest(PictureQuery, request.query, 'query')
    return answering(() => engineOf(request).graph(limit))
  })
  await registerDocumentRoutes(app, engineOf, {
    uploadBytes: options.uploadBytes ?? DEFAULT_LIMITS.documentBytes,
    uploadTimeoutMs: options.uploadTimeoutMs ?? UPLOAD_TIMEOUT_MS,
  })
  registerQueryRoutes(app, engineOf)
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route is open to callers without a credential. */
    open?: boolean
  }
}

function workspaceOf(request: FastifyRequest): string | null {
  const header = request.headers[WORKSPACE_HEADER]
  const name = Array.isArray(header) ? header[0] : header
  return name === undefined || name === '' ? null : name
}

/**
 * Refuses requests without the engine's key in `X-API-Key`: 403 when it is missing or wrong, 401 when something came as a bearer
 * instead, which is another scheme here.
 */
function authorise(request: FastifyRequest, engine: Pick<GraphEngine, 'checkKey'>): void {
  const header = request.headers['x-api-key']
  const check = engine.checkKey(Array.isArray(header) ? header[0] : header)
  if (check === 'ok') return
  if (bearerToken(request.headers.authorization) !== null) {
    throw new HttpError(401, 'Invalid token. Please login again.', { headers: { 'www-authenticate': 'Bearer' } })
  }
  throw new HttpError(403, check === 'missing' ? 'API Key required' : 'Invalid API Key')
}
