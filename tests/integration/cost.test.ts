import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { completionOf } from '../helpers/capable-model.ts'
import { runCli, smokeProject } from '../helpers/cli.ts'
import { startModelService, type ModelService } from '../helpers/model-service.ts'

// A paid service that reports its tokens, and one model of it that does not.
const READ = 1000
const WRITTEN = 500
const usageOf = (read: number, written: number) => ({
  prompt_tokens: read,
  completion_tokens: written,
  total_tokens: read + written,
})

let root: string
let service: ModelService
let isGraderPaid = false
const cli = (...args: string[]) => runCli([...args, '--project', root])
const ladder = (run: string, ...args: string[]) =>
  cli(
    'ladder',
    '--dataset',
    'smoke',
    '--models',
    'vanilla-rag',
    '--no-evaluate',
    '--concurrency',
    '1',
    '--no-publish',
    '--no-cold-reset',
    '--run-id',
    run,
    '--json',
    ...args,
  )
const paidCalls = () => service.calls.filter(({ method }) => method === 'POST').length
const rows = async (run: string) =>
  (await readFile(join(root, `results/${run}-smoke-evidence.jsonl`), 'utf8'))
    .split('\n')
    .filter((line) => line.includes('"approach"'))
    .map((line) => JSON.parse(line) as { metrics: { operational: { server: { model_usage: unknown[] } } } })

beforeAll(async () => {
  root = await smokeProject()
  service = await startModelService(({ path, body }) => {
    const { input, model } = (body ?? {}) as { input?: string[]; model?: string }
    if (path === '/v1/models')
      return { json: { data: ['chat', 'critic', 'silent', 'small-embed'].map((id) => ({ id })) } }
    if (path === '/v1/embeddings')
      return {
        json: {
          data: [input!].flat().map((_, index) => ({ index, embedding: [1, 0, 0, 0, 0, 0, 0, 1] })),
          usage: { prompt_tokens: 7, total_tokens: 7 },
        },
      }
    if (model === 'critic') {
      if (!isGraderPaid) return { status: 402, json: { error: { message: 'Insufficient Balance' } } }
      const { json_schema: task } = (body as { response_format: { json_schema: { name: string } } }).response_format
      const content = JSON.stringify(task.name === 'refusal' ? { reason: 'r', refused: 0 } : { statements: [] })
      return { json: { ...completionOf({ content }), model, usage: usageOf(10, 10) } }
    }
    const reply = { ...completionOf({ content: 'It is so.' }), model }
    return { json: model === 'silent' ? reply : { ...reply, usage: usageOf(READ, WRITTEN) } }
  })
  await mkdir(join(root, '.rag-ladder'))
  const set = (model: string) =>
    `{ default: { connection: paid, model: ${model} }, roles: { embed: { connection: paid, model: small-embed }, evaluator_embed: { connection: paid, model: small-embed }, rerank: { backend: builtin, model: lexical-reranker } } }`
  await writeFile(
    join(root, '.rag-ladder/models.yaml'),
    `version: 2
connections:
  paid: { kind: compatible, base_url: '${service.url}/v1', cloud: true }
  deaf: { kind: compatible, base_url: 'http://127.0.0.1:9/v1' }
sets:
  paid: ${set('chat')}
  silent: ${set('silent')}
  graded: ${set('chat').replace('roles: {', 'roles: { evaluator: { connection: paid, model: critic },')}
  deaf: ${set('chat').replace('connection: paid', 'connection: deaf')}
`,
  )
})
afterAll(async () => {
  await service.close()
  await rm(root, { recursive: true, force: true })
})

