import { copyFile, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { isFullTier } from '../../build/test-tier.ts'
import { setForAllRoles } from '../../contract/manifests/models.ts'
import { smokeProject } from '../helpers/cli.ts'
import { startEngine, type EngineProcess } from '../helpers/engine-process.ts'
import { ranToEnd } from '../helpers/engine-runs.ts'
import { leaveOneQuestion } from './one-question.ts'
import { skipWithout } from './skip-without.ts'
import { realWeights } from './weights.ts'

const weights = await realWeights('smollm2-135m')
skipWithout(weights)

/** Where everything runs, the page spec `real-model` shows all of this, by the same procedures. */
const IS_SEEN_BY_SPEC = isFullTier()

const FILE = 'SmolLM2-135M-Instruct.Q4_1.gguf'

let root: string
let engine: EngineProcess | null = null
beforeAll(async () => {
  if (IS_SEEN_BY_SPEC) return
  root = await smokeProject()
  await leaveOneQuestion(root)
  if (weights.folder !== null) {
    await mkdir(join(root, 'models'))
    await copyFile(join(weights.folder, FILE), join(root, 'models', FILE))
  }
  engine = await startEngine(root)
})
afterAll(async () => {
  if (engine === null) return
  await engine.stop()
  await rm(root, { recursive: true, force: true })
})

it.skipIf(IS_SEEN_BY_SPEC)(
  'a GGUF file is found, tested, saved as a set, and answers a run, by the procedures of the page Models',
  async () => {
    const { models, matrix, runs } = engine!.client
    const { files } = await models.found()
    const file = files.find(({ path }) => path.endsWith(FILE))!.path
    const tested = await models.test({ target: { file } })
    // A model of this size need not extract, call tools or grade.
    expect(tested.probes.slice(0, 3).map(({ probe, status }) => `${probe} ${status}`)).toEqual([
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
    const job = await ranToEnd(engine!.client, 'with-file', () => runs.start(request))
    expect(job).toMatchObject({ state: 'completed', failures: [] })
    const page = await matrix.page({ run_id: 'with-file', dataset_id: 'smoke', metric: 'token_f1' })
    expect(page.rows.flatMap(({ cells }) => cells.map((cell) => cell?.status))).toEqual(['ok'])
    // A model of this size writes until it is cut, on a busy processor for minutes.
  },
  300_000,
)
