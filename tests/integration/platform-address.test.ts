import { request } from 'node:http'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { portOrAny } from '../../main/supervisor/free-port.ts'
import { runCli, smokeProject } from '../helpers/cli.ts'
import { startPlatformProcess, type PlatformProcess } from '../helpers/platform-process.ts'

let folder = ''
let running: PlatformProcess[] = []
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'platform-address-'))
})
afterEach(async () => {
  await Promise.all(running.map((platform) => platform.stop()))
  running = []
})
afterAll(() => rm(folder, { recursive: true }))

async function start(env: Record<string, string>): Promise<PlatformProcess> {
  const platform = await startPlatformProcess({
    RAG_LADDER_STATE_DIR: join(folder, String(running.length)),
    BACKEND_INTERNAL_API_TOKEN: 'operator',
    ...env,
  })
  running.push(platform)
  return platform
}

/** Status of `GET /health` for a request that names the platform by `host`. */
const statusFor = (url: string, host: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const call = request(`${url}/health`, { headers: { host } }, (response) => {
      response.resume()
      resolve(response.statusCode!)
    })
    call.on('error', reject).end()
  })

describe('the platform’s address', () => {
  it('is the default port when it is free, and another when it is taken', async () => {
    const isFree = (await portOrAny(4871)) === 4871
    const [one, two] = [await start({ PLATFORM_PORT: '' }), await start({ PLATFORM_PORT: '' })]
    const ports = [one, two].map(({ url }) => Number(new URL(url).port))
    expect(ports[0]).not.toBe(ports[1])
    if (isFree) expect(ports[0]).toBe(4871)
  })

  it('answers a container that names the machine host.docker.internal, and no other name', async () => {
    const { url } = await start({})
    expect(await statusFor(url, 'host.docker.internal:4871')).toBe(200)
    expect(await statusFor(url, 'evil.example')).toBe(421)
  })

  it('answers to the names of PLATFORM_TRUSTED_HOSTS instead', async () => {
    const { url } = await start({ PLATFORM_TRUSTED_HOSTS: 'Lab.local, box' })
    const statuses = await Promise.all(
      ['lab.local', 'box:80', 'localhost', 'host.docker.internal'].map((host) => statusFor(url, host)),
    )
    expect(statuses).toEqual([200, 200, 200, 421])
  })

  it('is a loopback address for the runner when it listens on every interface', async () => {
    expect((await start({ PLATFORM_HOST: '0.0.0.0' })).url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  })
})

describe('an embedded ladder with a person’s own platform settings', () => {
  it('goes through its closed edge and uses the person’s own operator token', async () => {
    const root = await smokeProject()
    const args = [
      '--project',
      root,
      '--dataset',
      'smoke',
      '--models',
      'vanilla-rag',
      '--run-id',
      'edge',
      '--no-publish',
    ]
    const result = await runCli(['ladder', ...args], {
      BACKEND_EDGE_AUTH: 'key-auth',
      BACKEND_EDGE_API_KEY: 'key-of-the-edge',
      BACKEND_INTERNAL_API_TOKEN: 'own-operator-token',
      GATEWAY_MASTER_KEY: 'own-gateway-key',
    })
    expect(result.stderr).toBe('')
    expect(result.code).toBe(0)
    await rm(root, { recursive: true })
  })
})
