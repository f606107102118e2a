import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import { OWN_MODELS_FILE } from '../../../contract/manifests/models.ts'
import { withoutCredentials } from '../../../core/credential-names.ts'
import { PROJECT_ROOT } from '../../../tests/helpers/project-root.ts'
import type { ProcessLauncher } from '../../supervisor/process-launcher.ts'
import { embeddedPlatform, platformKeys } from './platform-source.ts'

let folder = ''
beforeEach(async () => {
  folder = await temporaryFolder('platform-source')
})

/** Environment that the platform's process is started with; the process itself ends at once, as one that is set up wrongly does. */
async function environmentOf(env: Record<string, string>, port?: number): Promise<Record<string, string | undefined>> {
  const started: Record<string, string | undefined>[] = []
  const launcher: ProcessLauncher = {
    launch({ env: given, withoutCredentials: isPlain }) {
      // A launcher gives the variables of its own process to the child first.
      started.push({ ...(isPlain === true ? withoutCredentials(env) : env), ...given })
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
  return started[0]!
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

  it('gets the credentials that it declares or that models and plugins name, and no others of the person', async () => {
    await cp(join(PROJECT_ROOT, 'manifests'), join(folder, 'manifests'), { recursive: true })
    const model = { backend: 'openai', model: 'm', base_url: 'http://127.0.0.1:1/v1', api_key_env: 'KEY_OF_MODEL' }
    const own = {
      version: 1,
      sets: {
        mine: { default: model, roles: { embed: model, rerank: { backend: 'builtin', model: 'lexical-reranker' } } },
      },
    }
    await mkdir(join(folder, '.rag-ladder'), { recursive: true })
    await writeFile(join(folder, OWN_MODELS_FILE), JSON.stringify(own))
    const needed = {
      KEY_OF_MODEL: 'a',
      PLUGIN_BATCH_KEY: 'b',
      RERANKER_API_KEY: 'c',
      S3_SECRET_ACCESS_KEY: 'd',
      STT_API_TOKEN: 'e',
    }
    const plain = { HTTPS_PROXY: 'http://proxy', CUDA_VISIBLE_DEVICES: '0', SEARXNG_URL: 'http://127.0.0.1:2' }
    const foreign = {
      JUDGE_API_KEY: 'x1',
      AWS_SECRET_ACCESS_KEY: 'x2',
      GITHUB_TOKEN: 'x3',
      MATRIX_EVIDENCE_URL: 'postgres://ada:x4@127.0.0.1/rows',
      MATRIX_EVALUATOR_API_KEY: 'x5',
    }
    const env = await environmentOf({ ...needed, ...plain, ...foreign })
    expect(env).toMatchObject({ ...needed, ...plain })
    expect(Object.keys(foreign).filter((name) => name in env)).toEqual([])
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
    expect((await environmentOf({}))['RAG_LADDER_HOST_MAX_FILES']).toBe('300000')
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
