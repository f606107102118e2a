import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import { HttpError } from '../../kit/http-error.ts'
import { bearerToken, secretsEqual } from '../../kit/secrets.ts'
import { identityProblem } from './identity-settings.ts'
import type { EdgeSettings, IdentitySettings } from './identity-settings.ts'
import { SERVICE_PRINCIPALS } from './principals.ts'
import type { Caller, Principal } from './principals.ts'
import type { RoutePolicy } from './route-policy.ts'
import { createUserVerifier, looksLikeUserToken, UUID } from './user-token.ts'

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
    // A caller with the graph engine's key learns that a route does not exist, not that the key is wrong.
    if (policy === UNKNOWN && hasGraphKey(request, identity.graphEngineKey)) return
    if (needsEdgeKey(policy, edge)) requireEdgeKey(request, edge.key)
    const caller = await identify(request.headers.authorization)
    const refusal = decide(policy, caller, identity)
    if (caller.kind === 'known' && caller.subject !== undefined) subjects.set(request, caller.subject)
    if (refusal === null) return
    throw new HttpError(refusal.status, refusal.detail, REFUSAL_OPTIONS[refusal.status])
  })
  return routes
}

const subjects = new WeakMap<FastifyRequest, string>()

/** The user that sent a request; null for an operator or service, which acts for every user. */
export const subjectOf = (request: FastifyRequest): string | null => subjects.get(request) ?? null

/**
 * The user that a request is about: that of its token, or the one that a service names by `given`; null for a service that names none. Throws 400
 * for an id that is no UUID, 403 where a user names another one.
 */
export function namedUser(request: FastifyRequest, given: string | undefined): string | null {
  const subject = subjectOf(request)
  if (given === undefined || given === subject) return subject
  if (!UUID.test(given)) throw new HttpError(400, 'Invalid user_id: expected a UUID')
  if (subject !== null) throw new HttpError(403, 'This credential is for another user')
  return given.toLowerCase()
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

/** Why a request does not get in. 401: unknown caller; 403: known, but not allowed on this route; 503: no credential is configured. */
interface Refusal {
  status: 401 | 403 | 503
  detail: string
}

const OWN_TOKEN_ROUTES = {
  rerank_adapter: 'The rerank adapter',
  ray: 'The job API',
  asset_worker: 'The asset worker',
  asset_baker: 'The asset baker',
}
const UNSET = 'Identity is not configured'

/** Decides whether a caller may use a route; null lets it through. */
export function decide(policy: RoutePolicy, caller: Caller, settings: IdentitySettings): Refusal | null {
  const { mode, tokens } = settings
  switch (policy.kind) {
    case 'open':
    case 'edge_key':
      return null
    case 'graph_key':
      // The engine compares the key itself; without one it would let everyone in.
      if (mode === 'disabled' || (mode === 'required' && settings.graphEngineKey !== null)) return null
      return { status: 503, detail: 'The graph engine has no key' }
    case 'unknown':
      return mode === 'disabled' ? null : credentialRefusal('anyone', caller, settings)
    case 'identity':
      return mode === 'disabled' ? null : credentialRefusal(policy.allow, caller, settings)
    case 'gateway':
      // Without a key of its own the gateway is one of the backend's routes.
      if (mode === 'disabled' && tokens.gateway === undefined) return null
      return credentialRefusal(['gateway', 'operator'], caller, settings)
    case 'own_token':
      if (tokens[policy.of] === undefined)
        return { status: 503, detail: `${OWN_TOKEN_ROUTES[policy.of]} is not configured` }
      return credentialRefusal([policy.of, 'operator'], caller, settings)
  }
}

function credentialRefusal(
  allow: readonly Principal[] | 'anyone',
  caller: Caller,
  settings: IdentitySettings,
): Refusal | null {
  if (identityProblem(settings) !== null) return { status: 503, detail: UNSET }
  switch (caller.kind) {
    case 'anonymous':
      return { status: 401, detail: 'Authentication required' }
    case 'stranger':
      return { status: 401, detail: 'Invalid or expired credential' }
    case 'unverifiable':
      return allow !== 'anyone' && allow.includes('user')
        ? { status: 503, detail: 'User tokens cannot be verified: no secret is configured' }
        : { status: 401, detail: 'Invalid or expired credential' }
    case 'known': {
      const allowed = allow === 'anyone' || allow.some((principal) => caller.principals.has(principal))
      return allowed ? null : { status: 403, detail: 'This credential is not for this route' }
    }
  }
}

/** The sender of a request with this `Authorization` header. */
type Identify = (authorization: string | undefined) => Promise<Caller>

/** Compares with every configured token, whichever matches, so that the time reveals nothing. */
export function createIdentify({ tokens, userSecret, userClaims }: IdentitySettings): Identify {
  const configured = SERVICE_PRINCIPALS.flatMap((principal) => {
    const token = tokens[principal]
    return token === undefined ? [] : [{ principal, token }]
  })
  const verifyUser = userSecret === null ? null : createUserVerifier(userSecret, userClaims)
  return async (authorization) => {
    const given = bearerToken(authorization)
    if (given === null) return { kind: 'anonymous' }
    const principals = new Set<Principal>(
      configured.filter(({ token }) => secretsEqual(given, token)).map(({ principal }) => principal),
    )
    if (principals.size > 0) return { kind: 'known', principals }
    if (!looksLikeUserToken(given)) return { kind: 'stranger' }
    if (verifyUser === null) return { kind: 'unverifiable' }
    const user = await verifyUser(given)
    return user === null
      ? { kind: 'stranger' }
      : { kind: 'known', principals: new Set<Principal>(['user']), subject: user.subject }
  }
}

const EDGE_KEY = 'apikey'

/**
 * Key authentication as Kong's `key-auth` plugin does it: header or query `apikey`, the header first; several values are refused. The
 * refusals have Kong's bodies, not the backend's. 503 while no key is configured.
 */
function requireEdgeKey(request: FastifyRequest, expected: string | null): void {
  if (expected === null) throw new HttpError(503, 'The edge key is not configured')
  const given = givenEdgeKeys(request)
  if (given.length === 0) throw edgeRefusal('No API key found in request')
  if (given.length > 1) throw edgeRefusal('Duplicate API key found')
  if (!secretsEqual(given[0]!, expected)) throw edgeRefusal('Unauthorized')
}

function givenEdgeKeys(request: FastifyRequest): string[] {
  // The parsed headers would show two keys as one that no client sent.
  const { rawHeaders } = request.raw
  const inHeader = rawHeaders.filter(
    (_text, index) => index % 2 === 1 && rawHeaders[index - 1]!.toLowerCase() === EDGE_KEY,
  )
  if (inHeader.length > 0) return inHeader
  const inQuery = (request.query as Record<string, unknown>)[EDGE_KEY]
  return [inQuery].flat().filter((key) => typeof key === 'string')
}

function edgeRefusal(message: string): HttpError {
  return new HttpError(401, message, { family: 'edge', headers: { 'www-authenticate': 'Key' } })
}
