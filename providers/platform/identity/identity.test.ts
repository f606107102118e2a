import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { badUserTokens, USER_SECRET, userToken } from '../../../tests/helpers/user-token.ts'
import { testServer } from '../../../tests/helpers/test-server.ts'
import { createEnvReader } from '../../kit/env-reader.ts'
import { createLogger } from '../../kit/logger.ts'
import { createHttpServer, useErrorFamily } from '../../kit/server.ts'
import { createIdentify, decide, guardRoutes, UnguardedRouteError } from './guard.ts'
import { identityProblem, readEdgeSettings, readIdentitySettings } from './identity-settings.ts'
import { SERVICE_PRINCIPALS, SERVICE_TOKEN_VARIABLES, type Principal } from './principals.ts'
import { routePolicies, type RoutePolicy } from './route-policy.ts'

/** Every service token set, each with its own value. */
const ALL_TOKENS = Object.fromEntries(
  SERVICE_PRINCIPALS.map((principal) => [SERVICE_TOKEN_VARIABLES[principal], `token-of-${principal}`]),
)
const ENV = {
  ...ALL_TOKENS,
  BACKEND_JWT_SECRET: USER_SECRET,
  BACKEND_JWT_CLAIMS: 'authenticated',
  GRAPHENGINE_API_KEY: 'graph',
}

function settings(env: Record<string, string>) {
  const reader = createEnvReader(env)
  const read = { identity: readIdentitySettings(reader), edge: readEdgeSettings(reader) }
  expect(reader.problems).toEqual([])
  return read
}

const POLICIES: Record<string, RoutePolicy> = {
  open: { kind: 'open' },
  operator: { kind: 'identity', allow: ['operator'], behindEdge: true },
  user: { kind: 'identity', allow: ['operator', 'user'], behindEdge: true },
  notebook: { kind: 'identity', allow: ['operator', 'notebook', 'user'], behindEdge: true },
  webhook: { kind: 'identity', allow: ['operator', 'gateway', 'user'], behindEdge: false },
  gateway: { kind: 'gateway' },
  rerank: { kind: 'own_token', of: 'rerank_adapter' },
  ray: { kind: 'own_token', of: 'ray' },
  assetWorker: { kind: 'own_token', of: 'asset_worker' },
  assetBaker: { kind: 'own_token', of: 'asset_baker' },
  edge: { kind: 'edge_key' },
  graph: { kind: 'graph_key' },
}

/** A server with one route per policy, named after it. */
function appWith(env: Record<string, string>) {
  const app = testServer()
  const policies = new Map(Object.entries(POLICIES).map(([name, policy]) => [`GET /${name}`, policy]))
  const routes = guardRoutes(app, { policies, ...settings(env) })
  for (const name of Object.keys(POLICIES)) {
    void app.register(async (scope) => {
      if (name === 'gateway') useErrorFamily(scope, 'openai')
      scope.get(`/${name}`, async () => 'in')
    })
  }
  const get = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers })
  const statuses = async (bearer?: string) =>
    Object.fromEntries(
      await Promise.all(
        [...Object.keys(POLICIES), 'nowhere'].map(async (name) => {
          const { statusCode } = await get(
            `/${name}`,
            bearer === undefined ? {} : { authorization: `Bearer ${bearer}` },
          )
          return [name, statusCode] as const
        }),
      ),
    )
  return { app, get, statuses, routes }
}

it.each([
  ['minimal', { aud: undefined, role: undefined, sub: 'user-7' }, 200],
  ['', { aud: undefined, role: undefined, sub: 'user-7' }, 200],
  ['minimal', { sub: '' }, 401],
  ['minimal', { sub: 'a\u0000b' }, 401],
  ['minimal', { aud: 'anon' }, 401],
  ['minimal', { role: 'service_role' }, 401],
  ['minimal', { exp: undefined }, 401],
  ['authenticated', { aud: undefined }, 401],
  ['authenticated', { role: undefined }, 401],
  ['authenticated', {}, 200],
])('BACKEND_JWT_CLAIMS: %s answers a token with %j by %i', async (claims, changes, status) => {
  const { get } = appWith({ ...ENV, BACKEND_JWT_CLAIMS: claims })
  const authorization = `Bearer ${await userToken(changes)}`
  expect((await get('/user', { authorization })).statusCode).toBe(status)
})

