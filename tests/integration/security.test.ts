import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { PluginManifest } from '../../contract/manifests/plugin.ts'
import type { GuardedRoute } from '../../providers/platform/identity/guard.ts'
import { SERVICE_PRINCIPALS, SERVICE_TOKEN_VARIABLES } from '../../providers/platform/identity/principals.ts'
import type { Principal } from '../../providers/platform/identity/principals.ts'
import { routePolicies } from '../../providers/platform/identity/route-policy.ts'
import type { RoutePolicy } from '../../providers/platform/identity/route-policy.ts'
import { json, startFaultServer } from '../helpers/fault-server.ts'
import { startPlatformProcess } from '../helpers/platform-process.ts'
import type { PlatformProcess } from '../helpers/platform-process.ts'
import { PROJECT_ROOT } from '../helpers/project-root.ts'
import { consumer } from '../helpers/rag-fixture.ts'
import { head, rawClient, rawStatus } from '../helpers/raw-request.ts'
import type { RawRequest } from '../helpers/raw-request.ts'
import { badUserTokens, USER_SECRET, userToken } from '../helpers/user-token.ts'

/** Secrets whose text appears nowhere else, so that a search of the log for them means something. */
const token = (principal: string): string => `secret-token-of-the-${principal}-0123456789`
const GRAPH_KEY = token('graph-engine')
const EDGE_KEY = token('edge')
const SECRETS = {
  ...Object.fromEntries(SERVICE_PRINCIPALS.map((name) => [SERVICE_TOKEN_VARIABLES[name], token(name)])),
  BACKEND_JWT_SECRET: USER_SECRET,
  BACKEND_JWT_CLAIMS: 'authenticated',
  GRAPHENGINE_API_KEY: GRAPH_KEY,
  BACKEND_EDGE_API_KEY: EDGE_KEY,
}
const PARAMETERS: Record<string, string> = {
  ':approach': 'vanilla-rag',
  ':id': '00000000-0000-4000-8000-000000000000',
  ':job_id': '00000000-0000-4000-8000-000000000000',
  ':profile': 'unlisted',
  ':trackId': 'unknown-track',
  ':path': 'unknown-webhook',
  ':fact_id': 'unknown-fact',
  ':session_id': 'unknown-session',
  ':bucket': 'default',
  ':name': 'unknown.txt',
  ':filename': 'unknown.png',
  ':workflow_id': 'unknownWorkflow',
  ':submission_id': 'raysubmit_unknown',
}
/** Lists what takes files, by forms. */
const FORM_ROUTES = ['/documents/upload', '/documents/extract', '/storage/upload', '/gltf/postprocess', '/assets/bake']
/** Of the plugin in `tests/fixtures/plugins`. */
const ROUTERS = PluginManifest.parse(
  parse(await readFile(join(PROJECT_ROOT, 'tests/fixtures/plugins/batch-questions/plugin.yaml'), 'utf8')),
).routers
const USER = await userToken()
const BAD_USERS = await badUserTokens()

interface Door {
  name: string
  pluginAuth: 'inherit' | 'key-auth' | 'open'
  edge: boolean
}

const DOORS: Door[] = [
  { name: 'the default door', pluginAuth: 'inherit', edge: false },
  { name: 'a server at the edge, with a key-auth plugin', pluginAuth: 'key-auth', edge: true },
  { name: 'a door with an open plugin', pluginAuth: 'open', edge: false },
]

/** Who gets through a policy by a bearer token. */
function allowed(policy: RoutePolicy): readonly Principal[] {
  if (policy.kind === 'identity') return policy.allow
  if (policy.kind === 'gateway') return ['gateway', 'operator']
  return policy.kind === 'own_token' ? [policy.of, 'operator'] : []
}

const bearer = (credential: string): Record<string, string> => ({ authorization: `Bearer ${credential}` })

