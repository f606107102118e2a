import { rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CONTROL_REFUSAL_HEADER, serviceUrl } from '../../contract/control/service-routes.ts'
import type { ServiceView } from '../../contract/control/services.ts'
import { createEngine, type Engine } from '../../main/engine/create-engine.ts'
import { readEngineConfig } from '../../main/engine/engine-config.ts'
import type { ServiceDefinition } from '../../main/engine/services/service-definitions.ts'
import { createNodeLauncher } from '../../main/supervisor/node-launcher.ts'
import { smokeProject } from '../helpers/cli.ts'
import {
  clientOf,
  eventsUntil,
  failureOf,
  pageHeaders,
  TEST_TOKEN,
  type ControlClient,
} from '../helpers/engine-process.ts'
import { PROJECT_ROOT } from '../helpers/project-root.ts'

const STT: ServiceDefinition = {
  name: 'stt',
  entry: join(PROJECT_ROOT, 'tests/helpers/local-speech-service.ts'),
  defaultPort: 0,
  portVariable: 'STT_PORT',
  portSetting: 'STT_PORT',
  tokenVariable: 'STT_API_TOKEN',
  endpointVariable: 'STT_ENDPOINT',
  healthPath: '/health',
  start: 'on_demand',
  needs: [],
  startTimeoutMs: 20_000,
}
const TRANSCRIBE = serviceUrl('stt', '/v1/audio/transcriptions')
const bearer = { authorization: `Bearer ${TEST_TOKEN}` }

let root: string
let engine: Engine | null = null
let client: ControlClient
const unforeseen: unknown[] = []

async function start(env: Record<string, string> = {}, services: ServiceDefinition[] = [STT]): Promise<void> {
  const own = { RAG_LADDER_PROJECT: root, RAG_LADDER_ENGINE_TOKEN: TEST_TOKEN, ...env }
  const config = { ...readEngineConfig(own, createNodeLauncher()), services }
  engine = await createEngine(config, (error) => unforeseen.push(error))
  client = clientOf(engine.url, bearer)
}

beforeEach(async () => {
  root = await smokeProject()
})
afterEach(async () => {
  for (const name of ['LOADING_CHECKS', 'BROKEN']) Reflect.deleteProperty(process.env, name)
  await engine?.stop()
  engine = null
  await rm(root, { recursive: true, force: true })
  expect(unforeseen.splice(0)).toEqual([])
})

interface CallInit extends RequestInit {
  headers?: Record<string, string>
}
const call = (path: string, init: CallInit = {}): Promise<Response> =>
  fetch(engine!.url + path, { ...init, headers: { ...bearer, ...init.headers } })
const upload = (bytes: number, query = ''): Promise<Response> =>
  call(TRANSCRIBE + query, {
    method: 'POST',
    body: new Blob([new Uint8Array(bytes)]),
    headers: { 'content-type': 'audio/wav', cookie: 'rag_ladder_1=x', 'x-extra': 'no' },
  })
const stt = async (): Promise<ServiceView> => (await client.services.list()).find(({ name }) => name === 'stt')!
const states = async (wanted: string, after = 0): Promise<string[]> => {
  const seen = await eventsUntil(
    client,
    { after },
    (event) => event.type === 'service.changed' && event.service === 'stt' && event.state === wanted,
  )
  return seen.flatMap(({ event }) => (event.type === 'service.changed' ? [event.state] : []))
}

