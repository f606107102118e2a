import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createEnvReader } from './env-reader.ts'
import { createLogger } from './logger.ts'
import { acceptMultipart, requiredFile, type MultipartForm } from './multipart-form.ts'
import { closeGracefully, listen } from './server.ts'
import { createServiceBoundary, orFailed } from './service-boundary.ts'
import { readBoundarySettings, type ServiceBoundarySettings } from './service-boundary-settings.ts'

const ENV = { STT_API_TOKEN: 'right', STT_MAX_UPLOAD_BYTES: '1000' }
const TOKEN = { authorization: 'Bearer right' }

function form(bytes: number): FormData {
  const form = new FormData()
  form.append('file', new Blob([Buffer.alloc(bytes)]), 'a.wav')
  return form
}

/** A service whose work ends when the test ends it. */
async function start(changes: Partial<ServiceBoundarySettings> = {}, log: string[] = []) {
  const settings = { ...readBoundarySettings(createEnvReader(ENV), 'STT'), ...changes }
  const restarted = Promise.withResolvers<boolean>()
  const boundary = createServiceBoundary({
    logger: createLogger('test', 'warn', { write: (line) => void log.push(line) }),
    settings,
    restart: () => restarted.resolve(true),
    selfCheck: async () => undefined,
  })
  const entered = Promise.withResolvers<AbortSignal>()
  const finish = Promise.withResolvers<string>()
  onTestFinished(() => closeGracefully(boundary.app, 0))
  boundary.app.get('/health', boundary.open, async () => ({ status: 'healthy' }))
  await boundary.app.register(async (scope) => {
    acceptMultipart(scope)
    scope.post('/work', boundary.upload, async (request, reply) => {
      const file = requiredFile(request.body as MultipartForm, 'file', settings.maxUploadBytes)
      return orFailed('Transcription failed', () =>
        boundary.work(request, reply, async (signal) => {
          entered.resolve(signal)
          return { bytes: file.bytes.length, result: await finish.promise }
        }),
      )
    })
  })
  const { url } = await listen(boundary.app, '127.0.0.1', 0)
  const send = async (bytes: number, headers: Record<string, string> = TOKEN) => {
    const answer = await fetch(`${url}/work`, { method: 'POST', body: form(bytes), headers })
    return { status: answer.status, body: await answer.json(), headers: answer.headers }
  }
  return { url, send, entered: entered.promise, finish, restarted: restarted.promise }
}