describe.each(DOORS)('$name', ({ pluginAuth, edge }) => {
  let folder: string
  let platform: PlatformProcess
  let client: ReturnType<typeof rawClient>
  let registered: GuardedRoute[]

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'security-'))
    const manifests = join(folder, 'manifests')
    await cp(join(PROJECT_ROOT, 'manifests'), manifests, { recursive: true })
    const file = join(manifests, 'consumer.yaml')
    const declared = (await readFile(file, 'utf8')).replace('auth: inherit', `auth: ${pluginAuth}`)
    // With a further plugin, whose routes are guarded like all others.
    await writeFile(file, `${declared}plugins: [plugins/batch-questions]\n`)
    await cp(join(PROJECT_ROOT, 'tests/fixtures/plugins'), join(folder, 'plugins'), { recursive: true })
    const reranker = await startFaultServer()
    reranker.script(json([{ index: 0, score: 1 }]))
    platform = await startPlatformProcess({
      ...SECRETS,
      RAG_LADDER_STATE_DIR: join(folder, 'state'),
      RAG_LADDER_MANIFESTS: manifests,
      PLATFORM_PLUGINS: 'batch-questions',
      RAG_PROFILE: 'smoke',
      BACKEND_EDGE_AUTH: edge ? 'key-auth' : 'disabled',
      // Requests come at once here: none is refused because another one is under way.
      ASSET_WORKER_CONCURRENCY: '64',
      ASSET_BAKER_CONCURRENCY: '64',
      PLATFORM_LOG_LEVEL: 'trace',
      // It holds for each of hundreds of requests at once, and ends those whose body does not arrive.
      PLATFORM_REQUEST_TIMEOUT_SECONDS: '4',
      RERANKER_URL: reranker.url,
      RERANKER_API_KEY: token('reranker'),
    })
    // From here on its failures are logged.
    await reranker.close()
    client = rawClient(platform.url)
    const listed = await client.send({
      method: 'GET',
      path: '/internal/routes',
      headers: { ...bearer(token('operator')), apikey: EDGE_KEY },
    })
    registered = (JSON.parse(listed.body) as { routes: GuardedRoute[] }).routes
  })

  afterAll(async () => {
    client.close()
    await platform.stop()
    await rm(folder, { recursive: true })
  })

  const table = [...routePolicies({ plugin: { ...consumer.plugin, auth: pluginAuth }, routers: ROUTERS })].map(
    ([route, policy]) => {
      const [method, url] = route.split(' ') as [string, string]
      const path = url.replace(/:\w+/g, (parameter) => PARAMETERS[parameter] ?? 'x')
      return { route, method, path, policy }
    },
  )
  type Guarded = (typeof table)[number]

  const behindEdge = (policy: RoutePolicy): boolean => edge && policy.kind === 'identity' && policy.behindEdge

  /** Headers that open a route. */
  function rightCredential(policy: RoutePolicy): Record<string, string> {
    const apikey: Record<string, string> = behindEdge(policy) || policy.kind === 'edge_key' ? { apikey: EDGE_KEY } : {}
    if (policy.kind === 'graph_key') return { 'x-api-key': GRAPH_KEY }
    const [principal] = allowed(policy)
    return principal === undefined ? apikey : { ...apikey, ...bearer(token(principal)) }
  }

  /** Returns what the server answers to a bearer credential; null where it admits it. The edge's key is there where it is asked for. */
  function expected(policy: RoutePolicy, credential: 'none' | 'unknown' | Principal): number | null {
    switch (policy.kind) {
      case 'open':
      case 'unknown':
        return null
      case 'edge_key':
        return 401
      case 'graph_key':
        return credential === 'none' ? 403 : 401
      case 'identity':
      case 'gateway':
      case 'own_token':
        if (credential === 'none' || credential === 'unknown') return 401
        return allowed(policy).includes(credential) ? null : 403
    }
  }

  const edgeHeader = (policy: RoutePolicy): Record<string, string> => (behindEdge(policy) ? { apikey: EDGE_KEY } : {})
  const takesBody = (method: string): boolean => method !== 'GET'
  const status = async (what: RawRequest): Promise<number> => (await client.send(what)).status

  /** The statuses of many requests at once, each under its own name. */
  async function statuses(requests: Record<string, RawRequest>): Promise<Record<string, number>> {
    const answers = Object.entries(requests).map(async ([name, what]) => [name, await status(what)] as const)
    return Object.fromEntries(await Promise.all(answers))
  }

  it('registers exactly the routes of the table, each with its policy', () => {
    const shown = (routes: { route: string; policy: RoutePolicy }[]) =>
      routes.toSorted((a, b) => (a.route < b.route ? -1 : 1))
    expect(shown(registered.map(({ method, url, policy }) => ({ route: `${method} ${url}`, policy })))).toEqual(
      shown(table.map(({ route, policy }) => ({ route, policy }))),
    )
  })

  describe.each(table)('$route', (guarded: Guarded) => {
    const { method, path, policy } = guarded
    const json: Record<string, string> = takesBody(method) ? { 'content-type': 'application/json' } : {}
    const body: { body?: string } = takesBody(method) ? { body: '{' } : {}
    const open = policy.kind === 'open'

    it('refuses every caller without the scope', async () => {
      const credentials: [string, 'none' | 'unknown' | Principal, Record<string, string>][] = [
        ['no token', 'none', {}],
        ['a wrong token', 'unknown', bearer('wrong')],
        ['basic authentication', 'none', { authorization: 'Basic b3BlcmF0b3I6eA==' }],
        ['a user', 'user', bearer(USER)],
        ...SERVICE_PRINCIPALS.map(
          (name) => [`the token ${name}`, name, bearer(token(name))] as [string, Principal, Record<string, string>],
        ),
        ...Object.entries(BAD_USERS).map(
          ([fault, value]) =>
            [`a user token: ${fault}`, 'unknown', bearer(value)] as [string, 'unknown', Record<string, string>],
        ),
      ]
      const refused = credentials.flatMap(([name, credential, headers]) => {
        const answer = expected(policy, credential)
        return answer === null ? [] : [{ name, answer, headers: { ...json, ...edgeHeader(policy), ...headers } }]
      })
      const requests = refused.map(({ name, headers }) => [name, { method, path, headers, ...body }] as const)
      expect(await statuses(Object.fromEntries(requests))).toEqual(
        Object.fromEntries(refused.map(({ name, answer }) => [name, answer])),
      )
      if (method === 'GET' && !open) {
        expect(await status({ method: 'HEAD', path, headers: edgeHeader(policy) })).toBe(expected(policy, 'none'))
      }
    })

    it('names the kind of credential it wants, without naming one', async () => {
      const answer = await client.send({ method, path, headers: { ...json, ...edgeHeader(policy) }, ...body })
      if (open) {
        // The reranker is gone: the one documented 503 without a credential.
        expect(answer.status).toBe(path === '/ready' ? 503 : answer.status)
        expect(path === '/ready' || answer.status < 500).toBe(true)
        return
      }
      const scheme = { edge_key: 'Key', graph_key: undefined }[policy.kind as string]
      expect(answer.headers['www-authenticate']).toBe(policy.kind in { edge_key: 0, graph_key: 0 } ? scheme : 'Bearer')
      for (const secret of Object.values(SECRETS)) expect(answer.body).not.toContain(secret)
    })

    it('wants the keys of edge and graph engine where the policy does', async () => {
      const wrong = 'wrong-key'
      if (policy.kind === 'graph_key') {
        const answers = await statuses({
          wrong: { method, path, headers: { ...json, 'x-api-key': wrong }, ...body },
          bearer: { method, path, headers: { ...json, ...bearer(GRAPH_KEY) }, ...body },
        })
        expect(answers).toEqual({ wrong: 403, bearer: 401 })
      }
      if (policy.kind === 'edge_key' || behindEdge(policy)) {
        const { apikey: _apikey, ...rest } = rightCredential(policy)
        const twice = `${path}?apikey=${EDGE_KEY}&apikey=${EDGE_KEY}`
        const answers = await statuses({
          missing: { method, path, headers: { ...json, ...rest }, ...body },
          wrong: { method, path, headers: { ...json, ...rest, apikey: wrong }, ...body },
          'wrong in the query': { method, path: `${path}?apikey=${wrong}`, headers: { ...json, ...rest }, ...body },
          twice: { method, path: twice, headers: { ...json, ...rest }, ...body },
        })
        expect(answers).toEqual({ missing: 401, wrong: 401, 'wrong in the query': 401, twice: 401 })
      }
    })

    it('refuses pages of foreign sites, whatever they carry', async () => {
      const headers = { ...json, ...rightCredential(policy) }
      const foreign = { ...headers, origin: 'https://evil.example' }
      const form = 'application/x-www-form-urlencoded'
      const answers = await statuses({
        host: { method, path, headers: { ...headers, host: 'evil.example' }, ...body },
        'host with our name in it': { method, path, headers: { ...headers, host: 'localhost.evil.example' }, ...body },
        origin: { method, path, headers: foreign, ...body },
        'origin null': { method, path, headers: { ...headers, origin: 'null' }, ...body },
        'form of a foreign site': { method, path, headers: { ...foreign, 'content-type': form }, ...body },
      })
      const refused = { origin: 403, 'origin null': 403, 'form of a foreign site': 403 }
      expect(answers).toEqual({ host: 421, 'host with our name in it': 421, ...refused })
    })

    if (takesBody(method))
      it('reads no body in a form that a page could post without asking', async () => {
        const types = [
          'text/plain',
          'application/x-www-form-urlencoded',
          'text/plain; charset=utf-8',
          'application/xml',
        ]
        const forms = FORM_ROUTES.some((route) => path.endsWith(route))
          ? types
          : [...types, 'multipart/form-data; boundary=x']
        const answers = await statuses(
          Object.fromEntries(
            forms.map((type) => {
              const headers = { ...rightCredential(policy), 'content-type': type }
              return [type, { method, path, headers, body: '{"a":"b"}' }]
            }),
          ),
        )
        expect(answers).toEqual(Object.fromEntries(forms.map((type) => [type, 415])))
      })

    it('is not reached by another way of writing its path', async () => {
      const variants = [
        `/health/..${path}`,
        `/health/%2e%2e${path}`,
        `/health%2f..${path}`,
        `/health/..%2f${path.slice(1)}`,
        `/health/..;${path}`,
        `/health\\..${path}`,
        `/health%5c..${path}`,
        `/.${path}`,
        `/%2e${path}`,
        `/${path}`,
        `${path}/`,
        `${path}//`,
        `${path}/.`,
        `${path}/..;/`,
        `${path}%00`,
        `${path}%20`,
        `${path}%`,
        `${path}%c0%af`,
        `${path}/../../../../etc/passwd`,
        `${path}/%2e%2e/%2e%2e/%2e%2e/etc/passwd`,
        `${path}/..%2f..%2f..%2fetc%2fpasswd`,
        `${path}/${'a'.repeat(3000)}`,
        path === '/' ? '/X' : path.toUpperCase(),
      ]
      const anonymous = await statuses(
        Object.fromEntries(variants.map((variant) => [variant, { method, path: variant }])),
      )
      const headers = rightCredential(policy)
      const authenticated = await statuses(
        Object.fromEntries(variants.map((variant) => [variant, { method, path: variant, headers }])),
      )
      const refused = (answers: Record<string, number>, also: number[] = []) =>
        Object.entries(answers).filter(([, answer]) => (answer < 400 || answer >= 500) && !also.includes(answer))
      expect(refused(anonymous)).toEqual([])
      // For a caller with access the last part of such a path is a name like any other, and nothing may be known under it.
      expect(refused(authenticated, /\/:\w+$/.test(guarded.route) ? [200] : [])).toEqual([])
      const decoded = `/%${path.charCodeAt(1).toString(16)}${path.slice(2)}`
      if (path !== '/' && !open) expect(await status({ method, path: decoded })).toBe(expected(policy, 'none'))
    })

    it('refuses a body over its limit before it is sent', async () => {
      const { body_limit_bytes: limit } = registered.find(
        ({ method: itsMethod, url }) => `${itsMethod} ${url}` === guarded.route,
      )!
      expect(limit).toBeGreaterThan(0)
      const headers = {
        'content-type': 'application/json',
        ...rightCredential(policy),
        'content-length': String(limit + 1),
      }
      expect(await rawStatus(platform.url, head(method, path, headers))).toBe(413)
    })

    it('refuses lengths that are none', async () => {
      const answers = ['abc', '-1', '+5', '0x10', '1, 2', ' '].map(async (length) => {
        const headers = { ...json, ...rightCredential(policy), 'content-length': length }
        return [length, await rawStatus(platform.url, `${head(method, path, headers)}{}`)]
      })
      expect((await Promise.all(answers)).filter(([, answer]) => answer !== 400)).toEqual([])
    })

    it('refuses two lengths, and a length beside chunks', async () => {
      const headers = head(method, path, { ...json, ...rightCredential(policy), 'content-length': '2' }).slice(0, -2)
      expect(await rawStatus(platform.url, `${headers}content-length: 3\r\n\r\n{}`)).toBe(400)
      expect(await rawStatus(platform.url, `${headers}transfer-encoding: chunked\r\n\r\n0\r\n\r\n`)).toBe(400)
    })
  })

  it('ends every request whose body does not arrive in 408', async () => {
    const slow = table.filter(({ method }) => takesBody(method))
    const answers = slow.map(async ({ route, method, path, policy }) => {
      const headers = { ...rightCredential(policy), 'content-type': 'application/json', 'content-length': '100' }
      return [route, await rawStatus(platform.url, `${head(method, path, headers)}{"a":`)] as const
    })
    expect(Object.fromEntries(await Promise.all(answers))).toEqual(
      Object.fromEntries(slow.map(({ route }) => [route, 408])),
    )
  })

  it('refuses methods that a route does not have as it refuses unknown paths', async () => {
    const known = new Set(table.map(({ route }) => route))
    const foreign = table.flatMap(({ path, route }) =>
      ['PUT', 'PATCH', 'OPTIONS', 'TRACE', 'GET', 'POST'].flatMap((method) =>
        known.has(`${method} ${route.split(' ')[1]!}`) ? [] : [{ method, path }],
      ),
    )
    const named = (headers: Record<string, string>) =>
      Object.fromEntries(foreign.map(({ method, path }) => [`${method} ${path}`, { method, path, headers }]))
    expect(new Set(Object.values(await statuses(named({}))))).toEqual(new Set([401]))
    expect(new Set(Object.values(await statuses(named(bearer(token('operator'))))))).toEqual(new Set([404]))
  })

  it('has written no secret to its log', async () => {
    const failed = await client.send({
      method: 'POST',
      path: `/graph-engine/rerank?apikey=${EDGE_KEY}`,
      headers: { ...bearer(token('rerank_adapter')), 'content-type': 'application/json', apikey: EDGE_KEY },
      body: JSON.stringify({ query: 'q', documents: ['d'] }),
    })
    expect([failed.status, failed.body]).toEqual([503, '{"detail":"The reranker cannot be reached"}'])
    const { body } = await client.send({
      method: 'GET',
      path: `/metrics?apikey=${EDGE_KEY}`,
      headers: bearer(token('operator')),
    })
    expect(body).toContain('rag_ladder_http_requests_total{method="GET",route="unmatched",status="401"}')
    const log = platform.errors()
    expect(log).toContain('"path":"/graph-engine/rerank"')
    for (const secret of [...Object.values(SECRETS), token('reranker'), USER, ...Object.values(BAD_USERS)]) {
      expect(body).not.toContain(secret)
      expect(log).not.toContain(secret)
    }
  })
})
