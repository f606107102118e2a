import { copyFile, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { setForAllRoles } from '../../contract/index.ts'
import { smokeProject } from '../helpers/cli.ts'
import { startEngine, type EngineProcess } from '../helpers/engine-process.ts'
import { ranToEnd } from '../helpers/engine-runs.ts'
import { skipWithout } from './skip-without.ts'
import { realWeights } from './weights.ts'

const weights = await realWeights('smollm2-135m')
skipWithout(weights)

const FILE = 'SmolLM2-135M-Instruct.Q4_1.gguf'

let root: string
let engine: EngineProcess
beforeAll(async () => {
  root = await smokeProject()
  if (weights.folder !== null) {
    await mkdir(join(root, 'models'))
    await copyFile(join(weights.folder, FILE), join(root, 'models', FILE))
  }
  engine = await startEngine(root)
})
afterAll(async () => {
  await engine.stop()
  await rm(root, { recursive: true, force: true })
})

it('a GGUF file is found, tested, saved as a set, and answers a run, by the procedures of the page Models', async () => {
  const { models, matrix, runs } = engine.client
  const { files } = await models.found()
  const file = files.find(({ path }) => path.endsWith(FILE))!.path
  const tested = await models.test({ target: { file } })
  expect(tested.probes.map(({ probe, status }) => `${probe} ${status}`)).toEqual([
    'file passed',
    'chat passed',
    'structured passed',
  ])
  expect(tested.probes[1]!.finding).toMatch(/^\d+\.\d tokens\/s/)
  const small = { backend: 'gguf', model: file, max_new_tokens: 24, context_size: 4096 } as const
  await models.saveSet({ name: 'file', set: setForAllRoles('', small, null) })
  const request = {
    run_id: 'with-file',
    dataset_ids: ['smoke'],
    models: ['vanilla-rag'],
    metrics: [],
    model_set: 'file',
  }
  const job = await ranToEnd(engine.client, 'with-file', () => runs.start(request))
  expect(job).toMatchObject({ state: 'completed', failures: [] })
  const page = await matrix.page({ run_id: 'with-file', dataset_id: 'smoke', metric: 'token_f1' })
  expect(page.rows.flatMap(({ cells }) => cells.map((cell) => cell?.status))).toEqual(['ok', 'ok', 'ok', 'ok'])
})
