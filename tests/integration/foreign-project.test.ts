import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCli, smokeProject } from '../helpers/cli.ts'
import { startEngine } from '../helpers/engine-process.ts'
import { json, startFaultServer, type FaultServer } from '../helpers/fault-server.ts'

/** A project from another person, which wants the person's credentials at an address of its own. */
let root: string
let thief: FaultServer
let user: Record<string, string>

const SECRETS = {
  OPENAI_API_KEY: 'canary-openai-key',
  AWS_SECRET_ACCESS_KEY: 'canary-aws-key',
  DB_PASSWORD: 'canary-password',
  MATRIX_PLATFORM_TOKEN: 'canary-platform-token',
  MATRIX_GATEWAY_API_KEY: 'canary-gateway-key',
  JUDGE_API_KEY: 'canary-judge-key',
}

beforeAll(async () => {
  root = await smokeProject()
  thief = await startFaultServer()
  // A status that is not tried again: what is sent is looked at, not what comes of it.
  thief.script(json({ error: { message: 'thanks' } }, 400))
  user = { ...SECRETS, RAG_LADDER_USER_DIR: join(root, 'person') }
})
afterAll(async () => {
  await thief.close()
  await rm(root, { recursive: true, force: true })
})

const stolen = (): string[] =>
  thief.requests.filter((request) => JSON.stringify(request).includes('canary')).map(({ path }) => path)

async function withModel(address: string, key: string | null, act: () => Promise<void>): Promise<void> {
  const file = join(root, 'manifests/models.yaml')
  const before = await readFile(file, 'utf8')
  const model = `{ backend: openai, model: m, base_url: '${address}'${key === null ? '' : `, api_key_env: ${key}`} }`
  await writeFile(
    file,
    before.replace('light_gen: { backend: builtin, model: extractive-answerer }', `light_gen: ${model}`),
  )
  thief.requests.length = 0
  try {
    await act()
  } finally {
    await writeFile(file, before)
  }
}

const ladder = (): string[] => [
  'ladder',
  '--project',
  root,
  '--dataset',
  'smoke',
  '--models',
  'vanilla-rag',
  '--run-id',
  'foreign',
  '--no-publish',
  '--no-evaluate',
]

describe('a project from another person', () => {
  it.each([
    ['another variable', '/v1', 'AWS_SECRET_ACCESS_KEY', /AWS_SECRET_ACCESS_KEY is not named/],
    ['a key of a model service', '/v1', 'OPENAI_API_KEY', /OPENAI_API_KEY is not sent to http.*rag-ladder trust/],
    ['a variable in the path', '/steal/${DB_PASSWORD}/v1', null, /only be the beginning of the address/],
  ])('gets no secret of the person by %s in its models', async (_by, path, key, reason) => {
    await withModel(thief.url + path, key, async () => {
      const run = await runCli(ladder(), user)
      expect(run.code).toBe(2)
      expect(run.stdout).toMatch(reason)
      expect(thief.requests).toEqual([])
    })
  })

  it('gets a key at an address that the person has allowed', async () => {
    const allowed = await runCli(['trust', thief.url], user)
    expect([allowed.code, allowed.stdout]).toEqual([0, `${thief.url}\n`])
    await withModel(`${thief.url}/v1`, 'OPENAI_API_KEY', async () => {
      await runCli([...ladder(), '--no-cold-reset'], user)
      expect(stolen()).toContain('/v1/chat/completions')
      expect(
        thief.requests.every(
          ({ headers }) => (headers.authorization ?? 'Bearer canary-openai-key') === 'Bearer canary-openai-key',
        ),
      ).toBe(true)
    })
    expect((await runCli(['trust', '--remove', thief.url], user)).stdout).toMatch(/^No address/)
  })

  it('gets no key by the judge endpoint of its manifest', async () => {
    const file = join(root, 'manifests/evaluation.yaml')
    const before = await readFile(file, 'utf8')
    await writeFile(file, before.replace('endpoint: platform-gateway', `endpoint: ${thief.url}/v1`))
    thief.requests.length = 0
    const run = await runCli([...ladder(), '--evaluate', '--judge', '--judge-models', 'a-gpt,b-claude'], user)
    await writeFile(file, before)
    expect(run.code).toBe(2)
    expect(run.stderr).toMatch(/JUDGE_API_KEY is not sent to .*rag-ladder trust/)
    expect(thief.requests).toEqual([])
  })

  it('gets no token by its own settings, and the panel reports it', async () => {
    await mkdir(join(root, '.rag-ladder'), { recursive: true, mode: 0o700 })
    await writeFile(join(root, '.rag-ladder/settings.json'), JSON.stringify({ gateway_url: thief.url }))
    thief.requests.length = 0
    const engine = await startEngine(root, user)
    const { settings } = await engine.client.settings.get()
    expect(settings.gateway_url).toBeNull()
    const plan = await engine.client.experiment.plan({ run_id: 'x', dataset_ids: ['smoke'], models: ['vanilla-rag'] })
    expect(plan).toBeDefined()
    expect(thief.requests).toEqual([])
    // An address that the person enters is used, also by the next engine.
    await engine.client.settings.update({ settings: { gateway_url: thief.url } })
    await engine.stop()
    const next = await startEngine(root, user)
    expect((await next.client.settings.get()).settings.gateway_url).toBe(thief.url)
    await next.stop()
  })
})
