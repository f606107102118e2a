import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../../tests/helpers/temporary-folder.ts'
import { controlErrorOf } from '../../contract/control/control-error.ts'
import { CONTENT_SECURITY_POLICY } from '../engine/http/content-security-policy.ts'
import { createPanelHandler, devPolicy } from './panel-handler.ts'
import { listenLocally } from '../../tests/helpers/local-server.ts'

let folder: string
let server: Server
let seen: { method: string; path: string; headers: IncomingHttpHeaders; body: string }[]
let handle: (request: Request) => Promise<Response>
const answered: unknown[] = []

beforeEach(async () => {
  folder = await temporaryFolder('panel')
  await mkdir(join(folder, 'pages/assets'), { recursive: true })
  await writeFile(join(folder, 'pages/index.html'), '<!doctype html>')
  await writeFile(join(folder, 'pages/assets/app-1a2b3c4d.js'), 'export {}')
  await writeFile(join(folder, 'secret.txt'), 'secret')
  await symlink(join(folder, 'secret.txt'), join(folder, 'pages/link.txt'))
  seen = []
  answered.length = 0
  server = createServer((request, response) => {
    let body = ''
    request.on('data', (part: Buffer) => (body += part.toString('latin1')))
    request.on('end', () => {
      seen.push({ method: request.method!, path: request.url!, headers: request.headers, body })
      if (request.url!.includes('/proxy/')) {
        response.writeHead(429, { 'content-type': 'audio/wav', 'retry-after': '3', 'set-cookie': 'a=b' })
        response.end(Buffer.from([0, 255, 128]))
        return
      }
      if (request.url!.endsWith('/json')) {
        response.writeHead(200, { 'content-type': 'application/json' })
        response.write('{"json":')
        server.once('go', () => response.end('{}}'))
        server.once('break', () => response.destroy())
        return
      }
      response.writeHead(request.url!.endsWith('/bad') ? 422 : 200, {
        'content-type': 'text/event-stream',
        'set-cookie': 'a=b',
      })
      response.write('data: 1\n\n')
      // The second half only comes once the first has been read.
      server.once('go', () => response.end('data: 2\n\n'))
      if (request.url!.endsWith('/bad')) server.emit('go')
    })
  })
  const { url, close } = await listenLocally(server)
  onTestFinished(close)
  handle = createPanelHandler({
    rendererDir: join(folder, 'pages'),
    devServer: null,
    engine: {
      open: async () => (server.listening ? { url, token: 'the-token' } : null),
      onAnswered: (...call) => answered.push(call),
    },
  })
})

const post = (path: string, init: RequestInit = {}): Promise<Response> =>
  handle(new Request(`app://panel${path}`, { method: 'POST', body: '{}', ...init }))

it('serves the built pages under the one policy', async () => {
  const page = await handle(new Request('app://panel/'))
  expect(await page.text()).toBe('<!doctype html>')
  expect(page.headers.get('content-security-policy')).toBe(CONTENT_SECURITY_POLICY)
  const script = await handle(new Request('app://panel/assets/app-1a2b3c4d.js'))
  expect(script.headers.get('content-type')).toContain('javascript')
  expect(script.headers.get('cache-control')).toContain('immutable')
})

it.each(['/../secret.txt', '/%2e%2e/secret.txt', '/..%2fsecret.txt', '/link.txt', '/nothing.js'])(
  'has no file at %s',
  async (path) => {
    const answer = await handle(new Request(`app://panel${path}`))
    expect(answer.status).toBe(404)
    expect(await answer.text()).not.toContain('secret')
  },
)

it('serves no other host of its scheme', async () => {
  expect((await handle(new Request('app://elsewhere/'))).status).toBe(404)
})

it('forwards calls with the token and nothing of the page, and streams the answer as it comes', async () => {
  const answer = await post('/control/system/events', {
    headers: { authorization: 'Bearer mine', cookie: 'a=b', 'x-page': 'y' },
    body: '{"json":{"after":3}}',
  })
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader()
  expect(new TextDecoder().decode((await reader.read()).value)).toBe('data: 1\n\n')
  server.emit('go')
  expect(new TextDecoder().decode((await reader.read()).value)).toBe('data: 2\n\n')
  expect(seen).toHaveLength(1)
  expect(seen[0]).toMatchObject({ path: '/control/system/events', body: '{"json":{"after":3}}' })
  const { headers } = seen[0]!
  expect(headers).toMatchObject({ authorization: 'Bearer the-token', origin: 'app://panel' })
  expect(headers).not.toHaveProperty('cookie')
  expect(headers).not.toHaveProperty('x-page')
  expect(answer.headers.get('set-cookie')).toBeNull()
  expect([...answer.headers.values()].join()).not.toContain('the-token')
  expect(answered).toEqual([['system/events', '{"json":{"after":3}}', true]])
})

