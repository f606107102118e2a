import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ProcessLauncher } from '../supervisor/process-launcher.ts'
import { embeddedPlatform, platformKeys } from './platform-source.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'platform-source-'))
})
afterEach(() => rm(folder, { recursive: true }))

/** Environment that the platform's process is started with; the process itself ends at once, as one that is set up wrongly does. */
async function environmentOf(env: Record<string, string>, port?: number): Promise<Record<string, string | undefined>> {
  const started: Record<string, string>[] = []
  const launcher: ProcessLauncher = {
    launch({ env: given }) {
      started.push(given)
      return {
        pid: null,
        onMessage() {},
        onLine() {},
        onExit: (listener) => void setImmediate(() => listener(78, null)),
        requestStop() {},
        signalGroup() {},
      }
    },
  }
  const options = { root: folder, stateRoot: join(folder, 'state'), modelSet: null, launcher, env, emit() {} }
  const source = embeddedPlatform(port === undefined ? options : { ...options, port })
  await source.start('smoke').catch(() => undefined)
  // The launcher gives the person's own variables to the child first.
  return { ...env, ...started[0]! }
}

const secrets = async (): Promise<Record<string, string>> =>
  JSON.parse(await readFile(join(folder, 'state/secrets.json'), 'utf8')) as Record<string, string>

describe('the embedded platform', () => {
  it.each([
    ['PLATFORM_PORT', '38121'],
    ['PLATFORM_HOST', '0.0.0.0'],
    ['GRAPHENGINE_API_KEY', 'key-of-an-external-engine'],
    ['GRAPHENGINE_RERANK_ADAPTER_TOKEN', 'own-rerank-token'],
    ['GATEWAY_MASTER_KEY', 'own-gateway-key'],
    ['BACKEND_INTERNAL_API_TOKEN', 'own-operator-token'],
    ['RAG_INGESTION_CORPUS_ROOT', '/data/corpus'],
    ['RAG_INGESTION_MAX_FILES', '20'],
    ['BACKEND_EDGE_AUTH', 'key-auth'],
  ])('leaves %s as the person set it', async (name, value) => {
    expect((await environmentOf({ [name]: value }))[name]).toBe(value)
  })

  it('takes the credentials and the corpus of the project where the person set none', async () => {
    const env = await environmentOf({ GRAPHENGINE_API_KEY: ' ', PLATFORM_HOST: '' })
    const { operator_token, gateway_key, rerank_adapter_token, graph_engine_key } = await secrets()
    expect(env).toMatchObject({
      BACKEND_INTERNAL_API_TOKEN: operator_token,
      GATEWAY_MASTER_KEY: gateway_key,
      GRAPHENGINE_RERANK_ADAPTER_TOKEN: rerank_adapter_token,
      GRAPHENGINE_API_KEY: graph_engine_key,
      RAG_INGESTION_CORPUS_ROOT: join(folder, 'corpus'),
      PLATFORM_HOST: '127.0.0.1',
    })
    expect(env).not.toHaveProperty('PLATFORM_PORT')
  })

  it('takes as many files as an import may store', async () => {
    expect((await environmentOf({}))['RAG_INGESTION_MAX_FILES']).toBe('300000')
  })

  it('listens on the port of --port, whatever PLATFORM_PORT is', async () => {
    expect((await environmentOf({ PLATFORM_PORT: '1' }, 4999))['PLATFORM_PORT']).toBe('4999')
  })

  it('is called with the person’s own keys, and through its closed edge with the edge’s key', async () => {
    const own = { BACKEND_INTERNAL_API_TOKEN: 'own-operator', GATEWAY_MASTER_KEY: 'own-gateway' }
    const edge = { BACKEND_EDGE_AUTH: 'key-auth', BACKEND_EDGE_API_KEY: 'own-edge' }
    const keys = await platformKeys(join(folder, 'state'), { ...own, ...edge })
    expect(keys).toMatchObject({ operatorToken: 'own-operator', gatewayKey: 'own-gateway', edgeKey: 'own-edge' })
    expect((await platformKeys(join(folder, 'state'), { BACKEND_EDGE_API_KEY: 'own-edge' })).edgeKey).toBeNull()
  })
})