it.each([
  [{ 'x-api-key': 'graph' }, '/graph-engine/graphs', 404],
  [{ 'x-api-key': 'wrong' }, '/graph-engine/graphs', 401],
  [{}, '/graph-engine/graphs', 401],
  [{ 'x-api-key': 'graph' }, '/elsewhere', 401],
])('an unknown route of the graph engine with %j at %s is answered %i', async (headers, url, status) => {
  expect((await appWith(ENV).get(url, headers as Record<string, string>)).statusCode).toBe(status)
})

describe('identity required', () => {
  /** Statuses by policy: unless named, `rest`. The edge key and the graph engine's key are other headers. */
  const expected = (rest: number, changes: Record<string, number>) => ({
    ...Object.fromEntries([...Object.keys(POLICIES), 'nowhere'].map((name) => [name, rest])),
    open: 200,
    graph: 200,
    edge: 503,
    ...changes,
  })

  it.each([
    ['operator', expected(200, { nowhere: 404 })],
    ['workflow', expected(403, { nowhere: 404 })],
    ['notebook', expected(403, { notebook: 200, nowhere: 404 })],
    ['chatui', expected(403, { nowhere: 404 })],
    ['ray', expected(403, { ray: 200, nowhere: 404 })],
    ['rerank_adapter', expected(403, { rerank: 200, nowhere: 404 })],
    ['asset_worker', expected(403, { assetWorker: 200, nowhere: 404 })],
    ['asset_baker', expected(403, { assetBaker: 200, nowhere: 404 })],
    ['gateway', expected(403, { gateway: 200, webhook: 200, nowhere: 404 })],
  ])('the %s token opens its routes only; on others it gets 403', async (principal, statuses) => {
    expect(await appWith(ENV).statuses(`token-of-${principal}`)).toEqual(statuses)
  })

  it('a user token opens the routes of users only', async () => {
    const allowed = expected(403, { user: 200, notebook: 200, webhook: 200, nowhere: 404 })
    expect(await appWith(ENV).statuses(await userToken())).toEqual(allowed)
    expect(await appWith(ENV).statuses(await userToken({ aud: ['other', 'authenticated'] }))).toEqual(allowed)
  })

  it('no credential, an unknown one and every invalid user token get 401', async () => {
    const closed = expected(401, {})
    const app = appWith(ENV)
    expect(await app.statuses()).toEqual(closed)
    for (const stranger of ['wrong', 'token-of-operato', 'token-of-operatorx', 'a.b.c']) {
      expect(await app.statuses(stranger)).toEqual(closed)
    }
    for (const [fault, token] of Object.entries(await badUserTokens())) {
      expect([fault, await app.statuses(token)]).toEqual([fault, closed])
    }
  })

  it('asks for a bearer, in the family of the route', async () => {
    const app = appWith(ENV)
    const refused = await app.get('/operator')
    expect([refused.headers['www-authenticate'], refused.json()]).toEqual([
      'Bearer',
      { detail: 'Authentication required' },
    ])
    expect((await app.get('/operator', { authorization: 'Basic dXNlcjpwYXNz' })).statusCode).toBe(401)
    const gateway = await app.get('/gateway', { authorization: 'Bearer wrong' })
    expect([gateway.headers['www-authenticate'], gateway.json()]).toEqual([
      'Bearer',
      {
        error: {
          message: 'Invalid or expired credential',
          type: 'authentication_error',
          param: null,
          code: 'invalid_api_key',
        },
      },
    ])
  })

  it('guards the HEAD of a GET', async () => {
    const { app } = appWith(ENV)
    expect((await app.inject({ method: 'HEAD', url: '/operator' })).statusCode).toBe(401)
  })

  it('answers 503 where the credential that it would compare with is not configured', async () => {
    const { BACKEND_JWT_SECRET: _secret, ...noUsers } = ENV
    const statuses = await appWith(noUsers).statuses(await userToken())
    expect(statuses).toMatchObject({ user: 503, notebook: 503, operator: 401, gateway: 401, nowhere: 401 })
    const onlyOperator = { BACKEND_INTERNAL_API_TOKEN: 'token-of-operator' }
    expect(await appWith(onlyOperator).statuses('token-of-operator')).toEqual(
      expected(200, { rerank: 503, ray: 503, assetWorker: 503, assetBaker: 503, graph: 503, nowhere: 404 }),
    )
    expect(await appWith({}).statuses('anything')).toEqual(expected(503, { graph: 503 }))
  })

  it('a token that two variables share counts for both', async () => {
    const shared = { ...ENV, BACKEND_NOTEBOOK_API_TOKEN: 'token-of-gateway' }
    expect(await appWith(shared).statuses('token-of-gateway')).toMatchObject({
      gateway: 200,
      notebook: 200,
      operator: 403,
    })
  })
})