describe('service boundary', () => {
  it('needs the token everywhere but on open routes, and closes when none is configured', async () => {
    const { url, send } = await start()
    expect((await fetch(`${url}/health`)).status).toBe(200)
    const refused = await send(10, {})
    expect([refused.status, refused.body, refused.headers.get('www-authenticate')]).toEqual([
      401,
      { detail: 'Authentication required' },
      'Bearer',
    ])
    const log: string[] = []
    const keyless = await start({ token: null }, log)
    expect(log).toEqual([expect.stringContaining('STT_API_TOKEN is not set')])
    expect((await fetch(`${keyless.url}/health`)).status).toBe(200)
    expect(await keyless.send(10)).toMatchObject({
      status: 503,
      body: { detail: 'Provider authentication is unavailable' },
    })
    const quiet: string[] = []
    expect((await (await start({ token: null, authMode: 'disabled' }, quiet)).send(2000, {})).status).toBe(413)
    expect(quiet.filter((line) => line.includes('API_TOKEN'))).toEqual([])
  })

  it('asks for the token before it looks at the size, and names the limit that was broken', async () => {
    const { send } = await start()
    expect((await send(3_000_000, {})).status).toBe(401)
    expect(await send(3_000_000)).toMatchObject({ status: 413, body: { detail: 'Upload is too large' } })
    expect(await send(1001)).toMatchObject({ status: 413, body: { detail: 'upload exceeds 1000 byte limit' } })
    expect(await send(0)).toMatchObject({ status: 400, body: { detail: 'upload is empty' } })
  })

  it('counts a body that declares no length', async () => {
    const { url } = await start()
    const endless = new ReadableStream({ pull: (controller) => controller.enqueue(Buffer.alloc(100_000)) })
    const answer = await fetch(`${url}/work`, {
      method: 'POST',
      body: endless,
      headers: { ...TOKEN, 'content-type': 'multipart/form-data; boundary=b' },
      duplex: 'half',
    })
    expect(answer.status).toBe(413)
  })

  it('takes one at a time: the second gets 429 at once, and the slot is free after the work', async () => {
    const { send, entered, finish } = await start()
    const first = send(10)
    await entered
    const second = await send(10)
    expect([second.status, second.body, second.headers.get('retry-after')]).toEqual([
      429,
      { detail: 'Provider capacity is full' },
      '1',
    ])
    finish.resolve('done')
    expect(await first).toMatchObject({ status: 200, body: { bytes: 10, result: 'done' } })
    expect((await send(10)).status).toBe(200)
  })

  it('times out a body that drips, with 408, and its place with it', async () => {
    // The deadline holds for the whole body too, which is sent at the end.
    const { url, send, finish } = await start({ uploadTimeoutMs: 2000 })
    const { port } = new URL(url)
    const socket = connect(Number(port), '127.0.0.1')
    const text: string[] = []
    socket.setEncoding('utf8').on('data', (part: string) => text.push(part))
    socket.write(
      'POST /work HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer right\r\ncontent-length: 500\r\n' +
        'content-type: multipart/form-data; boundary=b\r\n\r\n--b',
    )
    await once(socket, 'close')
    expect(text.join('')).toMatch(/^HTTP\/1\.1 408 .*\{"detail":"Upload timed out"\}$/s)
    finish.resolve('')
    expect((await send(10)).status).toBe(200)
  })

  it('aborts the work of a caller that leaves, and frees its place once the work has stopped', async () => {
    const { url, send, entered, finish } = await start()
    const leave = new AbortController()
    const left = fetch(`${url}/work`, { method: 'POST', body: form(10), headers: TOKEN, signal: leave.signal })
    const signal = await entered
    expect(signal.aborted).toBe(false)
    leave.abort()
    await expect(left).rejects.toThrow()
    await expect.poll(() => signal.aborted).toBe(true)
    expect((await send(10)).status).toBe(429)
    finish.reject(signal.reason as Error)
    await expect.poll(async () => (await send(10)).status).not.toBe(429)
  })

  it('answers 504 past the deadline, then asks for its restart; an error inside stays inside', async () => {
    const { send, entered, restarted } = await start({ inferenceTimeoutMs: 30 })
    expect(await send(10)).toMatchObject({ status: 504, body: { detail: 'Provider operation timed out' } })
    expect((await entered).aborted).toBe(true)
    await restarted
    const broken = await start()
    const answer = broken.send(10)
    await broken.entered
    broken.finish.reject(new Error('path /secret'))
    expect(await answer).toMatchObject({ status: 500, body: { detail: 'Transcription failed' } })
  })

  it('answers pages of the listed origins only', async () => {
    const { url } = await start({ corsOrigins: ['https://lab.example'] })
    const preflight = (origin: string) =>
      fetch(`${url}/work`, { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' } })
    const allowed = await preflight('https://lab.example')
    expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([204, 'https://lab.example'])
    expect((await preflight('https://other.example')).status).toBe(403)
    const answer = await fetch(`${url}/health`, { headers: { origin: 'https://lab.example' } })
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, 'https://lab.example'])
  })

  it('refuses settings that cannot be meant', () => {
    const problems = (env: Record<string, string>) => {
      const reader = createEnvReader(env)
      readBoundarySettings(reader, 'STT')
      return reader.problems
    }
    expect(problems({ STT_CORS_ORIGINS: '*' })).toEqual([
      'STT_CORS_ORIGINS: "*" is invalid while STT_AUTH_MODE is required',
    ])
    expect(problems({ STT_CORS_ORIGINS: '*', STT_AUTH_MODE: 'disabled' })).toEqual([])
    expect(problems({ STT_AUTH_MODE: 'off', STT_UPLOAD_TIMEOUT_SECONDS: '0' })).toHaveLength(2)
  })
})
