import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { eventData } from '../../core/http/event-stream.ts'
import { parseRenderedEvidence } from '../../main/runner/cells/rendered-evidence.ts'
import { loadExperiment } from '../../main/manifests/experiment.ts'
import { declaredAliases } from '../../main/manifests/selection.ts'
import { runCli, smokeProject } from '../helpers/cli.ts'
import { rowsOf } from '../helpers/ladder-run.ts'
import { startPlatformProcess, type PlatformProcess } from '../helpers/platform-process.ts'
import { pythonPeer } from './python-peer.ts'
import { startPeer, type RunningPeer } from './running-peer.ts'

// A real LiteLLM proxy between the runner and the platform, configured by `rag-ladder export litellm`.

const peer = await pythonPeer('litellm')
if (peer.reason !== null) console.log(`○ ${peer.reason}`)
beforeEach(({ skip }) => skip(peer.reason !== null, peer.reason ?? ''))

const CALLER_KEY = 'sk-key-of-the-caller'
const OPERATOR = 'token-of-the-operator'
const KEYS = { MATRIX_GATEWAY_API_KEY: CALLER_KEY, MATRIX_PLATFORM_TOKEN: OPERATOR }

let root = ''
let platform: PlatformProcess | undefined
let proxy: RunningPeer | undefined
beforeAll(async () => {
  if (peer.bin === null) return
  root = await smokeProject()
  platform = await startPlatformProcess({
    RAG_LADDER_STATE_DIR: join(root, 'platform'),
    RAG_INGESTION_CORPUS_ROOT: join(root, 'corpus'),
    RAG_PROFILE: 'smoke',
    BACKEND_INTERNAL_API_TOKEN: OPERATOR,
    GATEWAY_MASTER_KEY: 'key-of-the-gateway',
  })
  const file = join(root, 'litellm.yaml')
  const written = await runCli(['export', 'litellm', '--platform', platform.url, '--output', file], {})
  if (written.code !== 0) throw new Error(written.stderr)
  proxy = await startPeer(join(peer.bin, 'litellm'), {
    args: (port) => ['--config', file, '--host', '127.0.0.1', '--port', String(port), '--telemetry', 'False'],
    env: { LITELLM_MASTER_KEY: CALLER_KEY, MATRIX_PLATFORM_TOKEN: OPERATOR, NO_COLOR: '1' },
    healthPath: '/health/liveliness',
  })
})
afterAll(async () => {
  await proxy?.stop()
  await platform?.stop()
  if (root !== '') await rm(root, { recursive: true, force: true })
})

const ladder = (runId: string, env: Record<string, string>, ...more: string[]) => {
  const addresses = ['--gateway', proxy!.url, '--platform', platform!.url]
  const dataset = ['--dataset', 'smoke', '--run-id', runId, '--no-publish', '--json']
  return runCli(['ladder', '--project', root, ...dataset, ...addresses, ...more], env)
}
const ask = (body: object, key = CALLER_KEY): Promise<Response> =>
  fetch(`${proxy!.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ messages: [{ role: 'user', content: 'When was the lock opened?' }], ...body }),
  })

describe(`LiteLLM ${peer.version ?? ''}`, () => {
  it('carries every alias over the smoke rung, with structured evidence and no key in any row', async () => {
    const aliases = declaredAliases(await loadExperiment(root))
    const done = await ladder('proxied', KEYS, '--all')
    expect(done.code, done.stderr).toBe(0)
    const rows = await rowsOf(join(root, 'results/proxied-smoke-evidence.jsonl'))
    expect(rows).toHaveLength(4 * aliases.length)
    expect(new Set(rows.map(({ approach }) => approach.model))).toEqual(new Set(aliases))
    expect(rows.map(({ status, evidence }) => [status, evidence?.transport])).toEqual(
      rows.map(() => ['ok', 'structured']),
    )
    const text = JSON.stringify(rows)
    for (const secret of [CALLER_KEY, OPERATOR]) expect(text).not.toContain(secret)
  })

  it('makes a new answer for each call: the cache fields of the runner are honoured', async () => {
    const cache = { 'no-cache': true, 'no-store': true }
    const ids = await Promise.all(
      [1, 2].map(async () => ((await (await ask({ model: 'vanilla-rag', cache })).json()) as { id: string }).id),
    )
    expect(new Set(ids).size).toBe(2)
  })

  it('drops the evidence extension from a stream, where the rendered block keeps answer and sources', async () => {
    const whole = (await (await ask({ model: 'vanilla-rag' })).json()) as { rag_extension?: { answer: string } }
    const streamed = await ask({ model: 'vanilla-rag', stream: true })
    let text = ''
    let extensions = 0
    for await (const data of eventData(streamed.body!, 1_000_000)) {
      if (data === '[DONE]') break
      const chunk = JSON.parse(data) as {
        choices?: { delta: { content?: string | null } }[]
        rag_extension?: unknown
      }
      text += chunk.choices?.[0]?.delta.content ?? ''
      if (chunk.rag_extension !== undefined) extensions += 1
    }
    const rendered = parseRenderedEvidence(text)
    expect(extensions).toBe(0)
    expect(rendered).toMatchObject({ found: true, answer: whole.rag_extension?.answer })
    expect(rendered.sources.length).toBeGreaterThan(0)
  })

  it('refuses a wrong key in words of its own, and the run names the variable to correct', async () => {
    const refused = await ladder('refused', { ...KEYS, MATRIX_GATEWAY_API_KEY: 'sk-wrong' }, '--models', 'vanilla-rag')
    expect(refused.code).toBe(5)
    expect(JSON.stringify(refused.events)).toContain('set MATRIX_GATEWAY_API_KEY')
  })

  it('refuses an alias that it was not given by name', async () => {
    const response = await ask({ model: 'no-such-alias' })
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('Invalid model name')
  })
})