describe('other modes', () => {
  it('disabled opens the backend, but not what has a key of its own', async () => {
    const open = await appWith({ ...ENV, BACKEND_IDENTITY_AUTH: 'disabled' }).statuses()
    expect(open).toMatchObject({ operator: 200, user: 200, notebook: 200, webhook: 200, graph: 200, nowhere: 404 })
    expect(open).toMatchObject({ gateway: 401, rerank: 401, ray: 401, edge: 503 })
    const bare = await appWith({ BACKEND_IDENTITY_AUTH: 'disabled' }).statuses()
    expect(bare).toMatchObject({ operator: 200, gateway: 200, graph: 200, rerank: 503, ray: 503 })
  })

  it.each(['off', 'Required', 'true', 'none'])('%j closes every guarded route with 503', async (mode) => {
    const env = { ...ENV, BACKEND_IDENTITY_AUTH: mode }
    const statuses = await appWith(env).statuses('token-of-operator')
    expect(statuses).toEqual({ ...Object.fromEntries(Object.keys(statuses).map((name) => [name, 503])), open: 200 })
    expect(identityProblem(settings(env).identity)).toContain('BACKEND_IDENTITY_AUTH')
  })
})

describe('the edge', () => {
  const edge = { ...ENV, BACKEND_EDGE_AUTH: 'key-auth', BACKEND_EDGE_API_KEY: 'edge-key' }
  const operator = { authorization: 'Bearer token-of-operator' }

  it('wants its key in front of the backend, with its own bodies', async () => {
    const { get } = appWith(edge)
    const answers = [
      await get('/operator', operator),
      await get('/operator', { ...operator, apikey: 'wrong' }),
      await get('/operator?apikey=edge-key&apikey=edge-key', operator),
      await get('/operator', { ...operator, apikey: 'edge-key' }),
      await get('/operator?apikey=edge-key', operator),
      await get('/operator', { apikey: 'edge-key' }),
    ]
    expect(
      answers.map((answer) => [answer.statusCode, answer.headers['www-authenticate'] ?? null, answer.body]),
    ).toEqual([
      [401, 'Key', '{"message":"No API key found in request"}'],
      [401, 'Key', '{"message":"Unauthorized"}'],
      [401, 'Key', '{"message":"Duplicate API key found"}'],
      [200, null, 'in'],
      [200, null, 'in'],
      [401, 'Bearer', '{"detail":"Authentication required"}'],
    ])
  })

  it('does not guard the gateway, the webhook, the adapter, the graph engine and the open routes', async () => {
    expect(await appWith(edge).statuses('token-of-operator')).toMatchObject({
      open: 200,
      gateway: 200,
      webhook: 200,
      rerank: 200,
      graph: 200,
      operator: 401,
      user: 401,
    })
  })

  it('is the only door of a key-auth plugin, also while the edge asks for nothing', async () => {
    const { get } = appWith({ ...ENV, BACKEND_EDGE_API_KEY: 'edge-key' })
    const answers = [
      await get('/edge'),
      await get('/edge', { apikey: 'wrong' }),
      await get('/edge', { apikey: 'edge-key' }),
    ]
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([401, 401, 200])
    const unset = appWith({ ...ENV, BACKEND_EDGE_AUTH: 'key-auth' })
    expect((await unset.get('/operator', { ...operator, apikey: 'x' })).json()).toEqual({
      detail: 'The edge key is not configured',
    })
  })
})