describe('a local service', () => {
  it('is started, listed, restarted and stopped through the control API, with its log', async () => {
    await start()
    expect(await stt()).toMatchObject({ state: 'idle', can: { start: true, stop: false, restart: false } })
    expect((await client.services.start({ name: 'stt' })).state).toBe('starting')
    expect(await states('ready')).toEqual(['starting', 'ready'])
    const first = await stt()
    expect(first).toMatchObject({ state: 'ready', used_by: 'panel', restarts: 0, can: { start: false, stop: true } })
    expect(first.usage!.rss_bytes).toBeGreaterThan(1e6)
    expect(Object.keys(first.settings).sort()).toEqual(['RAG_LADDER_STATE_DIR', 'STT_PORT'])
    await upload(10)
    const lines: string[] = []
    for await (const { text } of await client.services.logs({ name: 'stt', follow: false })) lines.push(text)
    expect(lines).toEqual(['transcribed 10 bytes'])

    await client.services.restart({ name: 'stt' })
    expect((await states('ready', (await client.system.status()).seq - 1)).at(-1)).toBe('ready')
    expect((await stt()).pid).not.toBe(first.pid)
    expect((await client.services.stop({ name: 'stt' })).state).toBe('stopped')
    expect(await stt()).toMatchObject({ pid: null, url: null, used_by: null })
  })

  it('is asked by pages through the engine, which starts it and shows its token', async () => {
    await start()
    const answer = await upload(5_000_000)
    const { bytes, headers } = (await answer.json()) as { bytes: number; headers: Record<string, string> }
    expect([answer.status, bytes]).toEqual([200, 5_000_000])
    expect(answer.headers.get(CONTROL_REFUSAL_HEADER)).toBeNull()
    expect(headers['content-type']).toBe('audio/wav')
    expect(headers['authorization']).toMatch(/^Bearer [\w-]{43}$/)
    expect(headers['authorization']).not.toContain(TEST_TOKEN)
    expect([headers['cookie'], headers['x-extra'], headers['origin']]).toEqual([undefined, undefined, undefined])
    expect([answer.headers.get('set-cookie'), answer.headers.get('server')]).toEqual([null, null])
    expect(answer.headers.get('content-disposition')).toBe('attachment')
    const binary = await call(serviceUrl('stt', '/v1/models'))
    expect((await binary.arrayBuffer()).byteLength).toBe(3_000_000)
  })

  it('answers for itself while it loads, and counts as ready only after that', async () => {
    process.env['LOADING_CHECKS'] = '3'
    await start()
    await client.services.start({ name: 'stt' })
    await expect.poll(async () => (await stt()).url, { timeout: 10_000 }).not.toBeNull()
    const health = await call(serviceUrl('stt', '/health'))
    expect([health.status, await health.json()]).toEqual([503, { status: 'loading' }])
    expect((await stt()).state).toBe('starting')
    await states('ready')
  })

  it('that asks for a restart by 504 and exit code 70 comes back at its address, and nothing is counted against it', async () => {
    await start()
    expect((await upload(1)).status).toBe(200)
    const { url, pid } = await stt()
    const after = (await client.system.status()).seq
    const timedOut = await upload(1, '?fault=exit-70')
    expect([timedOut.status, await timedOut.json()]).toEqual([504, { detail: 'Provider operation timed out' }])
    expect(await states('ready', after)).toEqual(['backoff', 'starting', 'ready'])
    const again = await stt()
    expect(again).toMatchObject({ url, restarts: 1, last_exit: { code: 70, signal: null } })
    expect(again.pid).not.toBe(pid)
  })

  it('killed in mid-call gives a typed refusal; the next call waits for it to come back', async () => {
    await start()
    await upload(1)
    const after = (await client.system.status()).seq
    const lost = await upload(1, '?fault=crash')
    expect([lost.status, lost.headers.get(CONTROL_REFUSAL_HEADER)]).toEqual([502, 'unreachable'])
    expect(await lost.json()).toMatchObject({ code: 'unreachable', retryable: true })
    await states('backoff', after)
    expect((await upload(2)).status).toBe(200)
  })

  it('that does not start reports why, to callers and on its page', async () => {
    process.env['BROKEN'] = '1'
    await start({}, [{ ...STT, startTimeoutMs: 2000 }])
    await client.services.start({ name: 'stt' })
    await states('backoff')
    expect(await stt()).toMatchObject({ detail: 'it ended by itself; it is started again', last_exit: { code: 1 } })
    const waiting = upload(1)
    await client.services.stop({ name: 'stt' })
    const refused = await waiting
    expect([refused.status, refused.headers.get(CONTROL_REFUSAL_HEADER)]).toEqual([503, 'service_failed'])
    expect(await refused.json()).toMatchObject({ details: { last_lines: ['the model file is damaged'] } })
  })

  it('that another process runs is only called', async () => {
    const seen: (string | undefined)[] = []
    const other = createServer((request, response) => {
      seen.push(request.headers.authorization)
      response.end('{}')
    }).listen(0, '127.0.0.1')
    await new Promise((done) => other.once('listening', done))
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
    await start({ STT_ENDPOINT: `${url}/`, STT_API_TOKEN: 'given-by-hand' })
    expect(await stt()).toMatchObject({ state: 'external', url, can: { start: false, stop: false } })
    expect((await call(serviceUrl('stt', '/health'))).status).toBe(200)
    expect(seen).toEqual(['Bearer given-by-hand'])
    expect(await failureOf(client.services.start({ name: 'stt' }))).toMatchObject({ code: 'service_state' })
    other.close()
  })

  it('that this installation does not have is absent and not offered', async () => {
    await start({}, [])
    expect(await stt()).toMatchObject({ state: 'absent', can: { start: false, stop: false, restart: false } })
    expect(await failureOf(client.services.start({ name: 'stt' }))).toMatchObject({ code: 'not_supported' })
    expect((await upload(1)).status).toBe(404)
  })
})

