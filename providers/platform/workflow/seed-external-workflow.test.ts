import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FakeN8n } from '../../../tests/helpers/fake-n8n.ts'
import { PROJECT_ROOT } from '../../../tests/helpers/project-root.ts'
import { seedExternalWorkflow, type SeedSettings } from './seed-external-workflow.ts'

const FILE = JSON.parse(readFileSync(join(PROJECT_ROOT, 'manifests/workflows/adaptive-rag.json'), 'utf8')) as Record<
  string,
  unknown
> & { nodes: object[]; name: string }

let engine: FakeN8n
beforeEach(async () => {
  engine = await new FakeN8n().start()
})
afterEach(async () => engine.close())

const never = new AbortController().signal
const settings = (changes: Partial<SeedSettings> = {}): SeedSettings => ({
  url: engine.url,
  apiKey: FakeN8n.KEY,
  httpTimeoutMs: 2000,
  seedTimeoutMs: 5000,
  maxResponseBytes: 1_000_000,
  ...changes,
})
const seed = async (file: unknown = FILE, changes: Partial<SeedSettings> = {}) =>
  seedExternalWorkflow(file, settings(changes), never, 1)
const changesOf = () => engine.calls.filter((call) => !call.startsWith('GET'))

it('imports and activates the declared workflow, and does nothing the second time', async () => {
  expect(await seed()).toEqual({ id: 'wf1', workflow: 'created', activation: 'activated' })
  expect(engine.workflows.get('wf1')).toMatchObject({ name: FILE.name, active: true, nodes: FILE.nodes })
  engine.calls.length = 0
  expect(await seed()).toEqual({ id: 'wf1', workflow: 'unchanged', activation: 'unchanged' })
  expect(changesOf()).toEqual([])
  expect(engine.workflows.size).toBe(1)
})

it('replaces a workflow that differs in place, and activates one that was switched off', async () => {
  await seed()
  engine.workflows.get('wf1')!.nodes = []
  expect(await seed()).toEqual({ id: 'wf1', workflow: 'updated', activation: 'unchanged' })
  expect(engine.workflows.get('wf1')!.nodes).toEqual(FILE.nodes)
  engine.workflows.get('wf1')!.active = false
  expect(await seed()).toEqual({ id: 'wf1', workflow: 'unchanged', activation: 'activated' })
})

it('takes the workflow that the command line of n8n has imported under the id of the file', async () => {
  await seed()
  const imported = { ...engine.workflows.get('wf1')!, id: String(FILE['id']), active: false }
  engine.workflows.clear()
  engine.workflows.set(imported.id, imported)
  expect(await seed()).toEqual({ id: FILE['id'], workflow: 'unchanged', activation: 'activated' })
})

it('of several with the name takes the oldest, over all pages, and leaves archived and other ones alone', async () => {
  await seed()
  await seed({ ...FILE, name: `${FILE.name} (copy)` })
  const first = engine.workflows.get('wf1')!
  engine.workflows.set('wf0', { ...first, id: 'wf0', createdAt: '2025-01-01', isArchived: true })
  engine.workflows.set('wf9', { ...first, id: 'wf9', createdAt: '2025-06-01' })
  engine.pageSize = 1
  engine.calls.length = 0
  expect(await seed()).toMatchObject({ id: 'wf9', workflow: 'unchanged' })
  expect(changesOf()).toEqual([])
})

describe('an engine', () => {
  it('that is not there yet is asked again', async () => {
    engine.faults = [
      (response) => response.writeHead(503).end(),
      (response) => response.destroy(),
      (response) => response.writeHead(429).end('{}'),
    ]
    expect(await seed()).toMatchObject({ workflow: 'created', activation: 'activated' })
    expect(engine.workflows.size).toBe(1)
  })

  it('that does not come fails after the time for the whole command', async () => {
    await expect(seed(FILE, { url: 'http://127.0.0.1:1', seedTimeoutMs: 60 })).rejects.toThrow(
      /cannot be reached|gave no answer within 60 ms/,
    )
  })

  it('that refuses the key is asked once, and the key is not in the message', async () => {
    const outcome = seed(FILE, { apiKey: 'a-wrong-key' })
    await expect(outcome).rejects.toThrow('the workflow engine refused WORKFLOW_API_KEY (HTTP 401)')
    await expect(outcome).rejects.not.toThrow('a-wrong-key')
    expect(engine.calls).toHaveLength(1)
  })

  it('that is silent fails after the time for a call', async () => {
    engine.faults = Array.from({ length: 100 }, () => () => {})
    await expect(seed(FILE, { httpTimeoutMs: 20, seedTimeoutMs: 60 })).rejects.toThrow(
      /gave no answer within (?:20|60) ms/,
    )
  })

  it('that sends more than the limit fails', async () => {
    await seed()
    await expect(seed(FILE, { maxResponseBytes: 100 })).rejects.toThrow('sent more than 100 bytes')
  })

  it('that refuses to activate is reported', async () => {
    engine.faults = [null, null, null, (response) => response.writeHead(400).end('{"message":"conflict"}')]
    await expect(seed()).rejects.toThrow('answered an activation with HTTP 400')
  })

  it('is left alone once the platform stops', async () => {
    const stop = new AbortController()
    engine.faults = [(response) => response.writeHead(503).end(() => stop.abort(new Error('stopped')))]
    await expect(seedExternalWorkflow(FILE, settings(), stop.signal, 60_000)).rejects.toThrow('stopped')
  })
})

it('a file that is no export is refused before any call', async () => {
  await expect(seed({ name: 'x' })).rejects.toThrow('not an export of n8n')
  expect(engine.calls).toEqual([])
})
