import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import packageFile from '../../package.json' with { type: 'json' }
import type { DatasetPlan, StoredRunRequest } from '../../contract/control/run-job.ts'
import { Aggregate } from '../../contract/evidence/aggregate.ts'
import { runCli, smokeProject } from '../helpers/cli.ts'
import { startEngine } from '../helpers/engine-process.ts'
import { ranToEnd } from '../helpers/engine-runs.ts'
import { rowsOf, smokeRun } from '../helpers/ladder-run.ts'
import { startModelService, type ModelService } from '../helpers/model-service.ts'
import { writeModelSet } from '../helpers/model-set.ts'
import { recordedClient } from '../helpers/recorded-client.ts'

// A language model that answers questions in prose and grades in prose too: its answers count, its grades are missing.

let root: string
let service: ModelService

const calls = (): number => service.calls.filter(({ method }) => method === 'POST').length
const answersOf = async (run: string) =>
  (await rowsOf(join(root, `results/${run}-smoke-evidence.jsonl`))).map(({ evidence }) => evidence?.answer)
const scoresOf = async (run: string) =>
  (await rowsOf(join(root, `results/${run}-smoke-evidence.jsonl`))).map(({ metrics }) => metrics.ragas)
const MISSING = '2 graded metrics missing: the model did not write JSON'

beforeAll(async () => {
  root = await smokeProject()
  service = await startModelService(({ path, body }) => {
    if (path === '/v1/models') return { json: { data: [{ id: 'prose' }] } }
    const message = { role: 'assistant', content: 'It was opened in 1911, as far as I can see.' }
    const { model } = (body ?? {}) as { model?: string }
    const choices = [{ index: 0, message, finish_reason: 'stop' }]
    return { json: { id: 'x', object: 'chat.completion', created: 0, model, choices } }
  })
  const prose = '{ connection: prose, model: prose }'
  await writeModelSet(root, 'prose', { url: `${service.url}/v1` }, (roles) =>
    roles.replace(/light_gen: .*/, `light_gen: ${prose}`).replace(/ evaluator: .*/, ` evaluator: ${prose}`),
  )
})
afterAll(async () => {
  await service.close()
  await rm(root, { recursive: true, force: true })
})

it('a run whose evaluator writes no JSON is complete without its graded metrics, and is published', async () => {
  const run = await runCli([
    'ladder',
    ...smokeRun(root, 'prose'),
    '--models',
    'vanilla-rag',
    '--model-set',
    'prose',
    '--no-cold-reset',
    '--publish',
    '--metrics',
    'faithfulness,answer_relevancy',
  ])
  expect(run.stdout).toContain(`run prose completed, ${MISSING}`)
  for (const set of ['prose', 'builtin'])
    expect(run.stdout).toMatch(
      new RegExp(`evaluate --project \\S+ --dataset smoke --from prose --run-id prose-rescored --model-set ${set}\\n`),
    )
  expect(run.code).toBe(3)
  const aggregate = Aggregate.parse(
    JSON.parse(await readFile(join(root, 'results/prose-smoke-evaluation.json'), 'utf8')),
  )
  expect(aggregate.approaches[0]!.retrieval.recall_at_5!.scored).toBeGreaterThan(0)
  expect(aggregate.verdict).toMatchObject({ missing: [{ name: 'faithfulness' }, { name: 'answer_relevancy' }] })
  const report = await readFile(join(root, 'docs/results/smoke.md'), 'utf8')
  expect(report).toContain('Faithfulness, answer relevancy are missing for every answer: the model did not write JSON.')
})

it('evaluate scores the answers by the built-in evaluator, without a call of the model', async () => {
  const before = calls()
  const run = await runCli([
    'evaluate',
    '--project',
    root,
    '--dataset',
    'smoke',
    '--from',
    'prose',
    '--run-id',
    'scored',
    '--model-set',
    'builtin',
    '--metrics',
    'faithfulness,answer_relevancy',
  ])
  expect([run.code, run.stderr]).toEqual([0, ''])
  expect(run.stdout).toContain('smoke: scored by embedded, model set builtin')
  expect(calls()).toBe(before)
  expect(await answersOf('scored')).toEqual(await answersOf('prose'))
  const [scored] = await scoresOf('scored')
  expect(scored).toMatchObject({ evaluator_model: 'rule-critic', evaluator_version: packageFile.version })
  const [failed] = await scoresOf('prose')
  expect(failed!.evaluator_version).toMatch(/, prompts [0-9a-f]{8}$/)
})

it('plan estimates time and model calls from rows of the same model set, and from no others', async () => {
  const plan = (set: string) =>
    runCli(['plan', ...smokeRun(root, 'next'), '--models', 'vanilla-rag', '--model-set', set, '--json'])
  const workOf = ({ stdout }: { stdout: string }) => (JSON.parse(stdout) as DatasetPlan).work
  const known = workOf(await plan('prose'))
  expect(known.rows).toBe(4)
  expect(known.approaches[0]!.answer_calls).toBe(1)
  expect(known.approaches[0]!.grading_ms).toBeGreaterThan(0)
  // Each grade is asked for twice, and a refusal once.
  expect(known.model_calls).toBeGreaterThan(4)
  expect(known.estimated_ms).toBeGreaterThan(0)
  // The run that only scored its answers again has the rows of the other set.
  expect(workOf(await plan('builtin'))).toMatchObject({ rows: 0, estimated_ms: null, model_calls: null })
  const { stdout } = await runCli([
    'plan',
    ...smokeRun(root, 'next'),
    '--models',
    'vanilla-rag',
    '--model-set',
    'prose',
  ])
  expect(stdout.replace(/\s+/g, ' ')).toMatch(/about .*, about \d+ model calls, from 4 rows of this model set/)
})

it('the panel shows such a run as complete, and scores its answers again without a call', async () => {
  const engine = await startEngine(root)
  try {
    const { client } = recordedClient(engine.url, engine.token)
    const request: Partial<StoredRunRequest> = { dataset_ids: ['smoke'], models: ['vanilla-rag'], model_set: 'prose' }
    const metrics = ['faithfulness', 'answer_relevancy'] as const
    const job = await ranToEnd(client, 'panel', () =>
      client.runs.start({ ...request, metrics: [...metrics], run_id: 'panel', judge: { enabled: false } }),
    )
    expect([job.state, job.failures]).toEqual(['completed', []])
    expect(job.missing?.map(({ name, cause }) => `${name}: ${cause}`)).toEqual(
      metrics.map((name) => `${name}: the model did not write JSON`),
    )
    const before = calls()
    const again = await ranToEnd(client, 'panel-rescored1', () =>
      client.runs.rescore({ run_id: 'panel', model_set: 'builtin' }),
    )
    expect([again.state, again.failures, again.missing]).toEqual(['completed', [], undefined])
    expect(calls()).toBe(before)
    expect(await answersOf('panel-rescored1')).toEqual(await answersOf('panel'))
    expect((await scoresOf('panel-rescored1')).every(({ status }) => status === 'ok')).toBe(true)
  } finally {
    await engine.stop()
  }
})