describe('the way to a service', () => {
  it('is open to the same callers as the control API', async () => {
    await start()
    const { url } = await client.system.browserLink()
    const { cookie, origin, ...key } = pageHeaders(await fetch(url, { redirect: 'manual' }))
    const asked = async (headers: Record<string, string>, method = 'POST', path = TRANSCRIBE) =>
      (await fetch(engine!.url + path, { method, headers, ...(method === 'POST' ? { body: 'x' } : {}) })).status
    const health = serviceUrl('stt', '/health')
    expect(await asked({})).toBe(401)
    expect(await asked({ authorization: 'Bearer wrong' })).toBe(401)
    expect(await asked({ cookie })).toBe(401)
    expect(await asked({ cookie, origin: 'http://evil.example' })).toBe(403)
    expect(await asked({ cookie, 'sec-fetch-site': 'cross-site' }, 'GET', health)).toBe(403)
    expect(await asked({ cookie }, 'GET', health)).toBe(401)
    expect(await asked({ cookie, origin })).toBe(401)
    expect(await asked({ cookie, 'sec-fetch-site': 'same-origin' }, 'GET', health)).toBe(401)
    expect(await asked({ ...key, cookie, origin })).toBe(200)
    expect(await asked({ ...key, cookie, 'sec-fetch-site': 'same-origin' }, 'GET', health)).toBe(200)
  })

  it('leads to declared routes only', async () => {
    await start()
    const paths = ['/admin', '/v1/audio/transcriptions/..%2f..%2fhealth', '//health', '/health/']
    for (const path of paths) expect((await call(serviceUrl('stt', path))).status, path).toBe(404)
    expect((await call(serviceUrl('stt', '/health'), { method: 'DELETE' })).status).toBe(404)
    expect((await call('/control/services/gateway/proxy/health')).status).toBe(404)
    expect((await stt()).state).toBe('idle')
    const platform = await call(serviceUrl('platform', '/health'))
    expect([platform.status, platform.headers.get(CONTROL_REFUSAL_HEADER)]).toEqual([409, 'service_state'])
  })

  it('gives a whole refusal also to a client that is still sending', async () => {
    await start()
    const busy = await upload(30_000_000, '?fault=refuse')
    expect([busy.status, await busy.json()]).toEqual([429, { detail: 'Provider capacity is full' }])
    const huge = await upload(300 * 1024 * 1024)
    expect([huge.status, await huge.json()]).toEqual([413, expect.objectContaining({ code: 'request_too_large' })])
  })
})
