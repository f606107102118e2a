import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { runCli, smokeProject } from '../helpers/cli.ts'
import { startPlatformProcess, type PlatformProcess } from '../helpers/platform-process.ts'
import { PROJECT_ROOT } from '../helpers/project-root.ts'
import { answersOf, GATEWAY, KEYS, n8nEnvironment, n8nProgram, OPERATOR, startN8n } from './n8n-peer.ts'
import { npmPeer } from './npm-peer.ts'
import { freePort, type RunningPeer } from './running-peer.ts'

// A real n8n runs the workflow of the adaptive approach: imported and published as docs/clients.md describes.

const peer = await npmPeer('n8n')
if (peer.reason !== null) console.log(`○ ${peer.reason}`)
beforeEach(({ skip }) => skip(peer.reason !== null, peer.reason ?? ''))

let root = ''
let platform: PlatformProcess | undefined
let engine: RunningPeer | undefined
beforeAll(async () => {
  if (peer.bin === null) return
  root = await smokeProject()
  // Each of the two has the other's address.
  const port = await freePort()
  platform = await startPlatformProcess({
    RAG_LADDER_STATE_DIR: join(root, 'platform'),
    RAG_INGESTION_CORPUS_ROOT: join(root, 'corpus'),
    RAG_PROFILE: 'smoke',
    BACKEND_INTERNAL_API_TOKEN: OPERATOR,
    GATEWAY_MASTER_KEY: GATEWAY,
    WORKFLOW_URL: `http://127.0.0.1:${port}`,
  })
  const options = { bin: peer.bin, folder: root, port, gateway: { url: platform.url, key: GATEWAY } }
  const env = n8nEnvironment(options)
  const program = n8nProgram(peer.bin)
  const workflow = join(PROJECT_ROOT, 'manifests/workflows/adaptive-rag.json')
  for (const args of [
    ['import:workflow', `--input=${workflow}`],
    ['publish:workflow', '--id=RagLadderAdaptive'],
  ])
    await promisify(execFile)(program, args, { env: { ...process.env, ...env }, timeout: 120_000 })
  engine = await startN8n(options)
  // It is ready before its published workflows are.
  const { url } = engine
  const status = async (): Promise<number> => (await fetch(`${url}/webhook/adaptive-rag`, { method: 'POST' })).status
  for (let waited = 0; (await status()) === 404 && waited < 60; waited += 1) await sleep(500)
})
afterAll(async () => {
  await platform?.stop()
  await engine?.stop()
  if (root !== '') await rm(root, { recursive: true, force: true })
})

const ladder = (runId: string, ...more: string[]) => {
  const run = ['--dataset', 'smoke', '--run-id', runId, '--no-publish', '--json', '--models', 'workflow-adaptive-rag']
  return runCli(['ladder', '--project', root, ...run, ...more], more.length === 0 ? {} : KEYS)
}

describe(`n8n ${peer.version ?? ''}`, () => {
  it('runs the adaptive workflow as the embedded engine does: the same answers from the same contexts', async () => {
    const outside = await ladder('outside', '--gateway', platform!.url)
    expect(outside.code, outside.stderr).toBe(0)
    const embedded = await ladder('embedded')
    expect(embedded.code, embedded.stderr).toBe(0)
    const answers = await answersOf(root, 'outside')
    expect(answers).toHaveLength(4)
    expect(answers.every(({ status }) => status === 'ok')).toBe(true)
    expect(answers).toEqual(await answersOf(root, 'embedded'))
  })

  it('answers a path that has no workflow with 404, with a message that names the cause', async () => {
    const response = await fetch(`${engine!.url}/webhook/no-such-path`, { method: 'POST' })
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ code: 404, message: expect.stringContaining('not registered') })
  })
})
