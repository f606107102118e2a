import { createServer } from 'node:http'
import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { beforeEach, expect, it, vi } from 'vitest'
import { hang, json, resetMidBody, text, type FaultServer } from '../../tests/helpers/fault-server.ts'
import { createHttpClient, HttpFault } from './http-client.ts'
import { saidBy } from './said.ts'
import { listenLocally } from '../../tests/helpers/local-server.ts'
import { testFaultServer } from '../../tests/helpers/test-server.ts'

let server: FaultServer
beforeEach(async () => {
  server = await testFaultServer()
})
const client = createHttpClient({ authorization: 'Bearer k' })

const faultOf = (call: Promise<unknown>): Promise<HttpFault> =>
  call.then(
    () => expect.fail('it was answered'),
    (error: unknown) => {
      expect(error).toBeInstanceOf(HttpFault)
      return error as HttpFault
    },
  )

it('sends JSON with its headers, and reads an answer of any status', async () => {
  server.script(json({ detail: 'no' }, 418))
  const answer = await client.send(`${server.url}/a?b=1`, { json: { x: 1 }, headers: { 'x-more': '2' } })
  expect(answer).toMatchObject({ status: 418, isOk: false, json: { detail: 'no' } })
  expect(server.requests[0]).toMatchObject({
    path: '/a?b=1',
    body: '{"x":1}',
    headers: { authorization: 'Bearer k', 'content-type': 'application/json', 'x-more': '2' },
  })
})

it('gives no JSON for what is none, and reads what is compressed or begins with a byte order mark', async () => {
  server.script(text('<p>'), (response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('\uFEFF{"a":1}'))
  })
  expect((await client.send(server.url)).json).toBeUndefined()
  expect((await client.send(server.url)).json).toEqual({ a: 1 })
})

it('follows no redirect, and says where it leads', async () => {
  server.script((response) => response.writeHead(302, { location: 'http://elsewhere/v1' }).end())
  const answer = await client.send(server.url)
  expect(answer.status).toBe(302)
  expect(saidBy(answer).text).toBe('it redirects to http://elsewhere/v1, which is not followed: use that address')
  expect(server.requests).toHaveLength(1)
})

it('names the fault, with the address but not with its credentials', async () => {
  const { host } = new URL(server.url)
  server.script(hang)
  expect(await faultOf(client.send(`http://ada:pw@${host}/p?key=s`, { timeoutMs: 50 }))).toMatchObject({
    fault: 'timeout',
    message: `GET http://${host}/p: no answer within 0.05 s`,
  })
  server.script(resetMidBody)
  expect(await faultOf(client.send(server.url))).toMatchObject({ fault: 'interrupted' })
  server.script(text('x'.repeat(100)))
  expect(await faultOf(client.send(server.url, { limitBytes: 99 }))).toMatchObject({ fault: 'too_large', status: 200 })
  await server.close()
  expect(await faultOf(client.send(server.url))).toMatchObject({ fault: 'unreachable', code: 'ECONNREFUSED' })
})

it('ends with the reason of the caller, and every call when it is closed', async () => {
  server.script(hang)
  const stop = new AbortController()
  const stopped = client.send(server.url, { signal: stop.signal })
  const closed = faultOf(client.send(server.url))
  await vi.waitFor(() => expect(server.requests).toHaveLength(2), { timeout: 15_000 })
  stop.abort(new Error('enough'))
  await expect(stopped).rejects.toThrow('enough')
  await client.close()
  expect(await closed).toMatchObject({ fault: 'unreachable' })
})

it('throws what the reader of an answer throws', async () => {
  server.script(text('x'))
  const wrong = new Error('not that')
  await expect(client.open(server.url, {}, () => Promise.reject(wrong))).rejects.toBe(wrong)
})

it('uses the proxy of the environment for addresses outside this machine, and never for this one', async () => {
  const seen: string[] = []
  const proxy = await listenLocally(
    createServer((request, response) => {
      seen.push(request.url!)
      response.end('{"from":"proxy"}')
    }),
  )
  vi.stubEnv('http_proxy', proxy.url)
  vi.stubEnv('no_proxy', 'inside.test')
  vi.resetModules()
  const { createHttpClient: create } = await import('./http-client.ts')
  try {
    server.script(json({ from: 'here' }))
    const throughProxy = create()
    expect((await throughProxy.send('http://models.test/v1/models')).json).toEqual({ from: 'proxy' })
    expect((await throughProxy.send(server.url)).json).toEqual({ from: 'here' })
    await expect(throughProxy.send('http://inside.test/')).rejects.toMatchObject({ fault: 'unreachable' })
    expect(seen).toEqual(['http://models.test/v1/models'])
  } finally {
    vi.unstubAllEnvs()
    await proxy.close()
  }
})

it('reaches https through a tunnel of the proxy, which sees no header of the call', async () => {
  const connects: string[] = []
  let opening: Buffer = Buffer.alloc(0)
  const proxy = createServer()
  proxy.on('connect', (request, socket: Socket) => {
    connects.push(`${request.url} ${request.headers.authorization ?? 'without key'}`)
    socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
    // The call begins with TLS for the service itself; there is none here to answer it.
    socket.once('data', (data: Buffer) => {
      opening = data
      socket.destroy()
    })
    socket.on('error', () => undefined)
  })
  const { url, close } = await listenLocally(proxy)
  vi.stubEnv('https_proxy', url)
  vi.stubEnv('no_proxy', '')
  vi.resetModules()
  const { createHttpClient: create } = await import('./http-client.ts')
  try {
    const call = create({ authorization: 'Bearer k' }).send('https://models.test/v1/models')
    await expect(call).rejects.toMatchObject({ fault: 'unreachable' })
    expect(new Set(connects)).toEqual(new Set(['models.test:443 without key']))
    const handshake = 0x16
    expect([opening[0], opening.includes('models.test')]).toEqual([handshake, true])
  } finally {
    vi.unstubAllEnvs()
    await close()
  }
})
