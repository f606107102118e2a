import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { ControlEvent } from '../../contract/control/events.ts'
import { createEngine, type Engine } from '../../main/engine/create-engine.ts'
import { readEngineConfig } from '../../main/engine/engine-config.ts'
import { resumePlanOf } from '../../main/evidence/resume-planner.ts'
import { isPlanCurrent } from '../../main/runner/cells/plan-dataset.ts'
import { prepareRun } from '../../main/runner/prepare/prepare-run.ts'
import { createNodeLauncher } from '../../main/supervisor/node-launcher.ts'
import { smokeProject } from '../helpers/cli.ts'
import { clientOf, eventsUntil, TEST_TOKEN, type ControlClient } from '../helpers/engine-process.ts'
import { ranToEnd } from '../helpers/engine-runs.ts'
import { startSpecifiedPlatform, type SpecifiedPlatform } from '../helpers/specified-platform.ts'

// The engine runs in this process, so that the calls of its own modules can be counted.
vi.mock('../../main/evidence/resume-planner.ts', { spy: true })
vi.mock('../../main/runner/cells/plan-dataset.ts', { spy: true })
vi.mock('../../main/runner/prepare/prepare-run.ts', { spy: true })

let root: string
let stub: SpecifiedPlatform
let engine: Engine
let client: ControlClient

beforeAll(async () => {
  root = await smokeProject()
  stub = await startSpecifiedPlatform({ aliases: ['vanilla-rag', 'hybrid-rag', 'graph-rag'], broken: ['graph-rag'] })
  const env = {
    RAG_LADDER_PROJECT: root,
    RAG_LADDER_ENGINE_TOKEN: TEST_TOKEN,
    MATRIX_GATEWAY_URL: stub.gateway,
    MATRIX_PLATFORM_URL: stub.platform,
    MATRIX_EVALUATOR_URL: stub.evaluator,
  }
  engine = await createEngine(readEngineConfig(env, createNodeLauncher()), (error) => {
    throw error
  })
  client = clientOf(engine.url, { authorization: `Bearer ${TEST_TOKEN}` })
})
afterAll(async () => {
  await engine.stop()
  await stub.close()
  await rm(root, { recursive: true, force: true })
})

/** Starts a run as a click does, waits for its end, and counts what it took. */
async function counted(runId: string, start: () => Promise<unknown>) {
  vi.mocked(prepareRun).mockClear()
  vi.mocked(resumePlanOf).mockClear()
  const { state } = await ranToEnd(client, runId, start)
  return {
    state,
    preparations: vi.mocked(prepareRun).mock.calls.length,
    plans: vi.mocked(resumePlanOf).mock.calls.length,
  }
}

const clicked = (models: string[], runId = 'clicked') =>
  counted(runId, () => client.runs.start({ run_id: runId, dataset_ids: ['smoke'], models }))

it('a click on Run prepares once and plans once, and again only where its rows have changed since', async () => {
  const once = { state: 'completed', preparations: 1, plans: 1 }
  expect(await clicked(['vanilla-rag'])).toEqual(once)
  expect(await clicked(['vanilla-rag', 'hybrid-rag'])).toEqual(once)

  // Another process stores rows between the click and the first cell.
  vi.mocked(isPlanCurrent).mockResolvedValueOnce(false)
  expect(await clicked(['vanilla-rag', 'hybrid-rag'])).toEqual({ ...once, plans: 2 })
  const isNotice = (event: ControlEvent): boolean =>
    event.type === 'notice' && event.message.includes('it was planned again')
  await expect(eventsUntil(client, { after: 0 }, isNotice)).resolves.toBeDefined()
})

it('a click on Retry prepares once and plans once', async () => {
  expect(await clicked(['graph-rag'], 'broken')).toMatchObject({ state: 'failed' })
  const retry = () => client.runs.retryFailures({ run_id: 'broken', new_run_id: 'again' })
  expect(await counted('again', retry)).toEqual({ state: 'failed', preparations: 1, plans: 1 })
})
