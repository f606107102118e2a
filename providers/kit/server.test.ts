import { once } from 'node:events'
import { connect } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { HttpError } from './http-error.ts'
import { createLogger } from './logger.ts'
import { closeGracefully, createHttpServer, listen, useErrorFamily, type HttpServerOptions } from './server.ts'
import { parseRequest } from './validate.ts'

class DomainError extends Error {}

const Body = z.strictObject({ name: z.string(), size: z.int().min(1).optional() })

async function start(options: Partial<HttpServerOptions> = {}) {
  const lines: string[] = []
  const app = createHttpServer({
    logger: createLogger('test', 'info', { write: (line) => lines.push(line) }),
    translate: (error) => (error instanceof DomainError ? new HttpError(409, 'Conflict of the domain') : null),
    lingerMs: 20,
    ...options,
  })
  onTestFinished(() => closeGracefully(app, 0))
  const routes = (scope: FastifyInstance) => {
    scope.post('/echo', async (request) => parseRequest(Body, request.body))
    scope.post('/small', { bodyLimit: 10 }, async () => ({ ok: true }))
    scope.get('/expected', async () => {
      throw new HttpError(404, 'Unknown thing', {
        code: 'thing_not_found',
        param: 'thing',
        headers: { 'x-why': 'gone' },
      })
    })
    scope.get('/domain', async () => {
      throw new DomainError('secret inside')
    })
    scope.get('/broken', async () => {
      throw new Error('secret inside')
    })
  }
  routes(app)
  for (const family of ['openai', 'tei'] as const) {
    await app.register(
      async (scope) => {
        useErrorFamily(scope, family)
        routes(scope)
      },
      { prefix: `/${family}` },
    )
  }
  return { ...(await listen(app, '127.0.0.1', 0)), app, lines }
}

const post = (url: string, body: string, headers: Record<string, string> = {}) =>
  fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } })

async function raw(port: number, request: string, until: () => Promise<void> = async () => undefined): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let answer = ''
  socket.on('data', (data) => (answer += data.toString()))
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  socket.write(request)
  await until()
  await once(socket, 'close')
  return answer
}

describe('error bodies', () => {
  it('answers a valid body and lists each fault of an invalid one as FastAPI does', async () => {
    const { url } = await start()
    expect(await (await post(`${url}/echo`, '{"name":"a"}')).json()).toEqual({ name: 'a' })
    const bad = await post(`${url}/echo`, '{"size":0,"more":1}')
    expect(bad.status).toBe(422)
    expect(await bad.json()).toEqual({
      detail: [
        { loc: ['body', 'name'], msg: 'Field required', type: 'missing' },
        { loc: ['body', 'size'], msg: 'Too small: expected number to be >=1', type: 'too_small' },
        { loc: ['body', 'more'], msg: 'Extra inputs are not permitted', type: 'extra_forbidden' },
      ],
    })
  })

  it('names malformed and missing JSON, foreign media types and unknown paths', async () => {
    const { url } = await start()
    const answers = await Promise.all([
      post(`${url}/echo`, '{"name"'),
      post(`${url}/echo`, ''),
      fetch(`${url}/echo`, { method: 'POST', body: new URLSearchParams({ name: 'a' }) }),
      fetch(`${url}/echo`, { method: 'POST', body: '{"name":"a"}', headers: { 'content-type': 'text/plain' } }),
      fetch(`${url}/nowhere`),
      fetch(`${url}/nowhere%`),
    ])
    expect(await Promise.all(answers.map(async (answer) => [answer.status, await answer.json()]))).toEqual([
      [422, { detail: [{ loc: ['body', 0], msg: 'JSON decode error', type: 'json_invalid' }] }],
      [422, { detail: [{ loc: ['body'], msg: 'Field required', type: 'missing' }] }],
      [415, { detail: 'Unsupported media type' }],
      [415, { detail: 'Unsupported media type' }],
      [404, { detail: 'Not Found' }],
      [400, { detail: 'Malformed path' }],
    ])
  })

  it.each([
    ['/expected', 404, { detail: 'Unknown thing' }],
    ['/domain', 409, { detail: 'Conflict of the domain' }],
    ['/broken', 500, { detail: 'Internal Server Error' }],
    [
      '/openai/expected',
      404,
      { error: { message: 'Unknown thing', type: 'not_found_error', param: 'thing', code: 'thing_not_found' } },
    ],
    [
      '/openai/broken',
      500,
      { error: { message: 'Internal Server Error', type: 'api_error', param: null, code: '500' } },
    ],
    ['/tei/expected', 404, { error: 'Unknown thing', error_type: 'Validation' }],
    ['/tei/broken', 500, { error: 'Internal Server Error', error_type: 'Backend' }],
  ])('%s answers %i in its family', async (path, status, body) => {
    const { url } = await start()
    const answer = await fetch(url + path)
    expect(answer.status).toBe(status)
    expect(await answer.json()).toEqual(body)
  })

  it('reports schema faults in the shape of each family', async () => {
    const { url } = await start()
    const openai = await post(`${url}/openai/echo`, '{"name":1}')
    expect([openai.status, await openai.json()]).toEqual([
      400,
      {
        error: {
          message: 'name: a text is required, not a number',
          type: 'invalid_request_error',
          param: 'name',
          code: 'invalid_request',
        },
      },
    ])
    const tei = await post(`${url}/tei/echo`, '{"name":1}')
    expect([tei.status, await tei.json()]).toEqual([
      422,
      { error: 'name: a text is required, not a number', error_type: 'Validation' },
    ])
  })

  it('sends declared headers, and logs the unexpected with its text', async () => {
    const { url, lines } = await start()
    expect((await fetch(`${url}/expected`)).headers.get('x-why')).toBe('gone')
    await fetch(`${url}/broken?apikey=in-the-query`)
    expect(lines.join('')).toContain('secret inside')
    expect(lines.join('')).toContain('"path":"/broken"')
    expect(lines.join('')).not.toContain('in-the-query')
  })
})