it('rows record what each model used, and the terminal prints what that costs once the models have a price', async () => {
  const run = await ladder('free', '--model-set', 'paid')
  expect(run).toMatchObject({ code: 0 })
  const used = (await rows('free')).map(({ metrics }) => metrics.operational.server.model_usage)
  expect(used).toEqual(
    Array.from({ length: 4 }, () => [
      { model: 'small-embed', cloud: true, calls: 1, unreported: 0, input_tokens: 7, output_tokens: 0 },
      { model: 'chat', cloud: true, calls: 1, unreported: 0, input_tokens: READ, output_tokens: WRITTEN },
    ]),
  )
  // The platform's own count has the ingestion, too.
  const reported = run.events.find(({ type }) => type === 'usage.reported')!['model_usage'] as { calls: number }[]
  expect(reported.map(({ calls }) => calls)).toEqual([5, 4])

  const before = await cli('summarize', '--run-id', 'free')
  expect(before.stdout).toContain('Smoke · vanilla-rag: unknown')
  expect(before.stdout).toContain('○ no price for small-embed')
  expect(
    (await cli('models', 'price', 'chat', '--input', '10', '--output', '20', '--currency', 'EUR')).stdout,
  ).toContain('chat costs 10 EUR per million tokens read and 20 EUR per million written.')
  await cli('models', 'price', 'small-embed', '--input', '0')
  const after = await cli('summarize', '--run-id', 'free')
  expect(after.stdout).toContain('Smoke · vanilla-rag: 0.080 EUR, 0.020 EUR an answer')
  expect((await cli('models', 'price')).stdout).toContain('chat  10 · 20')
  expect(await cli('models', 'price', 'chat', '--input', 'much')).toMatchObject({ code: 2 })
  expect((await cli('models', 'price', 'chat', '--input=-1')).stderr).toContain('--input: ')
  expect((await cli('models', 'price', 'other', '--none')).stderr).toContain(
    'other has no price; these have one: chat, small-embed',
  )
})

it('the plan reports what its cells would cost by an earlier run, or why it cannot', async () => {
  const plan = (...args: string[]) => cli('plan', '--dataset', 'smoke', '--no-evaluate', '--model-set', 'paid', ...args)
  const known = await plan('--models', 'vanilla-rag')
  expect(known).toMatchObject({ code: 0 })
  expect(known.stdout).toContain('smoke: expected cost 0.080 EUR, by what such cells used in earlier runs')
  // Cells that are stored cost nothing again.
  const stored = await plan('--models', 'vanilla-rag', '--run-id', 'free', '--no-cold-reset')
  expect(stored.stdout).toContain('smoke: expected cost 0.00 EUR')
  const partly = await plan('--models', 'vanilla-rag,hybrid-rag')
  expect(partly.stdout).toContain('smoke: expected cost at least 0.080 EUR')
  expect(partly.stdout).toContain('○ no earlier run of hybrid-rag with paid')
  const unknown = JSON.parse((await plan('--models', 'hybrid-rag', '--json')).stdout) as object
  const cost = { amount: null, currency: 'EUR', unknown: ['no earlier run of hybrid-rag with paid'] }
  expect(unknown).toMatchObject({
    expected_cost: cost,
    parts: [
      { part: 'ingestion', calls: 1 },
      { part: 'answers', cost },
    ],
  })
  // Three calls take the place of rows that do not exist: asked for, counted, and kept for the next plan.
  const before = paidCalls()
  const calibrated = await plan('--models', 'vanilla-rag,hybrid-rag', '--calibrate')
  expect([calibrated.code, paidCalls() - before]).toEqual([0, 3])
  expect(calibrated.stdout).toMatch(/^chat: three calls took [\d.]+ m?s each, 1.000 tokens read, 500 written/)
  const next = await plan('--models', 'vanilla-rag,hybrid-rag')
  expect(next.stdout).toMatch(/smoke: about .*, about 17 model calls, .*of hybrid-rag from three calls of each model/)
  expect(next.stdout).toContain('smoke: expected cost 0.16 EUR')
  expect(paidCalls() - before).toBe(3)
  const json = JSON.parse((await plan('--models', 'vanilla-rag', '--json')).stdout) as { expected_cost: unknown }
  expect(json.expected_cost).toEqual({ amount: expect.closeTo(0.08, 9), currency: 'EUR', unknown: [] })
  // Nothing is paid for built-in models, so no cost is shown.
  expect((await cli('plan', '--dataset', 'smoke', '--models', 'vanilla-rag', '--run-id', 'next')).stdout).not.toContain(
    'expected cost',
  )
})