it('settings are refused at the start where they would weaken the door', () => {
  const reader = createEnvReader({ BACKEND_JWT_SECRET: 'short', BACKEND_EDGE_AUTH: 'on' })
  readIdentitySettings(reader)
  readEdgeSettings(reader)
  expect(reader.problems).toEqual([
    'BACKEND_JWT_SECRET: shorter than 32 bytes',
    'BACKEND_EDGE_AUTH: invalid value "on": expected one of disabled, key-auth',
  ])
})

describe('the route table', () => {
  it('keeps a route without a policy from being registered', async () => {
    const { app } = appWith(ENV)
    expect(() => app.get('/forgotten', async () => 'in')).toThrow(UnguardedRouteError)
    expect(() => app.post('/open', async () => 'in')).toThrow('the route POST /open has no access policy')
    const nested = createHttpServer({ logger: createLogger('test', 'silent') })
    guardRoutes(nested, { policies: new Map(), ...settings(ENV) })
    void nested.register(async (scope) => {
      scope.get('/deep', async () => 'in')
    })
    await expect(nested.ready()).rejects.toThrow('the route GET /deep has no access policy')
  })

  it('lists what was registered, with its policy and its limit', async () => {
    const { app, routes } = appWith(ENV)
    await app.ready()
    const limit = 16 * 1024 * 1024
    expect(routes).toEqual(
      Object.entries(POLICIES).map(([name, policy]) => ({
        method: 'GET',
        url: `/${name}`,
        policy,
        body_limit_bytes: limit,
      })),
    )
  })

  it.each([
    ['inherit' as const, { kind: 'identity', allow: ['operator', 'user'], behindEdge: true }],
    ['key-auth' as const, { kind: 'edge_key' }],
    ['open' as const, { kind: 'open' }],
  ])('gives a plugin with auth %s its routes, and never the build', (auth, policy) => {
    const table = routePolicies({ plugin: { route_prefix: '/rag', auth } })
    expect(table.get('POST /rag/:approach/v1/chat/completions')).toEqual(policy)
    expect(table.get('GET /rag/health')).toEqual(policy)
    expect(table.get('POST /rag/contextual/build')).toMatchObject({ allow: ['operator'] })
    const open = [...table].filter(([, { kind }]) => kind === 'open').map(([route]) => route)
    expect(open.filter((route) => !route.includes('/rag')).sort()).toEqual([
      'GET /',
      'GET /asset-baker/health',
      'GET /asset-worker/health',
      'GET /graph-engine/health',
      'GET /health',
      'GET /health/liveliness',
      'GET /health/readiness',
      'GET /ready',
    ])
  })

  it('opens to each principal what the specification lists for it, and no more', () => {
    const table = [...routePolicies({ plugin: { route_prefix: '/rag', auth: 'inherit' } })]
    const opened = (principal: Principal) =>
      table.flatMap(([route, policy]) => {
        const refusal = decide(policy, { kind: 'known', principals: new Set([principal]) }, settings(ENV).identity)
        return refusal === null && !['open', 'graph_key'].includes(policy.kind) ? [route] : []
      })
    const webhook = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((method) => `${method} /webhook/:path`)
    const stateless = ['POST /api/chunk', 'POST /api/rag/evaluate', 'POST /documents/extract']
    const records = [
      'GET /jobs',
      'GET /jobs/:job_id',
      'POST /jobs/:job_id/cancel',
      'POST /memory/facts',
      'GET /memory/facts',
      'DELETE /memory/facts/:fact_id',
      'POST /memory/search',
      'POST /memory/sessions',
      'GET /memory/sessions',
      'GET /memory/sessions/:session_id',
      'POST /memory/sessions/:session_id/messages',
      'DELETE /memory/sessions/:session_id',
      'POST /memory/consolidate',
    ]
    const images = ['POST /imagegen/generate', 'GET /imagegen/image/:filename']
    const objects = ['POST /storage/upload', 'GET /storage/objects/:bucket/:name']
    const research = [
      'POST /research/start',
      'GET /research/sessions',
      'GET /research/:session_id/status',
      'GET /research/:session_id/result',
      'GET /research/:session_id/logs',
      'POST /research/:session_id/cancel',
    ]
    const media = [
      'POST /media/generate',
      'GET /media/operations',
      'GET /media/operations/:operation_id',
      'POST /media/operations/:operation_id/cancel',
      'GET /media/spend',
    ]
    // No credential is for nothing.
    expect(SERVICE_PRINCIPALS.filter((principal) => opened(principal).length === 0)).toEqual([])
    expect(opened('notebook')).toEqual(stateless)
    expect(opened('rerank_adapter')).toEqual(['POST /graph-engine/rerank'])
    expect(opened('gateway')).toEqual([
      'GET /v1/models',
      'GET /v1/models/*',
      'POST /v1/chat/completions',
      'POST /v1/embeddings',
      // A route that does not exist is reported in the API's own form.
      ...['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((method) => `${method} /v1/*`),
      ...webhook,
    ])
    // Widening what a principal may do takes a second edit: this one.
    expect(opened('user').sort()).toEqual(
      [
        ...stateless,
        ...records,
        ...objects,
        ...research,
        ...media,
        ...images,
        'POST /api/rag/search',
        'GET /rag/health',
        'POST /rag/:approach/v1/chat/completions',
        ...webhook,
      ].sort(),
    )
    expect(opened('workflow').sort()).toEqual([...records, ...objects, ...research, ...images].sort())
    expect(opened('chatui').sort()).toEqual([...records, ...images].sort())
    expect(opened('ray')).toEqual([
      'GET /api/ray/version',
      'GET /api/ray/jobs',
      'POST /api/ray/jobs',
      'GET /api/ray/jobs/:submission_id',
      'DELETE /api/ray/jobs/:submission_id',
      'GET /api/ray/jobs/:submission_id/logs',
      'POST /api/ray/jobs/:submission_id/stop',
    ])
    expect(opened('asset_worker')).toEqual([
      'POST /asset-worker/gltf/postprocess',
      'POST /asset-worker/gltf/postprocess/ref',
      'GET /asset-worker/gltf/artifacts/:name',
    ])
    expect(opened('asset_baker')).toEqual([
      'POST /asset-baker/assets/bake',
      'POST /asset-baker/assets/bake/ref',
      'GET /asset-baker/assets/artifacts/:name',
    ])
    expect(opened('operator')).toEqual(
      table.filter(([, { kind }]) => !['open', 'graph_key'].includes(kind)).map(([route]) => route),
    )
    const graphKey = table.filter(([, { kind }]) => kind === 'graph_key').map(([route]) => route)
    expect(graphKey.every((route) => /^\w+ \/graph-engine\//.test(route))).toBe(true)
  })

  it('refuses a prefix that would take another route’s place', () => {
    expect(() => routePolicies({ plugin: { route_prefix: '', auth: 'open' } })).toThrow('two access policies')
  })
})

it('never lets arbitrary credentials in, and never fails on them', async () => {
  const identify = createIdentify(settings(ENV).identity)
  const part = fc.string({ unit: fc.constantFrom('a', 'b', 'X', 'Z', '0', '9', '-', '_', '='), maxLength: 40 })
  const json = fc.json().map((value) => Buffer.from(value).toString('base64url'))
  const token = fc.oneof(
    fc.string(),
    fc.tuple(fc.oneof(part, json), fc.oneof(part, json), part).map((parts) => parts.join('.')),
  )
  await fc.assert(
    fc.asyncProperty(token, async (value) => {
      const caller = await identify(`Bearer ${value}`)
      expect(caller.kind === 'anonymous' || caller.kind === 'stranger').toBe(true)
    }),
    { numRuns: 500 },
  )
})
