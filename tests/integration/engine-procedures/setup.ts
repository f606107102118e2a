import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, expect } from 'vitest'
import type { RunRequestInput } from '../../../contract/control/run-job.ts'
import { smokeProject } from '../../helpers/cli.ts'
import { startEngine, type ControlClient, type EngineProcess } from '../../helpers/engine-process.ts'
import { startFakeComfyUi, type FakeComfyUi } from '../../helpers/fake-comfyui.ts'
import { ranToEnd } from '../../helpers/engine-runs.ts'
import { startFaultServer, type FaultServer } from '../../helpers/fault-server.ts'
import { BUILTINS } from '../../helpers/judge-panel.ts'
import { recordedClient } from '../../helpers/recorded-client.ts'

export const MODELS = ['vanilla-rag', 'hybrid-rag', 'graph-rag']
export const RUN = { run_id: 'one', dataset_id: 'smoke' }

export let root: string
export let engine: EngineProcess
export let client: ControlClient
export let answered: Set<string>
export let evaluator: FaultServer
export let comfyUi: FakeComfyUi
export let rowId: string

export const ran = (runId: string, start: () => Promise<unknown>) => ranToEnd(client, runId, start)
export const run = (request: RunRequestInput & { run_id: string }) =>
  ran(request.run_id, () => client.runs.start(request))

beforeAll(async () => {
  root = await smokeProject('graph_native')
  evaluator = await startFaultServer()
  comfyUi = await startFakeComfyUi()
  engine = await startEngine(root, { COMFYUI_URL: comfyUi.url, COMFYUI_CHECKPOINT: comfyUi.checkpoint })
  const recorded = recordedClient(engine.url, engine.token)
  client = recorded.client
  answered = recorded.answered
  const judge = { enabled: true, models: BUILTINS }
  expect((await run({ run_id: 'one', dataset_ids: ['smoke'], models: MODELS, judge })).state).toBe('completed')
  const page = await client.matrix.page({ ...RUN, metric: 'token_f1' })
  rowId = page.rows[0]!.cells[0]!.row_id
})
afterAll(async () => {
  expect(await engine.stop()).toBe(0)
  expect(engine.errors()).toBe('')
  await evaluator.close()
  await comfyUi.close()
  await rm(root, { recursive: true, force: true })
})
