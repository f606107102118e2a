import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { httpGraphTargetClient } from '../../providers/platform/specified/compatibility/lightrag/client.ts'
import { documentOf } from '../../providers/platform/rag/graph/source-name.ts'
import { runCli, smokeProject } from '../helpers/cli.ts'
import { rowsOf } from '../helpers/ladder-run.ts'
import { startPlatformProcess, type PlatformProcess } from '../helpers/platform-process.ts'
import { startLightragModel, type LightragModel } from './lightrag-model.ts'
import { startLightragServer } from './lightrag-server.ts'
import { pythonPeer } from './python-peer.ts'
import type { RunningPeer } from './running-peer.ts'

// A real LightRAG server as the platform's graph engine, over a model service of rules.

const peer = await pythonPeer('lightrag')
/** LightRAG counts tokens by tables that it downloads; the other package has them inside. */
const tables = await pythonPeer('litellm')
const reason = peer.reason ?? tables.reason
if (reason !== null) console.log(`○ ${reason}`)
beforeEach(({ skip }) => skip(reason !== null, reason ?? ''))

const OPERATOR = 'token-of-the-operator'
const GATEWAY = 'key-of-the-gateway'
const GRAPH_KEY = 'key-of-the-graph-engine'
const KEYS = { MATRIX_GATEWAY_API_KEY: GATEWAY, MATRIX_PLATFORM_TOKEN: OPERATOR }

let root = ''
let model: LightragModel | undefined
let engine: RunningPeer | undefined
let platform: PlatformProcess | undefined
beforeAll(async () => {
  if (peer.bin === null || tables.bin === null) return
  root = await smokeProject()
  model = await startLightragModel()
  const programs = { bin: peer.bin, tables: tables.bin }
  engine = await startLightragServer({ ...programs, root, model: model.url, key: GRAPH_KEY })
  platform = await startPlatformProcess({
    RAG_LADDER_STATE_DIR: join(root, 'platform'),
    RAG_INGESTION_CORPUS_ROOT: join(root, 'corpus'),
    RAG_PROFILE: 'smoke',
    BACKEND_INTERNAL_API_TOKEN: OPERATOR,
    GATEWAY_MASTER_KEY: GATEWAY,
    GRAPHENGINE_URL: engine.url,
    GRAPHENGINE_API_KEY: GRAPH_KEY,
  })
})
afterAll(async () => {
  await platform?.stop()
  await engine?.stop()
  await model?.close()
  if (root !== '') await rm(root, { recursive: true, force: true })
})

const ask = (path: string, body?: object, key = GRAPH_KEY): Promise<Response> =>
  fetch(`${engine!.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })

describe(`LightRAG ${peer.version ?? ''}`, () => {
  it('takes the corpus, is drained, and answers by all four query profiles', async () => {
    const graphs = 'graph-rag,graph-rag-fast,graph-rag-wide,graph-rag-rerank'
    const run = ['--dataset', 'smoke', '--run-id', 'outside', '--no-publish', '--json', '--models', graphs]
    const done = await runCli(['ladder', '--project', root, ...run, '--gateway', platform!.url], KEYS)
    const rows = await rowsOf(join(root, 'results/outside-smoke-evidence.jsonl')).catch(() => [])
    expect([done.code, rows.map(({ error }) => error?.message ?? null)], done.stderr).toEqual([0, rows.map(() => null)])
    expect(rows).toHaveLength(16)
    const counts = (await (await ask('/documents/status_counts')).json()) as { status_counts: Record<string, number> }
    expect(counts.status_counts).toMatchObject({ processed: 3, failed: 0 })
    expect(model!.calls).toMatchObject({ other: 0 })
    expect(model!.calls.extraction).toBeGreaterThanOrEqual(3)
  })

  it('returns the data of a query in the form that the platform reads', async () => {
    const response = await ask('/query/data', { query: 'When was the Tidewater Lock opened?', mode: 'hybrid' })
    const { data } = (await response.json()) as { data: { entities: unknown[]; chunks: unknown[] } }
    expect(data.entities.length).toBeGreaterThan(0)
    expect(data.chunks.length).toBeGreaterThan(0)
  })

  it('replaces a document that changed, and keeps two of the same name in different folders apart', async () => {
    const client = httpGraphTargetClient(engine!.url, GRAPH_KEY, { pollMs: 100 })
    const { signal } = new AbortController()
    const put = async (id: string, text: string): Promise<void> => {
      const { trackId } = await client.upload({ id, title: id, text }, signal)
      expect(await client.drain([trackId], Date.now() + 60_000, signal)).toEqual({ processed: 1, failed: [] })
    }
    const stored = async (): Promise<Map<string, string>> => {
      const response = await ask('/documents/paginated', { page: 1, page_size: 50 })
      const { documents } = (await response.json()) as { documents: { file_path: string; content_summary: string }[] }
      return new Map(documents.map((each) => [documentOf(each.file_path), each.content_summary]))
    }
    await put('2024/report.md', 'The Red Yard built the Osprey in Hesk.')
    await put('2025/report.md', 'The Blue Yard built the Heron in Tolland.')
    await put('2024/report.md', 'The Red Yard built the Kestrel in Hesk.')
    const documents = await stored()
    expect(documents.get('2024/report.md')).toContain('Kestrel')
    expect(documents.get('2025/report.md')).toContain('Heron')
    expect(documents.size).toBe(5)
  })

  it('refuses another key', async () => {
    const response = await ask('/query', { query: 'When was the lock opened?', mode: 'naive' }, 'another')
    expect([401, 403]).toContain(response.status)
  })
})
