import { describe, expect, it, onTestFinished } from 'vitest'
import { ModelRole } from '../../../contract/manifests/models.ts'
import type { ModelChoice } from '../../../contract/manifests/model-backends.ts'
import { startModelService } from '../../../tests/helpers/model-service.ts'
import type { BuiltinModels } from './builtin-backend.ts'
import { createModelHost } from './create-model-host.ts'

const builtinModels: BuiltinModels = {
  embedText: (text) => Float32Array.of(text.length, 0),
  scoreRelevance: (query, text) => (text.includes(query) ? 2 : -2),
  createRanking: () => ({ add: () => undefined, logits: () => [] }),
  answerBuiltinChat: (messages) => ({ text: `${messages.length} messages` }),
  countTokens: (text) => text.split(' ').length,
}

function rolesOf(
  choice: ModelChoice,
  changes: Partial<Record<ModelRole, ModelChoice>> = {},
): Record<ModelRole, ModelChoice> {
  return {
    ...(Object.fromEntries(ModelRole.options.map((role) => [role, choice])) as Record<ModelRole, ModelChoice>),
    ...changes,
  }
}

const builtin: ModelChoice = { backend: 'builtin', model: 'rules' }
const openai = (baseUrl: string, more: object = {}): ModelChoice => ({
  backend: 'openai',
  model: 'big',
  base_url: baseUrl,
  api_key_env: 'SOME_KEY',
  timeout_s: 20,
  retries: 0,
  cloud: true,
  defaults: {},
  ...more,
})

function hostOf(roles: Record<ModelRole, ModelChoice>, secrets: Record<string, string> = {}) {
  let loads = 0
  const host = createModelHost(
    { name: 'test', roles },
    {
      secret: (name) => secrets[name],
      onnxCacheDir: '/nonexistent',
      loadBuiltin: async () => {
        loads += 1
        return builtinModels
      },
    },
  )
  return { host, loads: () => loads }
}

const messages = [{ role: 'user' as const, content: 'one two' }]

describe('the builtin set', () => {
  it('answers every kind of role and loads nothing before the first call', async () => {
    const { host, loads } = hostOf(rolesOf(builtin))
    expect(loads()).toBe(0)
    expect(await host.embed('embed', ['ab', 'c'], 'document')).toEqual([Float32Array.of(2, 0), Float32Array.of(1, 0)])
    expect(await host.rerank('x', ['axb', 'c'])).toEqual([2, -2])
    expect(await host.chat('light_gen', { messages })).toMatchObject({
      object: 'chat.completion',
      model: 'rules',
      choices: [{ finish_reason: 'stop', message: { role: 'assistant', content: '1 messages' } }],
      usage: { prompt_tokens: 2, completion_tokens: 2, total_tokens: 4 },
    })
    expect([host.isBuiltin('agentic'), host.isCloud('agentic'), host.modelName('embed')]).toEqual([
      true,
      false,
      'rules',
    ])
  })

  it('gives way to other work during a long batch, and stops for an aborted caller', async () => {
    const slow = { ...builtinModels, embedText: (text: string) => (spin(2), builtinModels.embedText(text)) }
    const host = createModelHost(
      { name: 'test', roles: rolesOf(builtin) },
      { secret: () => undefined, onnxCacheDir: '', loadBuiltin: async () => slow },
    )
    const stop = new AbortController()
    setImmediate(() => setImmediate(() => setImmediate(() => stop.abort())))
    await expect(host.embed('embed', new Array<string>(5000).fill('x'), 'document', stop.signal)).rejects.toMatchObject(
      { name: 'AbortError' },
    )
  })
})

it('a model that could not be opened is opened at the next call, when its cause is repaired', async () => {
  let broken = true
  const host = createModelHost(
    { name: 'test', roles: rolesOf(builtin) },
    {
      secret: () => undefined,
      onnxCacheDir: '',
      loadBuiltin: async () => (broken ? Promise.reject(new Error('no such file')) : builtinModels),
    },
  )
  await expect(host.chat('light_gen', { messages })).rejects.toThrow('no such file')
  broken = false
  await expect(host.chat('light_gen', { messages })).resolves.toMatchObject({ model: 'rules' })
  await host.close()
})

