import { cp, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { beforeEach, describe, expect, it } from 'vitest'
import { PROJECT_ROOT } from '../../../../tests/helpers/project-root.ts'
import { temporaryFolder } from '../../../../tests/helpers/temporary-folder.ts'
import { consumer } from '../../../../tests/helpers/rag-fixture.ts'
import { testServer } from '../../../../tests/helpers/test-server.ts'
import { createEnvReader } from '../../../kit/env-reader.ts'
import { guardRoutes } from '../../identity/guard.ts'
import { readEdgeSettings, readIdentitySettings } from '../../identity/identity-settings.ts'
import { routePolicies } from '../../identity/route-policy.ts'
import { furtherPlugins, mountPlugins } from './mount-plugins.ts'
import { readPlugins } from './read-plugins.ts'

const BATCH = join(PROJECT_ROOT, 'tests/fixtures/plugins/batch-questions')
let project: string
let app: FastifyInstance
beforeEach(async () => {
  project = await temporaryFolder('plugins')
  app = testServer()
})

/** Writes a plugin of the project and returns its folder. Its module reports when it is imported. */
async function plugin(name: string, manifest: string, body = ''): Promise<string> {
  await mkdir(join(project, name))
  await writeFile(join(project, name, 'plugin.yaml'), manifest)
  const text = `globalThis.imported = [...(globalThis.imported ?? []), '${project}/${name}']\nexport function registerPlugin(routers, context) { ${body} }\n`
  await writeFile(join(project, name, 'main.mjs'), text)
  return name
}
const manifestOf = (name: string, more = 'routers: [{ prefix: /mine, routes: [GET /in] }]'): string =>
  `plugin_manifest_version: 1\nname: ${name}\nentry: main.mjs\n${more}\n`
const wasImported = (name: string): boolean =>
  ((globalThis as { imported?: string[] }).imported ?? []).includes(`${project}/${name}`)

function read(plugins: string[], allowed = '') {
  const reader = createEnvReader({ PLATFORM_PLUGINS: allowed })
  return { plugins: readPlugins(reader, project, { ...consumer, plugins }), problems: reader.problems }
}

async function mount(plugins: string[], allowed: string, env: Record<string, string> = {}): Promise<void> {
  const declared = read(plugins, allowed)
  expect(declared.problems).toEqual([])
  const reader = createEnvReader({ BACKEND_INTERNAL_API_TOKEN: 'operator-token', BACKEND_EDGE_API_KEY: 'edge-key' })
  const routers = declared.plugins.flatMap(({ manifest, isAllowed }) => (isAllowed ? manifest.routers : []))
  guardRoutes(app, {
    policies: routePolicies({ ...consumer, routers }),
    identity: readIdentitySettings(reader),
    edge: readEdgeSettings(reader),
  })
  await mountPlugins({
    app,
    plugins: declared.plugins,
    variable: (name) => env[name],
    answer: async (alias, question) =>
      ({ choices: [{ message: { content: `${alias}: ${question}` } }] }) as unknown as Awaited<
        ReturnType<Parameters<typeof mountPlugins>[0]['answer']>
      >,
  })
}
const operator = { authorization: 'Bearer operator-token' }

it('the example plugin is mounted under its prefixes, each with its auth, and asks the aliases of the platform', async () => {
  await cp(BATCH, join(project, 'batch'), { recursive: true })
  await mount(['batch'], 'batch-questions', { PLUGIN_BATCH_ALIAS: 'hybrid-rag' })
  const ask = { method: 'POST', url: '/batch/questions', payload: { questions: ['a', 'b'] } } as const
  expect((await app.inject(ask)).statusCode).toBe(401)
  const answer = await app.inject({ ...ask, headers: operator })
  expect(answer.json()).toEqual({ alias: 'hybrid-rag', answers: ['hybrid-rag: a', 'hybrid-rag: b'] })
  expect((await app.inject('/batch-info/limits')).json()).toEqual({ alias: 'hybrid-rag', most_questions: 20 })
})

it('a router with key-auth wants the key of the edge', async () => {
  await plugin(
    'keyed',
    manifestOf('keyed', 'routers: [{ prefix: /mine, auth: key-auth, routes: [GET /in] }]'),
    "routers.get('/mine').get('/in', async () => 'in')",
  )
  await mount(['keyed'], 'keyed')
  expect((await app.inject({ url: '/mine/in', headers: operator })).statusCode).toBe(401)
  expect((await app.inject({ url: '/mine/in', headers: { apikey: 'edge-key' } })).body).toBe('in')
})

it('a plugin that PLATFORM_PLUGINS does not name is checked, listed as skipped and never imported', async () => {
  const manifest = manifestOf('quiet', 'env: [PLUGIN_KEY]\nrouters: [{ prefix: /mine, routes: [GET /in] }]')
  await plugin('quiet', manifest, "routers.get('/mine').get('/in', async () => 'in')")
  await mount(['quiet'], '')
  expect(wasImported('quiet')).toBe(false)
  expect((await app.inject({ url: '/mine/in', headers: operator })).statusCode).toBe(404)
  expect(furtherPlugins(read(['quiet']).plugins, () => 'a-secret')).toEqual([
    {
      name: 'quiet',
      route_prefix: '/mine',
      auth: 'inherit',
      env: { PLUGIN_KEY: '***' },
      status: 'skipped',
      reason: 'PLATFORM_PLUGINS does not name it',
    },
  ])
})

describe('a manifest is refused before anything is imported:', () => {
  it.each([
    [
      'another version',
      'plugin_manifest_version: 2\nname: bad\nentry: main.mjs\nrouters: [{ prefix: /mine, routes: [GET /in] }]',
      'plugin_manifest_version',
    ],
    [
      'no version',
      'name: bad\nentry: main.mjs\nrouters: [{ prefix: /mine, routes: [GET /in] }]',
      'plugin_manifest_version',
    ],
    [
      'an unknown field',
      manifestOf('bad', 'requirements: [left-pad]\nrouters: [{ prefix: /mine, routes: [GET /in] }]'),
      'requirements',
    ],
    ['an entry outside its folder', manifestOf('bad').replace('main.mjs', '../other/main.mjs'), 'entry'],
    ['an entry that is no module', manifestOf('bad').replace('main.mjs', 'main.sh'), 'entry'],
    ['no router', manifestOf('bad', 'routers: []'), 'routers'],
    ['a prefix that escapes', manifestOf('bad', 'routers: [{ prefix: /a/../b, routes: [GET /in] }]'), 'prefix'],
    ['a route that escapes', manifestOf('bad', 'routers: [{ prefix: /mine, routes: [GET /../x] }]'), 'routes'],
    ['a wildcard', manifestOf('bad', 'routers: [{ prefix: /mine, routes: ["GET /*"] }]'), 'routes'],
    ['an unknown auth', manifestOf('bad', 'routers: [{ prefix: /mine, auth: none, routes: [GET /in] }]'), 'auth'],
    [
      'a variable of the platform',
      manifestOf('bad', 'env: [FAL_API_KEY]\nrouters: [{ prefix: /mine, routes: [GET /in] }]'),
      'env',
    ],
    [
      'a prefix of the platform',
      manifestOf('bad', 'routers: [{ prefix: /memory/mine, routes: [GET /in] }]'),
      '/memory is taken',
    ],
    [
      'the prefix of the RAG plugin',
      manifestOf('bad', 'routers: [{ prefix: /rag, routes: [GET /in] }]'),
      '/rag is taken',
    ],
    ['the name of the RAG plugin', manifestOf(consumer.project), 'is taken by another plugin'],
  ])('%s', async (_what, manifest, named) => {
    await plugin('bad', manifest)
    const { problems } = read(['bad'], 'bad')
    expect(problems.join('\n')).toContain(named)
    expect(problems.join('\n')).toContain(join('bad', 'plugin.yaml'))
    expect(wasImported('bad')).toBe(false)
  })

  it('two plugins of one name or prefix', async () => {
    await plugin('one', manifestOf('same'))
    await plugin('two', manifestOf('same'))
    expect(read(['one', 'two'], 'same').problems).toEqual([
      expect.stringContaining('"same" is taken'),
      expect.stringContaining('/mine is taken'),
    ])
  })

  it('a folder without a manifest, and a name in PLATFORM_PLUGINS without a plugin', () => {
    const { problems } = read(['nowhere'], 'unlisted')
    expect(problems).toEqual([
      expect.stringContaining('ENOENT'),
      'PLATFORM_PLUGINS: no plugin of consumer.yaml is named "unlisted"',
    ])
  })
})

describe('a plugin keeps the platform from starting that', () => {
  it.each([
    [
      'registers a route that it does not declare',
      "routers.get('/mine').get('/in', async () => 1); routers.get('/mine').get('/more', async () => 1)",
      'GET /mine/more has no access policy',
    ],
    ['does not register a route that it declares', '', 'declared but not registered: GET /mine/in'],
    ['reads a variable that it does not declare', "context.variable('PLUGIN_OTHER')", 'does not declare PLUGIN_OTHER'],
    ['throws', "throw new Error('no licence file')", 'plugin mine: no licence file'],
  ])('%s', async (_what, body, named) => {
    await plugin('mine', manifestOf('mine'), body)
    await expect(mount(['mine'], 'mine')).rejects.toThrow(named)
  })

  it('exports no registerPlugin', async () => {
    await plugin('mine', manifestOf('mine'))
    await writeFile(join(project, 'mine', 'main.mjs'), 'export const other = 1\n')
    await expect(mount(['mine'], 'mine')).rejects.toThrow('exports no function registerPlugin')
  })
})
