import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { DatasetPlan } from '../../contract/control/run-job.ts'
import { runCli, smokeProject } from '../helpers/cli.ts'
import { smokeRun } from '../helpers/ladder-run.ts'
import { startModelService, type ModelService } from '../helpers/model-service.ts'

// Compares what plan counts with the calls that a service counts.

let root: string
let service: ModelService
/** A model whose calls the service refuses. */
let refused: string | null = null
/** True where the service asks for a pause at its next call. */
let paused = false
/** The same service at another address. */
const OTHER_ADDRESS = '/mirror'
const VERDICT = JSON.stringify({ scores: { A: 5, B: 1 }, best: 'A', reasons: { A: 'x', B: 'y' } })

beforeAll(async () => {
  root = await smokeProject()
  service = await startModelService(({ path: full, body }) => {
    const path = full.replace(OTHER_ADDRESS, '')
    const { input, model } = (body ?? {}) as { input?: string[]; model?: string }
    if (path === '/v1/models') return { json: { data: ['chat', 'small-embed'].map((id) => ({ id })) } }
    if (path === '/v1/embeddings')
      return { json: { data: [input!].flat().map((_, index) => ({ index, embedding: [1, 0, 0, 0, 0, 0, 0, 1] })) } }
    if (paused && path === '/v1/chat/completions') {
      paused = false
      return { status: 429, headers: { 'retry-after': '4' }, json: { error: { message: 'too many calls' } } }
    }
    if (model === refused) return { status: 400, json: { error: { message: 'refused' } } }
    const content = model?.endsWith('-judge') === true ? VERDICT : 'It is so.'
    const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }]
    return { json: { id: 'x', object: 'chat.completion', created: 0, model, choices } }
  })
  await mkdir(join(root, '.rag-ladder'))
  await writeSet(service.url)
})
afterAll(async () => {
  await service.close()
  await rm(root, { recursive: true, force: true })
})

const writeSet = (url: string): Promise<void> =>
  writeFile(
    join(root, '.rag-ladder/models.yaml'),
    `version: 2
connections: { counted: { kind: compatible, base_url: '${url}/v1' } }
sets:
  counted: { default: { connection: counted, model: chat }, roles: { embed: { connection: counted, model: small-embed }, evaluator_embed: { connection: counted, model: small-embed }, rerank: { backend: builtin, model: lexical-reranker } } }
`,
  )

const MODELS = ['--models', 'vanilla-rag,contextual-rag', '--model-set', 'counted', '--no-cold-reset']
const planned = async (run: string, ...more: string[]): Promise<DatasetPlan> => {
  const plan = await runCli(['plan', ...smokeRun(root, run), ...MODELS, '--no-evaluate', ...more, '--json'])
  expect([plan.code, plan.stderr]).toEqual([0, ''])
  return JSON.parse(plan.stdout) as DatasetPlan
}
const partOf = ({ parts }: DatasetPlan, name: string) => parts.find(({ part }) => part === name)
/** Calls of the service that a run made. */
async function callsOfRun(run: string, ...more: string[]): Promise<number> {
  const before = service.calls.length
  const ladder = await runCli(['ladder', ...smokeRun(root, run), ...MODELS, '--no-publish', '--no-evaluate', ...more])
  expect([ladder.code, ladder.stderr]).toEqual([refused === null ? 0 : 3, ''])
  return service.calls.slice(before).filter(({ method }) => method === 'POST').length
}
const dropCollections = () => rm(join(root, '.rag-ladder/platform'), { recursive: true })

it('plan counts the reading of the documents unless their collections are stored', async () => {
  const inAll = await callsOfRun('first')
  expect(partOf(await planned('second'), 'ingestion')).toMatchObject({ calls: 0, source: 'kept' })
  const ofAnswers = await callsOfRun('second')
  await dropCollections()
  const again = partOf(await planned('third'), 'ingestion')
  expect(again).toMatchObject({ calls: inAll - ofAnswers, source: 'rows' })
  expect((await callsOfRun('third')) - ofAnswers).toBe(again!.calls)
})

it('plan counts the embedding of questions among the calls of answers', async () => {
  const answers = partOf(await planned('fourth'), 'answers')
  expect(answers).toMatchObject({ calls: await callsOfRun('fourth'), source: 'rows' })
})

it('plan counts only the verdicts that are not stored yet', async () => {
  const judges = [
    '--judge-models',
    'gpt-judge,claude-judge',
    '--judge-endpoint',
    `${service.url}/v1`,
    '--rotations',
    '1',
  ]
  expect(await planned('fourth', ...judges)).toMatchObject({ verdicts: 8 })
  refused = 'claude-judge'
  await callsOfRun('fourth', ...judges)
  refused = null
  const half = await planned('fourth', ...judges)
  expect([half.verdicts, partOf(half, 'judging')!.calls]).toEqual([4, 4])
  expect(await callsOfRun('fourth', ...judges)).toBe(4)
  const all = await planned('fourth', ...judges)
  expect([all.verdicts, partOf(all, 'judging')]).toEqual([0, expect.objectContaining({ calls: 0, source: 'kept' })])
})

it('plan refuses to resume a run whose collections another run has moved to the trash, until they are restored', async () => {
  const other = ['ladder', ...smokeRun(root, 'other'), '--models', 'bm25', '--model-set', 'counted', '--no-evaluate']
  const reset = await runCli([...other, '--no-publish', '--cold-reset'])
  expect([reset.code, reset.stderr]).toEqual([0, ''])
  const resume = [...smokeRun(root, 'fourth'), ...MODELS, '--no-evaluate']
  const plan = await runCli(['plan', ...resume])
  expect(plan.code).toBe(4)
  expect(plan.stdout).toContain('reproducibility.ingestion.job_id: stored ')
  expect((await runCli(['ladder', ...resume, '--no-publish'])).code).toBe(4)
  const [, name] = /rag-ladder trash restore (\S+) --replace/.exec(plan.stdout)!
  expect((await runCli(['trash', 'restore', name!, '--replace', '--project', root])).code).toBe(0)
  expect(await planned('fourth')).toMatchObject({ reuse: 8, run: 0, conflicts: [] })
  expect(await callsOfRun('fourth')).toBe(0)
})

it('a pause that the service asks for is a line of the run', async () => {
  paused = true
  const run = await runCli(['ladder', ...smokeRun(root, 'paused'), ...MODELS, '--no-publish', '--no-evaluate'])
  expect(run.code).toBe(0)
  expect(run.stdout + run.stderr).toMatch(
    new RegExp(`waits [34](?:\\.\\d)? s: the service at ${service.url} limits its calls`),
  )
})

it('a new run does not use what a model of the same name made at another address', async () => {
  await writeSet(`${service.url}${OTHER_ADDRESS}`)
  const elsewhere = await callsOfRun('elsewhere')
  expect(elsewhere).toBeGreaterThan(await callsOfRun('elsewhere-again'))
})
