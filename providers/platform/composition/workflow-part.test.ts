import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { FakeN8n } from '../../../tests/helpers/fake-n8n.ts'
import { PROJECT_ROOT } from '../../../tests/helpers/project-root.ts'
import { createLogger } from '../../kit/logger.ts'
import { createClosingList } from '../jobs/closing-list.ts'
import { remoteWorkflow } from './workflow-part.ts'

let engine: FakeN8n
const closing = createClosingList()
beforeEach(async () => {
  engine = await new FakeN8n().start()
})
afterEach(async () => {
  await closing.closeAll()
  await engine.close()
})

const remote = (apiKey: string | null) =>
  remoteWorkflow({
    api: { url: engine.url, apiKey, httpTimeoutMs: 2000, seedTimeoutMs: 5000, maxResponseBytes: 1_000_000 },
    webhookPath: 'adaptive-rag',
    token: null,
    file: join(PROJECT_ROOT, 'manifests/workflows/adaptive-rag.json'),
    logger: createLogger('test', 'silent'),
    closing,
  })

it('an external engine gets the declared workflow at the start, and is ready once it has it', async () => {
  const part = remote(FakeN8n.KEY)
  await vi.waitFor(async () => part.probe(), { interval: 5, timeout: 15_000 })
  expect([...engine.workflows.values()].map(({ name, active }) => [name, active])).toEqual([
    ['RAG Ladder: adaptive RAG', true],
  ])
})

it('an engine that refused is not ready, and is tried again by the next probe', async () => {
  engine.faults = [(response) => response.writeHead(401).end('{}')]
  const part = remote(FakeN8n.KEY)
  await vi.waitFor(async () => expect(part.probe()).rejects.toThrow('refused WORKFLOW_API_KEY'), {
    interval: 5,
    timeout: 15_000,
  })
  await vi.waitFor(async () => part.probe(), { interval: 5, timeout: 15_000 })
  expect(engine.workflows.size).toBe(1)
})

it('without a key nothing of the public API is called', async () => {
  const part = remote(null)
  await part.probe()
  expect(engine.calls).toEqual([])
})