it('a budget stops the run between cells, keeps what is there, and goes on when it is raised', async () => {
  const stopped = await ladder('budget', '--model-set', 'paid', '--budget', '0.03')
  expect(stopped.code).toBe(5)
  expect(stopped.stderr + stopped.stdout).toMatch(
    /the budget of 0\.030 EUR is spent: the answers of this run have cost 0\.040 EUR.*Raise it with --budget/,
  )
  expect(await rows('budget')).toHaveLength(2)
  // Not a call more under the same budget.
  const calls = paidCalls()
  expect((await ladder('budget', '--model-set', 'paid', '--budget', '0.03')).code).toBe(5)
  expect(paidCalls()).toBe(calls)
  expect((await ladder('budget', '--model-set', 'paid', '--budget', '1')).code).toBe(0)
  expect(await rows('budget')).toHaveLength(4)
})

it('a budget that could not be kept is refused before the first call, or at the first answer that does not report its tokens', async () => {
  const calls = paidCalls()
  const unpriced = await ladder('silent', '--model-set', 'silent', '--budget', '1')
  expect(unpriced).toMatchObject({ code: 2 })
  expect(unpriced.stderr).toContain('--budget: no price for silent: set one with rag-ladder models price silent')
  expect(paidCalls()).toBe(calls)
  await cli('models', 'price', 'silent', '--input', '1')
  const silent = await ladder('silent', '--model-set', 'silent', '--budget', '1')
  expect(silent.code).toBe(5)
  expect(silent.stderr + silent.stdout).toContain('silent reports no tokens, so they are estimated')
  expect(await rows('silent')).toHaveLength(1)
  for (const wrong of ['0', '-1', 'x'])
    expect((await ladder('silent', '--model-set', 'silent', `--budget=${wrong}`)).stderr).toContain('--budget: ')
})

it('a budget counts stored answers whose grading was refused, and of those graded again only the grading', async () => {
  await cli('models', 'price', 'critic', '--input', '100', '--output', '100')
  const args = ['--dataset', 'smoke', '--metrics', 'faithfulness', '--model-set', 'graded', '--concurrency', '1']
  const graded = (models: string, budget: string) =>
    cli(
      'ladder',
      ...args,
      '--no-publish',
      '--no-cold-reset',
      '--run-id',
      'graded',
      '--models',
      models,
      '--budget',
      budget,
    )
  expect((await graded('vanilla-rag', '1')).code).toBe(3)
  const calls = paidCalls()
  const others = await graded('hybrid-rag', '0.08')
  expect(others.stderr + others.stdout).toContain('the answers of this run have cost 0.080 EUR')
  expect([others.code, paidCalls()]).toEqual([5, calls])
  isGraderPaid = true
  // Two calls grade an answer, for 0.002 EUR each.
  expect((await graded('vanilla-rag', '0.1')).code).toBe(0)
  const spent = await graded('hybrid-rag', '0.096')
  expect(spent.stderr + spent.stdout).toContain('the answers of this run have cost 0.096 EUR')
})

it('a calibration names the address where no model answers, and ends as a service that failed', async () => {
  const { code, stderr } = await cli('plan', '--dataset', 'smoke', '--model-set', 'deaf', '--calibrate')
  expect(code).toBe(5)
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain(
    'chat: the model call for role light_gen failed: the upstream cannot be reached. Asked at http://127.0.0.1:9/v1. To test it: rag-ladder models test deaf',
  )
})
