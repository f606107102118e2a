import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { runCli, smokeProject } from '../helpers/cli.ts'
import { startPlatformProcess, type PlatformProcess } from '../helpers/platform-process.ts'
import { answersOf, GATEWAY, KEYS, n8nApiKeys, OPERATOR, startN8n } from './n8n-peer.ts'
import { npmPeer } from './npm-peer.ts'
import { freePort, type RunningPeer } from './running-peer.ts'

// A real n8n gets the workflow of the adaptive approach from the platform, by its public API.

const peer = await npmPeer('n8n')
if (peer.reason !== null) console.log(`○ ${peer.reason}`)
beforeEach(({ skip }) => skip(peer.reason !== null, peer.reason ?? ''))

/** Lists what docs/clients.md names. */
const SCOPES = ['workflow:create', 'workflow:read', 'workflow:update', 'workflow:list', 'workflow:activate']
const SCOPES_OF_TEST = [...SCOPES, 'workflow:deactivate']
const READY_MS = 60_000

interface Workflow {
  id: string
  name: string
  active: boolean
  updatedAt: string
  versionId: string
  nodes: { name: string; parameters: Record<string, unknown> }[]
  connections: object
  settings: object
}

let root = ''
let engine: RunningPeer | undefined
let port = 0
let keys: Record<string, string> = {}
beforeAll(async () => {
  if (peer.bin === null) return
  root = await smokeProject()
  // The address of the platform must be known before it starts.
  port = await freePort()
  const gateway = { url: `http://127.0.0.1:${port}`, key: GATEWAY }
  engine = await startN8n({ bin: peer.bin, folder: root, port: await freePort(), gateway })
  keys = await n8nApiKeys(engine.url, { platform: SCOPES, test: SCOPES_OF_TEST })
})
afterAll(async () => {
  await engine?.stop()
  if (root !== '') await rm(root, { recursive: true, force: true })
})

async function startPlatform(apiKey = keys['platform']!): Promise<PlatformProcess> {
  const platform = await startPlatformProcess({
    RAG_LADDER_STATE_DIR: join(root, 'platform'),
    RAG_INGESTION_CORPUS_ROOT: join(root, 'corpus'),
    RAG_PROFILE: 'smoke',
    BACKEND_INTERNAL_API_TOKEN: OPERATOR,
    GATEWAY_MASTER_KEY: GATEWAY,
    PLATFORM_PORT: String(port),
    WORKFLOW_URL: engine!.url,
    WORKFLOW_API_KEY: apiKey,
  })
  // A second end is none.
  onTestFinished(async () => void (await platform.stop()))
  return platform
}
const ready = async (platform: PlatformProcess): Promise<unknown> => {
  const response = await fetch(`${platform.url}/ready`)
  return { status: response.status, engine: ((await response.json()) as Ready).dependencies['workflow_engine'] }
}
interface Ready {
  dependencies: Record<string, string>
}
const becomesReady = async (platform: PlatformProcess): Promise<void> =>
  vi.waitFor(async () => expect(await ready(platform)).toEqual({ status: 200, engine: 'ready' }), {
    timeout: READY_MS,
    interval: 500,
  })

async function api<Answer>(method: string, path: string, body?: object): Promise<Answer> {
  const response = await fetch(`${engine!.url}/api/v1${path}`, {
    method,
    headers: { 'x-n8n-api-key': keys['test']!, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  expect([path, response.status]).toEqual([path, 200])
  return (await response.json()) as Answer
}
/** Without what n8n counts by itself. */
const workflows = async (): Promise<Workflow[]> => {
  const { data } = await api<{ data: (Workflow & { triggerCount: number })[] }>('GET', '/workflows')
  return data.map(({ triggerCount: _counted, ...workflow }) => workflow)
}

describe(`n8n ${peer.version ?? ''} with a key of its public API`, () => {
  it('gets the declared workflow once, active, and a second start changes nothing', async () => {
    expect(await workflows()).toEqual([])
    const first = await startPlatform()
    await becomesReady(first)
    const [imported, ...others] = await workflows()
    expect([imported!.name, imported!.active, others]).toEqual(['RAG Ladder: adaptive RAG', true, []])
    await first.stop()
    const second = await startPlatform()
    await becomesReady(second)
    expect(await workflows()).toEqual([imported])
  })

  it('runs it as the embedded engine does: the same answers from the same contexts', async () => {
    const platform = await startPlatform()
    await becomesReady(platform)
    const run = ['--dataset', 'smoke', '--no-publish', '--json', '--models', 'workflow-adaptive-rag', '--project', root]
    const outside = await runCli(['ladder', ...run, '--run-id', 'outside', '--gateway', platform.url], KEYS)
    expect(outside.code, outside.stderr).toBe(0)
    const embedded = await runCli(['ladder', ...run, '--run-id', 'embedded'])
    expect(embedded.code, embedded.stderr).toBe(0)
    const answers = await answersOf(root, 'outside')
    expect(answers.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok', 'ok'])
    expect(answers).toEqual(await answersOf(root, 'embedded'))
  })

  it('gets back a declared part that a person changed or switched off', async () => {
    const [before] = await workflows()
    const { id, name, nodes, connections, settings } = before!
    const changed = nodes.map((node) =>
      node.name === 'About this workflow' ? { ...node, parameters: { content: 'mine' } } : node,
    )
    await api('PUT', `/workflows/${id}`, { name, nodes: changed, connections, settings })
    await api('POST', `/workflows/${id}/deactivate`)
    expect((await workflows())[0]).toMatchObject({ active: false })
    const platform = await startPlatform()
    await becomesReady(platform)
    const after = await workflows()
    expect(after.map(({ id: each, active }) => [each, active])).toEqual([[id, true]])
    expect(after[0]!.nodes).toEqual(nodes)
  })

  it('keeps the platform unready with a key that n8n refuses', async () => {
    const platform = await startPlatform('no-such-key')
    await vi.waitFor(() => expect(platform.errors()).toContain('refused WORKFLOW_API_KEY (HTTP 401)'), READY_MS)
    expect(await ready(platform)).toEqual({ status: 503, engine: 'unavailable' })
    expect(platform.errors()).not.toContain('no-such-key')
  })
})