describe('body limits', () => {
  const tooLarge = (limit: number) => ({ detail: `Request body exceeds the limit for this endpoint (${limit} bytes)` })

  it('refuses a declared length over the limit of the server and of the route', async () => {
    const { url } = await start({ bodyLimitBytes: 1000 })
    const server = await post(`${url}/echo`, JSON.stringify({ name: 'x'.repeat(1000) }))
    expect([server.status, await server.json()]).toEqual([413, tooLarge(1000)])
    const route = await post(`${url}/small`, '{"a":"12345678"}')
    expect([route.status, await route.json()]).toEqual([413, tooLarge(10)])
  })

  it('refuses a declared length over the limit where no body is read', async () => {
    const { port } = await start({ bodyLimitBytes: 1000 })
    expect(await raw(port, 'GET /expected HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1001\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 413 /,
    )
  })

  it('refuses before the body is sent when its length is declared', async () => {
    const { port } = await start({ bodyLimitBytes: 1000 })
    const answer = await raw(
      port,
      'POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99999999\r\n\r\n',
    )
    expect(answer).toMatch(/^HTTP\/1\.1 413 /)
  })

  it('answers a caller that is still sending, and the next request', async () => {
    const { url } = await start({ bodyLimitBytes: 1000, lingerMs: 10_000 })
    for (let round = 0; round < 5; round += 1) {
      const answer = await post(`${url}/echo`, JSON.stringify({ name: 'x'.repeat(20_000_000) }))
      expect([answer.status, await answer.json()]).toEqual([413, tooLarge(1000)])
    }
    expect((await post(`${url}/echo`, '{"name":"a"}')).status).toBe(200)
  })

  it('counts a body of undeclared length', async () => {
    const { port } = await start({ bodyLimitBytes: 1000 })
    const answer = await raw(
      port,
      'POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n' +
        `400\r\n${'x'.repeat(1024)}\r\n`,
    )
    expect(answer).toMatch(/^HTTP\/1\.1 413 /)
    expect(answer).toContain(JSON.stringify(tooLarge(1000)))
  })

  it.each(['abc', '-1', '1, 2', '+5'])('refuses Content-Length %j with 400', async (length) => {
    const { port } = await start()
    const answer = await raw(
      port,
      `POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n{}`,
    )
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(answer).toContain('{"detail":')
  })

  it('ends a request that never arrives in 408', async () => {
    const { port } = await start({ requestTimeoutMs: 100 })
    const answer = await raw(
      port,
      'POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n{"na',
    )
    expect(answer).toMatch(/^HTTP\/1\.1 408 /)
    expect(answer).toContain('{"detail":"Upload timed out"}')
  })
})

it.each([
  [{ Host: 'evil.example' }, 421],
  [{ Host: '127.0.0.1:1', Origin: 'https://evil.example' }, 403],
  [{ Host: 'localhost', Origin: 'null' }, 403],
  [{ Host: 'localhost', 'Sec-Fetch-Site': 'cross-site' }, 403],
  [{ Host: 'localhost', 'Sec-Fetch-Site': 'none' }, 404],
  [{ Host: 'localhost:80', Origin: 'http://localhost:3000' }, 404],
  [{ Host: '[::1]:80' }, 404],
])('foreign pages: %j gets %i', async (headers, status) => {
  const { port } = await start()
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  expect(await raw(port, `GET /expected HTTP/1.1\r\n${lines.join('')}Connection: close\r\n\r\n`)).toMatch(
    new RegExp(`^HTTP/1.1 ${status} `),
  )
})

describe('closing', () => {
  it('lets a request finish, and cuts it after the grace', async () => {
    const { app, url } = await startSlow()
    const entered = once(app.server, 'slow')
    const answer = fetch(`${url}/slow`).then((response) => response.text())
    await entered
    const closed = closeGracefully(app, 60_000)
    app.server.emit('finish-slow')
    expect(await answer).toBe('done')
    await closed

    const second = await startSlow()
    const enteredAgain = once(second.app.server, 'slow')
    const cut = fetch(`${second.url}/slow`)
    const failed = expect(cut).rejects.toThrow()
    await enteredAgain
    const closing = closeGracefully(second.app, 20)
    await failed
    second.app.server.emit('finish-slow')
    await closing
  })

  async function startSlow() {
    const app = createHttpServer({ logger: createLogger('test', 'silent') })
    app.get('/slow', async () => {
      const finished = once(app.server, 'finish-slow')
      app.server.emit('slow')
      await finished
      return 'done'
    })
    return { ...(await listen(app, '127.0.0.1', 0)), app }
  }
})