it('hands an answer over when it is whole, since a page may never see the end of one that comes in parts', async () => {
  let isThere = false
  const answer = post('/control/datasets/json').finally(() => (isThere = true))
  await expect.poll(() => answered.length).toBe(1)
  expect(isThere).toBe(false)
  server.emit('go')
  expect(await (await answer).json()).toEqual({ json: {} })
})

it('reports an answer that breaks off', async () => {
  const answer = post('/control/datasets/json')
  await expect.poll(() => answered.length).toBe(1)
  server.emit('break')
  expect((await answer).status).toBe(503)
})

it('passes a refusal on as it is', async () => {
  expect((await post('/control/runs/bad')).status).toBe(422)
  expect(answered).toEqual([['runs/bad', '{}', false]])
})

it.each([
  ['another method', { method: 'PUT' }, 405],
  ['another origin', { headers: { origin: 'https://example.org' } }, 403],
  ['too much', { body: 'x'.repeat(4_200_000) }, 413],
])('refuses %s before they reach the engine', async (_what, init, status) => {
  expect((await post('/control/runs/start', init)).status).toBe(status)
  expect(seen).toEqual([])
})

it('answers in the form of the control API when there is no engine', async () => {
  server.close()
  const answer = await post('/control/system/status')
  expect(answer.status).toBe(503)
  const { json } = (await answer.json()) as { json: unknown }
  expect(controlErrorOf(json)).toMatchObject({ code: 'unreachable', retryable: true })
})

it('passes calls of services on as they are, bytes and all, and their answers back', async () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, value) => value)
  const path = '/control/services/tts/proxy/voices/a%20b?q=1'
  const answer = await handle(
    new Request(`app://panel${path}`, {
      method: 'PUT',
      body: bytes,
      headers: { 'content-type': 'application/octet-stream', cookie: 'a=b', authorization: 'Bearer mine' },
    }),
  )
  expect(seen).toHaveLength(1)
  expect(seen[0]).toMatchObject({ method: 'PUT', path, body: Buffer.from(bytes).toString('latin1') })
  const { headers } = seen[0]!
  expect(headers).toMatchObject({
    'content-type': 'application/octet-stream',
    authorization: 'Bearer the-token',
    origin: 'app://panel',
  })
  expect(headers).not.toHaveProperty('cookie')
  expect(answer.status).toBe(429)
  expect([...new Uint8Array(await answer.arrayBuffer())]).toEqual([0, 255, 128])
  expect(answer.headers.get('retry-after')).toBe('3')
  expect(answer.headers.get('set-cookie')).toBeNull()
  expect(answer.headers.get('content-security-policy')).toBe(CONTENT_SECURITY_POLICY)
  expect(answered).toEqual([])

  await handle(new Request('app://panel/control/services/tts/proxy/voices', { method: 'GET' }))
  expect(seen[1]).toMatchObject({ method: 'GET', path: '/control/services/tts/proxy/voices', body: '' })
})

it('refuses calls of services from elsewhere, and reports when there is no engine', async () => {
  const path = 'app://panel/control/services/tts/proxy/voices'
  expect((await handle(new Request(path, { headers: { origin: 'https://example.org' } }))).status).toBe(403)
  expect(seen).toEqual([])
  server.close()
  expect((await handle(new Request(path))).status).toBe(503)
})

it('gives what the server of the pages makes, under a policy that differs in two things', async () => {
  const devServer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const handleDev = createPanelHandler({ rendererDir: folder, devServer, engine: { open: async () => null } })
  const answering = handleDev(new Request('app://panel/@vite/client?t=1'))
  await expect.poll(() => seen.length).toBe(1)
  server.emit('go')
  const answer = await answering
  expect(seen[0]).toMatchObject({ method: 'GET', path: '/@vite/client?t=1' })
  expect(answer.headers.get('content-security-policy')).toBe(devPolicy(devServer))
  const [shipped, development] = [CONTENT_SECURITY_POLICY.split('; '), devPolicy(devServer).split('; ')]
  expect(development.filter((directive) => !shipped.includes(directive))).toEqual([
    "script-src 'self' 'unsafe-inline'",
    `connect-src 'self' ${devServer.replace('http', 'ws')}`,
  ])
})
