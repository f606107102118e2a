import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { json, type FaultServer } from '../../../tests/helpers/fault-server.ts'
import { consumer } from '../../../tests/helpers/rag-fixture.ts'
import type { ModelChoice } from '../../../contract/manifests/model-backends.ts'
import type { SelectedModels } from '../../../core/select-models.ts'
import { createReadiness, httpProbe, modelServiceProbes, remoteProbes } from './readiness.ts'
import { testFaultServer } from '../../../tests/helpers/test-server.ts'

describe('a round of probes', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => vi.useRealTimers())

  it('gives each probe three seconds, all at once, and names what failed', async () => {
    const failure = new Error('gone')
    const never = () => new Promise(() => undefined)
    const readiness = createReadiness({ works: async () => 1, gone: () => Promise.reject(failure), never, too: never })
    const answer = readiness()
    await vi.advanceTimersByTimeAsync(2999)
    let settled = false
    void answer.then(() => (settled = true))
    await vi.advanceTimersByTimeAsync(0)
    expect(settled).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    const late = new Error('no answer within 3000 ms')
    expect(await answer).toEqual({
      ready: false,
      dependencies: { works: 'ready', gone: 'unavailable', never: 'unavailable', too: 'unavailable' },
      failures: [
        { dependency: 'gone', error: failure },
        { dependency: 'never', error: late },
        { dependency: 'too', error: late },
      ],
    })
  })

  it('is shared by calls that come meanwhile, and rebuilt afterwards', async () => {
    let rounds = 0
    const readiness = createReadiness({ counted: async () => (rounds += 1) })
    await Promise.all([readiness(), readiness(), readiness()])
    expect(rounds).toBe(1)
    await readiness()
    expect(rounds).toBe(2)
  })
})

describe('services by address', () => {
  let service: FaultServer
  beforeEach(async () => {
    service = await testFaultServer()
  })

  it.each([
    [200, true, true],
    [401, false, true],
    [401, true, false],
    [503, false, false],
  ])('an answer of %i, ok demanded: %s, shows that it works: %s', async (status, mustBeOk, works) => {
    service.script(json({}, status))
    const outcome = httpProbe(`${service.url}/health`, mustBeOk)().then(
      () => true,
      () => false,
    )
    expect(await outcome).toBe(works)
  })

  it('asks each model service once, without a credential, and none where all models run here', async () => {
    const remote = (backend: 'openai' | 'tei'): ModelChoice =>
      ({
        backend,
        model: 'm',
        base_url: `${service.url}/v1/`,
        api_key_env: 'SECRET',
        timeout_s: 30,
        ...(backend === 'openai' ? { retries: 0, cloud: false, defaults: {} } : {}),
      }) as ModelChoice
    const probes = modelServiceProbes([
      remote('openai'),
      remote('openai'),
      remote('tei'),
      { backend: 'builtin', model: 'b' },
    ])
    expect(Object.keys(probes)).toEqual(['model_services'])
    await probes['model_services']!()
    expect(service.requests.map(({ path }) => path).sort()).toEqual(['/v1/health', '/v1/models'])
    expect(service.requests.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined])
    expect(modelServiceProbes([{ backend: 'builtin', model: 'b' }])).toEqual({})
  })

  it('probes every service that is configured, by its health route, and no other', async () => {
    const nothing = {
      consumer,
      models: { name: 'builtin', roles: {} } as unknown as SelectedModels,
      rerankAdapter: { timeoutMs: 30_000, url: null, apiKey: null },
      ragPluginUrl: null,
      converter: null,
      speech: null,
      research: { searxngUrl: null },
      ray: { url: null },
      media: { fal: null, local: { missing: 'COMFYUI_URL' } },
    }
    expect(remoteProbes(nothing)).toEqual({})
    const at = (name: string) => ({ url: `${service.url}/${name}`, token: 'secret' })
    const probes = remoteProbes({
      ...nothing,
      rerankAdapter: { timeoutMs: 30_000, url: at('reranker').url, apiKey: 'secret' },
      ragPluginUrl: at('plugin').url,
      converter: at('converter'),
      speech: at('speech'),
      research: { searxngUrl: at('searxng').url },
      ray: { url: at('ray').url },
      media: { fal: { endpoint: at('media').url }, local: { missing: 'COMFYUI_URL' } },
    })
    service.script(json({}))
    await Promise.all(Object.values(probes).map((probe) => probe()))
    expect(Object.keys(probes)).toEqual([
      'reranker',
      'converter',
      'speech_to_text',
      'rag_plugin',
      'searxng',
      'ray',
      'media_provider',
    ])
    expect(service.requests.map(({ path }) => path).sort()).toEqual([
      '/converter/health',
      '/media',
      '/plugin/rag/health',
      '/ray/api/version',
      '/reranker/health',
      '/searxng/healthz',
      '/speech/health',
    ])
    expect(service.requests.some(({ headers }) => headers.authorization !== undefined)).toBe(false)
  })
})
