import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { json, startFaultServer, text, type FaultServer } from '../../../tests/helpers/fault-server.ts'
import { startPlatformProcess } from '../../../tests/helpers/platform-process.ts'
import { startS3Server } from '../../../tests/helpers/s3-server.ts'
import { suiteFolder } from '../../../tests/helpers/temporary-folder.ts'

const CLOSED = 'http://127.0.0.1:1'
const folder = suiteFolder('configuration-faults')
let other: FaultServer
let page: FaultServer
/** Its health is open, its other routes want a key. */
let graph: FaultServer
const GRAPH_KEY = { GRAPHENGINE_API_KEY: 'wrong-key-of-the-graph' }
let s3: Awaited<ReturnType<typeof startS3Server>>
beforeAll(async () => {
  other = await startFaultServer()
  other.script(json({}, 401))
  page = await startFaultServer()
  page.script(text('<html>another program</html>'))
  graph = await startFaultServer()
  graph.script((response, request, body) => json({}, request.url === '/health' ? 200 : 403)(response, request, body))
  s3 = await startS3Server(join(folder, 's3'))
})
afterAll(() => Promise.all([other, page, graph, s3].map((server) => server.close())))

const objects = (change: Record<string, string>): Record<string, string> => ({
  S3_ENDPOINT: s3.settings.endpoint,
  S3_BUCKET: s3.settings.bucket,
  S3_ACCESS_KEY_ID: s3.settings.accessKeyId,
  S3_SECRET_ACCESS_KEY: s3.settings.secretAccessKey,
  ...change,
})

it.each<[string, string, () => Record<string, string>]>([
  ['a vector store that does not run', 'VECTOR_STORE_URL', () => ({ VECTOR_STORE_URL: CLOSED })],
  ['a graph engine that does not run', 'GRAPHENGINE_URL', () => ({ GRAPHENGINE_URL: CLOSED })],
  ['another program as graph engine', 'GRAPHENGINE_URL', () => ({ GRAPHENGINE_URL: `${s3.settings.endpoint}/none` })],
  ['a wrong key of the graph engine', 'GRAPHENGINE_API_KEY', () => ({ GRAPHENGINE_URL: graph.url, ...GRAPH_KEY })],
  ['a reranker that does not run', 'RERANKER_URL', () => ({ RERANKER_URL: CLOSED })],
  ['another program as reranker', 'RERANKER_URL', () => ({ RERANKER_URL: page.url })],
  ['a wrong key of the reranker', 'RERANKER_API_KEY', () => ({ RERANKER_URL: other.url, RERANKER_API_KEY: 'wrong' })],
  ['an object store that does not run', 'S3_ENDPOINT', () => objects({ S3_ENDPOINT: CLOSED })],
  ['a wrong key of the object store', 'S3_ENDPOINT', () => objects({ S3_SECRET_ACCESS_KEY: 'another-secret' })],
  ['an absent bucket', 'S3_ENDPOINT', () => objects({ S3_BUCKET: 'absent' })],
  [
    'a database that does not run',
    'DATABASE_URL',
    () => ({ DATABASE_URL: 'postgres://ada@127.0.0.1:1/records', TASK_SIGNING_SECRET: 'a'.repeat(64) }),
  ],
])('%s ends the start at once as a configuration fault that names %s', async (_case, variable, env) => {
  const start = startPlatformProcess({ RAG_LADDER_STATE_DIR: join(folder, 'state'), ...env() })
  const ended = await start.then(
    async (platform) => `it started: ${await platform.stop()}`,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  )
  expect(ended).toContain('the platform exited with 78:')
  expect(ended).toMatch(new RegExp(`${variable}(?::|$)`, 'm'))
  expect(ended).not.toMatch(/\n\s+at |Error: /)
})

const media = (url: string) => ({ MEDIA_LOCAL_ENABLED: 'true', COMFYUI_URL: url })
const OPTIONAL: Record<string, (url: string) => Record<string, string>> = {
  WORKFLOW_URL: (url) => ({ WORKFLOW_URL: url, WORKFLOW_API_KEY: 'wrong' }),
  RAY_URL: (url) => ({ RAY_URL: url, RAY_AUTH_TOKEN: 'wrong' }),
  SEARXNG_URL: (url) => ({ SEARXNG_URL: url }),
  COMFYUI_URL: media,
}

it.each<[string, string[], () => string]>([
  ['does not run', Object.keys(OPTIONAL), () => CLOSED],
  ['is another program', Object.keys(OPTIONAL), () => page.url],
  ['refuses the key', ['WORKFLOW_API_KEY', 'RAY_AUTH_TOKEN', 'SEARXNG_URL', 'COMFYUI_URL'], () => other.url],
])('a service of single routes that %s is a warning at the start that names %j', async (_case, variables, url) => {
  const env = Object.assign({}, ...Object.values(OPTIONAL).map((of) => of(url()))) as Record<string, string>
  const platform = await startPlatformProcess({ RAG_LADDER_STATE_DIR: join(folder, 'warned'), ...env })
  const warned = (): string[] =>
    platform
      .errors()
      .split('\n')
      .flatMap((line) => {
        const { msg = '' } = line.startsWith('{"level":40') ? (JSON.parse(line) as { msg?: string }) : {}
        return msg.endsWith('cannot be used') ? [msg.split(':')[0]!] : []
      })
  try {
    await vi.waitFor(() => expect(warned().toSorted()).toEqual(variables.toSorted()), { timeout: 10_000 })
    expect((await fetch(`${platform.url}/health`)).status).toBe(200)
  } finally {
    await platform.stop()
  }
})
