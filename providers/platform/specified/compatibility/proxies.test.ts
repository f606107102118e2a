import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { FastifyInstance } from 'fastify'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { guardedServer } from '../../../../tests/helpers/guarded-server.ts'
import { createClosingList } from '../../jobs/closing-list.ts'
import { readWorkflowApiSettings } from '../../workflow/workflow-api-settings.ts'
import { readRaySettings, registerRayRoutes } from './ray-routes.ts'
import { registerWorkflowRoutes } from './workflow-routes.ts'
import { listenLocally, type LocalServer } from '../../../../tests/helpers/local-server.ts'

interface Seen {
  method: string
  url: string
  headers: IncomingMessage['headers']
  body: string
}

let seen: Seen[]
/** Sends what the other server answers. */
let answer: (response: ServerResponse) => void
let upstream: LocalServer
let url: string
let app: FastifyInstance
let closing: ReturnType<typeof createClosingList>

beforeEach(async () => {
  seen = []
  answer = (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[]}')
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      seen.push({ method: request.method!, url: request.url!, headers: request.headers, body })
      answer(response)
    })
  })
  upstream = await listenLocally(server)
  url = upstream.url
})
afterEach(async () => {
  await app.close()
  await closing.closeAll()
  await upstream.close()
})

function start(env: Record<string, string> = {}): void {
  closing = createClosingList()
  const guarded = guardedServer({
    BACKEND_WORKFLOW_API_TOKEN: 'workflow-token',
    RAY_JOB_API_TOKEN: 'ray-token',
    RAY_URL: url,
    RAY_AUTH_TOKEN: 'token-of-the-cluster',
    WORKFLOW_URL: url,
    WORKFLOW_API_KEY: 'key-of-n8n',
    ...env,
  })
  const { reader } = guarded
  app = guarded.app
  registerRayRoutes(app, readRaySettings(reader), closing)
  registerWorkflowRoutes(app, readWorkflowApiSettings(reader), closing)
  expect(reader.problems).toEqual([])
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH'
async function ask(method: Method, path: string, token: string, payload?: object, headers = {}) {
  const sent = { authorization: `Bearer ${token}`, ...headers }
  return app.inject({ method, url: path, headers: sent, ...(payload === undefined ? {} : { payload }) })
}

const RAY = [
  ['GET', '/api/ray/version', '/api/version'],
  ['GET', '/api/ray/jobs', '/api/jobs/'],
  ['POST', '/api/ray/jobs', '/api/jobs/'],
  ['GET', '/api/ray/jobs/raysubmit_1', '/api/jobs/raysubmit_1'],
  ['DELETE', '/api/ray/jobs/raysubmit_1', '/api/jobs/raysubmit_1'],
  ['GET', '/api/ray/jobs/raysubmit_1/logs', '/api/jobs/raysubmit_1/logs'],
  ['POST', '/api/ray/jobs/raysubmit_1/stop', '/api/jobs/raysubmit_1/stop'],
] as const
const WORKFLOWS = [
  ['GET', '/workflows', '/api/v1/workflows'],
  ['POST', '/workflows', '/api/v1/workflows'],
  ['GET', '/workflows/aB3', '/api/v1/workflows/aB3'],
  ['PUT', '/workflows/aB3', '/api/v1/workflows/aB3'],
  ['DELETE', '/workflows/aB3', '/api/v1/workflows/aB3'],
  ['POST', '/workflows/aB3/activate', '/api/v1/workflows/aB3/activate'],
  ['POST', '/workflows/aB3/deactivate', '/api/v1/workflows/aB3/deactivate'],
] as const

it.each([
  ...RAY.map((route) => [...route, 'ray-token', { authorization: 'Bearer token-of-the-cluster' }] as const),
  ...WORKFLOWS.map((route) => [...route, 'operator-token', { 'x-n8n-api-key': 'key-of-n8n' }] as const),
])('%s %s is passed on to %s with the credential of the platform only', async (method, path, target, token, own) => {
  start()
  const body = method === 'POST' || method === 'PUT' ? { name: 'ä', nested: [1] } : undefined
  const given = await ask(method, `${path}?limit=2&name=a%20b`, token, body, { cookie: 'a=b', 'x-other': 'c' })
  expect([given.statusCode, given.body, given.headers['content-type']]).toEqual([
    200,
    '{"data":[]}',
    'application/json',
  ])
  expect(seen).toHaveLength(1)
  const [request] = seen as [Seen]
  expect([request.method, request.url]).toEqual([method, `${target}?limit=2&name=a%20b`])
  expect(request.body).toBe(body === undefined ? '' : JSON.stringify(body))
  expect(request.headers).toMatchObject(own)
  expect(JSON.stringify(request.headers)).not.toContain(token)
  expect(request.headers).not.toHaveProperty('cookie')
  expect(request.headers).not.toHaveProperty('x-other')
})

describe.each([
  ['Ray', '/api/ray/jobs', 'ray-token', {}],
  ['The workflow engine', '/workflows', 'operator-token', {}],
])('%s', (name, path, token) => {
  const failure = async () => {
    const given = await ask('GET', path, token)
    return [given.statusCode, given.json<{ detail?: string }>().detail]
  }

  it.each([401, 403])('that refuses our credential with %i is a 502', async (status) => {
    start()
    answer = (response) => response.writeHead(status).end('{"message":"secret"}')
    expect(await failure()).toEqual([502, `${name} refused the credential of this platform`])
  })

  it('that redirects is a 502, and the other address is not called', async () => {
    start()
    answer = (response) => response.writeHead(302, { location: `${url}/elsewhere` }).end()
    expect(await failure()).toEqual([502, `${name} answered with a redirect (HTTP 302)`])
    expect(seen).toHaveLength(1)
  })

  it('may answer as many bytes as its limit, and not one more', async () => {
    start({ RAY_MAX_RESPONSE_BYTES: '11', WORKFLOW_SEED_MAX_RESPONSE_BYTES: '11' })
    expect((await ask('GET', path, token)).statusCode).toBe(200)
    answer = (response) => response.end('x'.repeat(12))
    expect(await failure()).toEqual([502, `${name} sent more than 11 bytes`])
  })

  it('that is silent is a 504 after its limit of time', async () => {
    start({ RAY_TIMEOUT_SECONDS: '0.05', WORKFLOW_SEED_HTTP_TIMEOUT_MS: '50' })
    answer = () => {}
    expect(await failure()).toEqual([504, `${name} gave no answer within 50 ms`])
  })

  it('that is not there is a 502', async () => {
    start({ RAY_URL: 'http://127.0.0.1:1', WORKFLOW_URL: 'http://127.0.0.1:1' })
    expect(await failure()).toEqual([502, `${name} cannot be reached`])
  })

  it('keeps its own errors, and nothing that it sends runs at this address', async () => {
    start()
    answer = (response) => response.writeHead(404, { 'content-type': 'text/html', 'set-cookie': 'a=b' }).end('<script>')
    const given = await ask('GET', path, token)
    expect([given.statusCode, given.body]).toEqual([404, '<script>'])
    expect(given.headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'x-content-type-options': 'nosniff',
    })
    expect(given.headers).not.toHaveProperty('set-cookie')
  })

  it.each(['..', '.', 'a%2fb', 'a%2e%2e', 'a;b', 'a%00', 'a%3fb', 'ä'])('never sees the id %s', async (id) => {
    start()
    const { statusCode } = await ask('GET', `${path}/${id}`, token)
    expect(statusCode === 404 || (id === '.' && statusCode === 200) || statusCode === 400).toBe(true)
    expect(seen.map((request) => request.url).join()).not.toContain(id)
  })

  it('is asked for nothing that the table does not list', async () => {
    start()
    for (const [method, rest] of [
      ['PATCH', ''],
      ['DELETE', ''],
      ['GET', '/a/b/c'],
      ['POST', '/a/transfer'],
    ] as const)
      expect([rest, (await ask(method, `${path}${rest}`, token)).statusCode]).toEqual([rest, 404])
    expect(seen).toEqual([])
  })
})

describe('a proxy that is not configured answers 503 without a call', () => {
  it.each([
    ['/api/ray/jobs', 'ray-token', { RAY_URL: '' }, 'RAY_URL'],
    ['/api/ray/jobs', 'operator-token', { RAY_JOB_API_TOKEN: '' }, 'The job API is not configured'],
    ['/workflows', 'operator-token', { WORKFLOW_API_KEY: '' }, 'WORKFLOW_API_KEY'],
    ['/workflows', 'operator-token', { WORKFLOW_URL: '' }, 'WORKFLOW_URL'],
  ])('%s for %s with %j', async (path, token, env, named) => {
    start(env)
    const given = await ask('GET', path, token)
    expect([given.statusCode, given.json<{ detail: string }>().detail]).toEqual([503, expect.stringContaining(named)])
    expect(seen).toEqual([])
  })

  it('asks for the bearer of the job API also while identity is disabled', async () => {
    start({ BACKEND_IDENTITY_AUTH: 'disabled' })
    expect((await app.inject('/api/ray/jobs')).statusCode).toBe(401)
    expect((await app.inject('/workflows')).statusCode).toBe(200)
  })
})
