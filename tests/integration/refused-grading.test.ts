import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { RunPlan } from '../../contract/evidence/run-event.ts'
import { verifyEvidence } from '../../main/evidence/verify-evidence.ts'
import { completionOf } from '../helpers/capable-model.ts'
import { runCli, smokeProject } from '../helpers/cli.ts'
import { planOf, rowsOf, smokeRun } from '../helpers/ladder-run.ts'
import { startModelService, type ModelService } from '../helpers/model-service.ts'
import { writeModelSet } from '../helpers/model-set.ts'

// The service of the evaluator's model asks for payment until its account is corrected. Answers are written by rules.

const CHOICES = ['--models', 'vanilla-rag,hybrid-rag', '--model-set', 'paid', '--metrics', 'faithfulness']

let root: string
let service: ModelService
let isPaid = false

const calls = (): number => service.calls.filter(({ method }) => method === 'POST').length

beforeAll(async () => {
  root = await smokeProject()
  service = await startModelService(({ path, body }) => {
    if (path === '/v1/models') return { json: { data: [{ id: 'critic' }] } }
    if (body === null) return { status: 404, json: {} }
    if (!isPaid) return { status: 402, json: { error: { message: 'Insufficient Balance' } } }
    const { response_format: format } = body as { response_format: { json_schema: { name: string } } }
    const content = JSON.stringify(
      format.json_schema.name === 'refusal' ? { reason: 'a claim', refused: 0 } : { statements: [] },
    )
    return { json: completionOf({ content }) }
  })
  await setEvaluator('critic')
})
afterAll(async () => {
  await service.close()
  await rm(root, { recursive: true, force: true })
})

const setEvaluator = (model: string): Promise<void> =>
  writeModelSet(root, 'paid', { url: `${service.url}/v1` }, (roles) =>
    roles.replace(/ evaluator: .*/, ` evaluator: { connection: paid, model: ${model} }`),
  )

const ladder = (runId: string, ...more: string[]) =>
  runCli([
    'ladder',
    ...smokeRun(root, runId),
    ...CHOICES,
    '--concurrency',
    '1',
    '--no-publish',
    '--no-cold-reset',
    ...more,
  ])

it('an evaluator without credit is called three times, its metric is missing, and a resumed run grades the stored answers', async () => {
  const unpaid = await ladder('unpaid')
  expect(unpaid.stdout).toContain(
    'run unpaid completed, 1 graded metric missing: the credit at the service of the model is used up: HTTP 402: Insufficient Balance',
  )
  expect([unpaid.code, calls()]).toEqual([3, 3])
  const evidence = join(root, 'results/unpaid-smoke-evidence.jsonl')
  const answers = (await rowsOf(evidence)).map(({ evidence: answered }) => answered?.answer)
  expect(answers).toHaveLength(8)

  expect((await ladder('unpaid')).code).toBe(3)
  expect([calls(), (await rowsOf(evidence)).length]).toEqual([6, 8])

  isPaid = true
  const planned = await runCli(['plan', ...smokeRun(root, 'unpaid'), ...CHOICES, '--no-cold-reset', '--json'])
  expect(JSON.parse(planned.stdout)).toMatchObject({ reuse: 0, run: 0, resume_answered: 8 } satisfies Partial<RunPlan>)
  const resumed = await ladder('unpaid', '--json')
  expect([resumed.code, planOf(resumed)]).toMatchObject([0, { reuse: 0, run: 0, resume_answered: 8 }])
  // Statements and refusal of each answer.
  expect(calls()).toBe(6 + 16)
  const rows = await rowsOf(evidence)
  expect(rows.slice(8).map(({ evidence: answered }) => answered?.answer)).toEqual(answers)
  expect(rows.slice(8).every(({ retry, metrics }) => retry === 1 && metrics.ragas.error_type === undefined)).toBe(true)
  expect(await verifyEvidence(evidence)).toMatchObject({ ok: true, rows: 16, supersededRows: 8 })

  const again = await ladder('unpaid', '--json')
  expect([again.code, planOf(again)]).toMatchObject([0, { reuse: 8, run: 0, resume_answered: 0 }])
  expect(calls()).toBe(6 + 16)
})

it('a resumed run grades the answers by another model where the one before graded none of them', async () => {
  isPaid = false
  expect((await ladder('changed')).code).toBe(3)
  isPaid = true
  await setEvaluator('other-critic')
  const resumed = await ladder('changed', '--json')
  expect([resumed.code, planOf(resumed)]).toMatchObject([0, { reuse: 0, run: 0, resume_answered: 8 }])
  const evidence = join(root, 'results/changed-smoke-evidence.jsonl')
  const rows = await rowsOf(evidence)
  expect(rows.map(({ reproducibility }) => reproducibility.runtime.models!.roles['evaluator']!.model)).toEqual([
    ...Array.from({ length: 8 }, () => 'critic'),
    ...Array.from({ length: 8 }, () => 'other-critic'),
  ])
  expect(await verifyEvidence(evidence)).toMatchObject({ ok: true, rows: 16, supersededRows: 8 })
  // Now it has.
  await setEvaluator('third-critic')
  expect((await ladder('changed', '--json')).code).toBe(4)
})
