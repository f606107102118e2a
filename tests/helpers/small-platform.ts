import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll } from 'vitest'
import { IngestionAccepted, IngestionRecord } from '../../contract/http/ingestion.ts'
import { PlatformUsage } from '../../contract/http/platform.ts'
import { startPlatformProcess, type PlatformProcess } from './platform-process.ts'

export const DOCUMENTS = {
  'lighthouse.md':
    '# Harrow Light\n\nThe lighthouse on Harrow Point was built in 1874 by Edith Marlowe. Its lamp burned rape oil.\n',
  'keeper.md':
    '# The keepers\n\nEdith Marlowe trained the keeper Tom Ashby. Ashby kept the lamp of Harrow Point for thirty years.\n',
  'bread.md':
    '# Rye bread\n\nRye bread needs a sour starter, because rye has little gluten. Bakers let it rest for a day.\n',
}
export const QUESTION = 'Who built the lighthouse on Harrow Point?'
export const TOKEN = 'operator-token-of-this-test'
export const RERANK_TOKEN = 'rerank-token-of-this-test'
export const GRAPH_KEY = 'graph-key-of-this-test'

let folder = ''
let platform: PlatformProcess
const running: PlatformProcess[] = []

/** Starts another platform, which ends with the file's tests. */
export async function start(env: Record<string, string>): Promise<PlatformProcess> {
  const process = await startPlatformProcess(env)
  running.push(process)
  return process
}

export const here = {
  get folder(): string {
    return folder
  },
  get platform(): PlatformProcess {
    return platform
  },
}

/** One platform of three documents for all tests of a file, not yet ingested. */
export function useSmallPlatform(): void {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'platform-'))
    await mkdir(join(folder, 'corpus', 'smoke'), { recursive: true })
    for (const [name, text] of Object.entries(DOCUMENTS)) await writeFile(join(folder, 'corpus', 'smoke', name), text)
    platform = await start({
      RAG_LADDER_STATE_DIR: join(folder, 'state'),
      RAG_INGESTION_CORPUS_ROOT: join(folder, 'corpus'),
      RAG_PROFILE: 'smoke',
      BACKEND_INTERNAL_API_TOKEN: TOKEN,
      PLATFORM_CORS_ORIGINS: 'https://chat.example',
      GRAPHENGINE_RERANK_ADAPTER_TOKEN: RERANK_TOKEN,
      GRAPHENGINE_API_KEY: GRAPH_KEY,
    })
  })

  afterAll(async () => {
    await Promise.all(running.map((process) => process.stop()))
    await rm(folder, { recursive: true })
  })
}

export async function call(path: string, body?: unknown, at = platform): Promise<Response> {
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
  return fetch(
    at.url + path,
    body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) },
  )
}

export const usage = async (at = platform): Promise<PlatformUsage> =>
  PlatformUsage.parse(await (await call('/internal/usage', undefined, at)).json())

/** Returns what an action adds to the platform's counters. */
export async function counted<Result>(
  act: () => Promise<Result>,
): Promise<{ result: Result; calls: Record<string, number> }> {
  const before = await usage()
  const result = await act()
  const after = await usage()
  const calls = Object.entries({ ...after.model_calls, ...after.alias_calls }).flatMap(([name, count]) => {
    const added = count - (before.model_calls[name] ?? before.alias_calls[name] ?? 0)
    return added === 0 ? [] : [[name, added] as const]
  })
  return { result, calls: Object.fromEntries(calls) }
}

/** Ingests the documents and waits for the job's end. */
export async function ingest(): Promise<IngestionRecord> {
  const accepted = IngestionAccepted.parse(await (await call('/api/rag/ingestions', { profile: 'smoke' })).json())
  for (;;) {
    const record = IngestionRecord.parse(await (await call(`/api/rag/ingestions/${accepted.ingestion_id}`)).json())
    if (record.status !== 'pending' && record.status !== 'running') return record
    await pause(20)
  }
}

/** Asks an alias the question, past the cache. */
export const ask = (model: string, more: object = {}): Promise<Response> =>
  call('/v1/chat/completions', {
    model,
    messages: [{ role: 'user', content: QUESTION }],
    cache: { 'no-cache': true, 'no-store': true },
    ...more,
  })
