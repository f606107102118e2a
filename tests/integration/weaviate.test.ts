import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { CanonicalRow } from '../../contract/evidence/canonical-row.ts'
import { runCli, smokeProject } from '../helpers/cli.ts'
import { startFakeWeaviate, type FakeWeaviate } from '../helpers/fake-weaviate.ts'

let server: FakeWeaviate
let project = ''
beforeAll(async () => {
  server = await startFakeWeaviate({ apiKey: 'k-0123456789abcdef' })
  project = await smokeProject()
})
afterAll(async () => {
  await server.close()
  await rm(project, { recursive: true, force: true })
})

const climb = (runId: string, env: Record<string, string>) =>
  runCli(
    [
      'ladder',
      '--project',
      project,
      '--dataset',
      'smoke',
      '--models',
      'vanilla-rag,hybrid-rag,contextual-rag,lazy-graph-rag',
      '--run-id',
      runId,
      '--no-publish',
    ],
    env,
  )

it('a ladder keeps its collections in Weaviate at VECTOR_STORE_URL and finds its answers there', async () => {
  const env = { VECTOR_STORE_URL: server.url, VECTOR_STORE_API_KEY: 'k-0123456789abcdef' }
  const { code, stderr } = await climb('w', env)
  expect({ code, stderr }).toMatchObject({ code: 0 })
  const stored = server.classes().map((name) => name.replace(/_[0-9a-f]{12}$/, ''))
  expect(stored).toContain('RagBase_smoke')
  // One class for each collection: the plain one and that of the contextual approach.
  expect(new Set(stored).size).toBe(stored.length)
  const text = await readFile(join(project, 'results/w-smoke-evidence.jsonl'), 'utf8')
  const rows = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as CanonicalRow)
  expect(rows.length).toBeGreaterThan(0)
  expect(text).not.toContain('k-0123456789abcdef')
  for (const { status, evidence, reproducibility } of rows) {
    expect(status).toBe('ok')
    expect(evidence!.contexts.length).toBeGreaterThan(0)
    expect(reproducibility.runtime.providers).toMatchObject({ 'vector-store': server.url })
  }
})

it('a ladder ends at the first start, with the reason and what to do, where Weaviate refuses its key', async () => {
  const { code, stdout, stderr } = await climb('refused', { VECTOR_STORE_URL: server.url })
  expect(code).toBe(2)
  const shown = `${stdout}${stderr}`
  expect(shown.match(/Set VECTOR_STORE_API_KEY/g)).toHaveLength(1)
  expect(shown).toMatch(/VECTOR_STORE_URL: Weaviate answered .* with HTTP 401/)
  expect(shown).not.toMatch(/started again|Error:|^ +at /m)
})
