import { expect, it, vi } from 'vitest'
import { testServer } from '../../../tests/helpers/test-server.ts'
import { registerStatusRoutes } from './status-routes.ts'

type Probes = Record<string, () => Promise<unknown>>

function appWith(probes: Probes, own: Probes = {}) {
  const app = testServer()
  const models = { set: 'builtin', roles: { embed: { backend: 'builtin', model: 'hashed-768' } } }
  const usage = () => ({ model_calls: { embed: 2 }, alias_calls: { 'vanilla-rag': 1 } })
  const plugins = async () => ({ plugins: [] })
  const routes = [{ method: 'GET', url: '/health', policy: { kind: 'open' as const }, body_limit_bytes: 1 }]
  registerStatusRoutes(app, { version: '1.2.3', revision: 'abc', models, usage, own, probes, plugins, routes })
  return app
}

it('reports liveness, models and usage', async () => {
  const app = appWith({})
  expect((await app.inject({ url: '/health' })).json()).toEqual({
    status: 'healthy',
    version: '1.2.3',
    revision: 'abc',
    models: { set: 'builtin', roles: { embed: { backend: 'builtin', model: 'hashed-768' } } },
  })
  expect((await app.inject({ url: '/internal/usage' })).json()).toEqual({
    model_calls: { embed: 2 },
    alias_calls: { 'vanilla-rag': 1 },
  })
})

it('is unhealthy when what it answers from does not work, and healthy again when it does', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  let isBroken = true
  const app = appWith({}, { graph_engine: async () => isBroken && Promise.reject(new Error('too many open files')) })
  const ask = async (): Promise<unknown> => {
    const answer = await app.inject({ url: '/health' })
    return [answer.statusCode, answer.json<{ detail?: string }>().detail]
  }
  expect(await ask()).toEqual([200, undefined])
  vi.advanceTimersByTime(60_000)
  expect([await ask(), await ask(), await ask()].at(-1)).toEqual([503, 'too many open files'])
  isBroken = false
  expect([await ask(), await ask()].at(-1)).toEqual([200, undefined])
  vi.useRealTimers()
})

it('lists plugins and routes, and welcomes', async () => {
  const app = appWith({})
  const read = async (url: string): Promise<unknown> => (await app.inject({ url })).json()
  expect(await read('/plugins')).toEqual({ plugins: [] })
  expect(await read('/internal/routes')).toEqual({
    routes: [{ method: 'GET', url: '/health', policy: { kind: 'open' }, body_limit_bytes: 1 }],
  })
  expect(await read('/')).toEqual({ message: expect.any(String), docs_url: null })
})

it('is ready when every dependency works, and names the one that does not', async () => {
  const works = async () => 'fine'
  const good = await appWith({ vector_store: works, gateway: works }).inject({ url: '/ready' })
  expect([good.statusCode, good.json()]).toEqual([
    200,
    { status: 'ready', dependencies: { vector_store: 'ready', gateway: 'ready' } },
  ])
  const bad = await appWith({ vector_store: async () => Promise.reject(new Error('gone')), gateway: works }).inject({
    url: '/ready',
  })
  expect([bad.statusCode, bad.json()]).toEqual([
    503,
    { status: 'unavailable', dependencies: { vector_store: 'unavailable', gateway: 'ready' } },
  ])
})