it('a model host counts every call by role, failed ones too, and none that was not made', async () => {
  const service = await startModelService((_call, n) => ({ status: n === 0 ? 500 : 200, json: {} }))
  const { host } = hostOf(rolesOf(builtin, { agentic: openai(service.url) }), { SOME_KEY: 'k' })
  onTestFinished(async () => {
    await host.close()
    await service.close()
  })
  expect(host.usage()).toEqual({})
  await host.embed('embed', ['a', 'b', 'c'], 'query')
  await host.rerank('a', ['b'])
  await expect(host.chat('agentic', { messages })).rejects.toMatchObject({ code: 'upstream_error' })
  await expect(host.chat('agentic', { messages })).rejects.toMatchObject({ code: 'invalid_response' })
  await host.chat('light_gen', { messages })
  expect(host.usage()).toEqual({ embed: 1, rerank: 1, agentic: 2, light_gen: 1 })
})

describe('declared models', () => {
  it('names the missing secret instead of calling without it', async () => {
    const { host } = hostOf(rolesOf(builtin, { evaluator: openai('http://127.0.0.1:1/v1') }))
    await expect(host.chat('evaluator', { messages })).rejects.toMatchObject({
      code: 'not_configured',
      message: expect.stringContaining('SOME_KEY'),
    })
    expect(host.usage()).toEqual({ evaluator: 1 })
    await host.close()
  })

  it('reports each role’s backend, model and whether it is paid for', () => {
    const { host } = hostOf(
      rolesOf(builtin, { evaluator: openai('http://x'), agentic: openai('http://x', { cloud: false }) }),
    )
    expect(host.resolved().set).toBe('test')
    expect(host.resolved().roles['evaluator']).toEqual({ backend: 'openai', model: 'big' })
    expect(Object.keys(host.resolved().roles)).toEqual(ModelRole.options)
    expect([host.isCloud('evaluator'), host.isCloud('agentic')]).toEqual([true, false])
  })
})

function spin(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}

it('sends no more calls at the same time to an address than its connection allows, over all roles', async () => {
  let [running, most] = [0, 0]
  let together = Promise.withResolvers<null>()
  let expected = 0
  const service = await startModelService(() => ({
    // Answers once as many calls are under way as are expected, however long the machine takes to send them.
    raw: (response) => {
      most = Math.max(most, (running += 1))
      if (most === expected) together.resolve(null)
      const end = (): void => {
        running -= 1
        response.end(JSON.stringify({ choices: [{ message: { content: 'yes' } }] }))
      }
      void together.promise.then(() => setTimeout(end, 20))
    },
  }))
  const call = async (concurrency: number | undefined): Promise<number> => {
    most = 0
    // Without a limit, four are sent before a service has answered any, and more after its answers.
    expected = concurrency ?? 4
    together = Promise.withResolvers()
    const limit = concurrency === undefined ? {} : { concurrency }
    const roles = rolesOf(builtin)
    // The smaller number counts for the address.
    roles.light_gen = openai(service.url, { ...limit, api_key_env: null })
    roles.agentic = openai(service.url, {
      ...limit,
      api_key_env: null,
      ...(concurrency === undefined ? {} : { concurrency: 5 }),
    })
    const { host } = hostOf(roles)
    await Promise.all(
      Array.from({ length: 12 }, (_, index) => host.chat(index % 2 === 0 ? 'light_gen' : 'agentic', { messages })),
    )
    await host.close()
    return most
  }
  onTestFinished(() => service.close())
  expect(await call(undefined)).toBeGreaterThan(4)
  expect(await call(2)).toBe(2)
})

it('all roles at one address share the pace of its service: after a refusal one call at a time is made', async () => {
  let calls = 0
  const retried = Promise.withResolvers<null>()
  const answered = Promise.withResolvers<null>()
  const completion = { choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'x' } }] }
  const service = await startModelService(({ path }) => {
    if (!path.endsWith('/chat/completions')) return { status: 404, json: {} }
    calls += 1
    if (calls === 1) return { status: 429, headers: { 'retry-after-ms': '20' }, json: { error: { message: 'slow' } } }
    if (calls > 2) return { json: completion }
    retried.resolve(null)
    return { raw: (response) => void answered.promise.then(() => response.end(JSON.stringify(completion))) }
  })
  const { host } = hostOf(rolesOf(openai(`${service.url}/v1`, { retries: 1, api_key_env: null })))
  try {
    const first = host.chat('light_gen', { messages })
    await retried.promise
    const second = host.chat('evaluator', { messages })
    // A call of its own pace would arrive now.
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(calls).toBe(2)
    answered.resolve(null)
    await Promise.all([first, second])
    expect(calls).toBe(3)
  } finally {
    answered.resolve(null)
    await host.close()
    await service.close()
  }
})
