import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import { HttpError } from '../../kit/http-error.ts'
import { secretsEqual } from '../../kit/secrets.ts'
import { requireEdgeKey } from '../edge/key-auth.ts'
import { decide } from './decide.ts'
import { createIdentify } from './identify.ts'
import type { EdgeSettings, IdentitySettings } from './identity-settings.ts'
import type { RoutePolicy } from './route-policy.ts'

/** A registered route and who may use it. */
export interface GuardedRoute {
  method: string
  url: string
  policy: RoutePolicy
  body_limit_bytes: number
}

/** A route was registered that `routePolicies` does not know. */
export class UnguardedRouteError extends Error {
  override readonly name = 'UnguardedRouteError'

  constructor(route: string) {
    super(`the route ${route} has no access policy: declare it in identity/route-policy.ts`)
  }
}

export interface GuardDeps {
  policies: ReadonlyMap<string, RoutePolicy>
  identity: IdentitySettings
  edge: EdgeSettings
}

/**
 * Puts a door in front of every route that is registered from now on, unknown paths included, before any body is read. Registering a
 * route without a policy throws `UnguardedRouteError`. Returns the list of routes, which fills as they are registered.
 */
export function guardRoutes(app: FastifyInstance, { policies, identity, edge }: GuardDeps): readonly GuardedRoute[] {
  const routes: GuardedRoute[] = []
  app.addHook('onRoute', (route) => {
    for (const method of [route.method].flat()) {
      const policy = policyOf(policies, method, route.url)
      if (policy === undefined) throw new UnguardedRouteError(`${method} ${route.url}`)
      if (method !== 'HEAD') routes.push({ method, url: route.url, policy, body_limit_bytes: bodyLimitOf(app, route) })
    }
  })

  const identify = createIdentify(identity)
  app.addHook('onRequest', async (request) => {
    const policy = policyOf(policies, request.method, request.routeOptions.url) ?? UNKNOWN
    // Whoever has the graph engine's key is told that a route does not exist, not that the key is wrong.
    if (policy === UNKNOWN && hasGraphKey(request, identity.graphEngineKey)) return
    if (needsEdgeKey(policy, edge)) requireEdgeKey(request, edge.key)
    const refusal = decide(policy, await identify(request.headers.authorization), identity)
    if (refusal === null) return
    throw new HttpError(refusal.status, refusal.detail, REFUSAL_OPTIONS[refusal.status])
  })
  return routes
}

const UNKNOWN: RoutePolicy = { kind: 'unknown' }
const GRAPH_ROUTES = '/graph-engine/'

function hasGraphKey(request: FastifyRequest, key: string | null): boolean {
  const given = request.headers['x-api-key']
  const ofGraph = request.url.startsWith(GRAPH_ROUTES)
  return ofGraph && key !== null && typeof given === 'string' && secretsEqual(given, key)
}

const REFUSAL_OPTIONS = {
  401: { code: 'invalid_api_key', headers: { 'www-authenticate': 'Bearer' } },
  403: { code: 'permission_denied' },
  503: { code: 'auth_not_configured' },
}

/** Each GET answers HEAD too, under the same policy. Unknown paths have no pattern. */
function policyOf(
  policies: ReadonlyMap<string, RoutePolicy>,
  method: string,
  pattern: string | undefined,
): RoutePolicy | undefined {
  return policies.get(`${method === 'HEAD' ? 'GET' : method} ${pattern ?? ''}`)
}

function needsEdgeKey(policy: RoutePolicy, edge: EdgeSettings): boolean {
  return policy.kind === 'edge_key' || (edge.enabled && policy.kind === 'identity' && policy.behindEdge)
}

function bodyLimitOf(app: FastifyInstance, route: RouteOptions): number {
  return route.bodyLimit ?? app.initialConfig.bodyLimit ?? 0
}
