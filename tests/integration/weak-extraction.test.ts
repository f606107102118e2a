import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Aggregate } from '../../contract/evidence/aggregate.ts'
import type { RunPlan } from '../../contract/evidence/run-event.ts'
import { runCli, smokeProject } from '../helpers/cli.ts'
import { startEngine } from '../helpers/engine-process.ts'
import { ranToEnd } from '../helpers/engine-runs.ts'
import { json, startFaultServer } from '../helpers/fault-server.ts'
import { planOf, rowsOf, smokeRun } from '../helpers/ladder-run.ts'
import { recordedClient } from '../helpers/recorded-client.ts'
import { startModelService, type ModelService } from '../helpers/model-service.ts'
import { writeModelSet } from '../helpers/model-set.ts'

// An extraction model that answers in prose: no graph can be built with it. Everything else of the run works.

let root: string
let service: ModelService
const PROSE = 'The document describes a lock. I hope this helps!'
const GRAPH = JSON.stringify({
  entities: [{ name: 'Steenbrugge', type: 'place', description: 'A lock.' }],
  relations: [],
})
/** Holds what the extraction model replies; prose unless a test says otherwise. */
let reply = PROSE
/** Answers every call of it in place of the model. */
let refusal: { status: number; json: object } | null = null
/** Documents of which it writes prose all the same, by a word of theirs; null for none. */
let proseOf: string | null = null

const ladder = (run: string, models: string, ...more: string[]) =>
  runCli([
    'ladder',
    ...smokeRun(root, run),
    '--models',
    models,
    '--model-set',
    'weak',
    '--no-cold-reset',
    '--no-publish',
    ...more,
  ])
const extractions = (): number => service.calls.filter(({ method }) => method === 'POST').length
const aggregateOf = async (run: string) =>
  Aggregate.parse(JSON.parse(await readFile(join(root, `results/${run}-smoke-evaluation.json`), 'utf8')))

beforeAll(async () => {
  root = await smokeProject()
  service = await startModelService(({ path, body }) => {
    if (path === '/v1/models') return { json: { data: [{ id: 'chatty' }] } }
    const isProse = proseOf !== null && JSON.stringify(body).includes(proseOf)
    const message = { role: 'assistant', content: isProse ? PROSE : reply }
    const { model } = (body ?? {}) as { model?: string }
    if (model === 'silent') return { status: 400, json: { error: { code: 'content_filter', message: 'no' } } }
    if (refusal !== null) return refusal
    const choices = [{ index: 0, message, finish_reason: 'stop' }]
    return { json: { id: 'x', object: 'chat.completion', created: 0, model, choices } }
  })
  await writeModelSet(root, 'weak', { url: `${service.url}/v1` }, (roles) =>
    roles.replace(/graph_extract: .*/, 'graph_extract: { connection: weak, model: chatty }'),
  )
})
afterAll(async () => {
  await service.close()
  await rm(root, { recursive: true, force: true })
})

describe('a model that cannot extract a graph', () => {
  it('is never asked by a run whose approaches do not read the graph', async () => {
    const run = await ladder('vectors', 'vanilla-rag,hybrid-rag,lazy-graph-rag', '--json')
    expect(run.code).toBe(0)
    expect(extractions()).toBe(0)
  })

  it('stops the approaches that read the graph, and no other', async () => {
    const run = await ladder('mixed', 'vanilla-rag,graph-rag,contextual-rag,agentic-rag', '--json')
    expect(extractions()).toBeGreaterThan(0)
    const rows = await rowsOf(join(root, 'results/mixed-smoke-evidence.jsonl'))
    expect(rows.map(({ approach, status }) => `${approach.model} ${status}`).toSorted()).toEqual(
      ['contextual-rag', 'vanilla-rag'].flatMap((model) => Array.from({ length: 4 }, () => `${model} ok`)),
    )
    const namesOf = (missing: readonly { model: string; reason: string }[]): string[] =>
      missing.filter(({ reason }) => reason.includes('holds no JSON object')).map(({ model }) => model)
    const plan = planOf(run) as unknown as RunPlan
    expect([plan.total, namesOf(plan.unavailable).toSorted()]).toEqual([8, ['agentic-rag', 'graph-rag']])
    const aggregate = await aggregateOf('mixed')
    expect(namesOf(aggregate.unavailable).toSorted()).toEqual(['agentic-rag', 'graph-rag'])
    // The run has not done what it was asked to.
    expect(run.code).toBe(5)
    expect(run.events.find(({ type }) => type === 'run.finished')).toMatchObject({ outcome: 'failed' })
  })

  it('fails a run alone where the evaluation fails too, which is a missing column', async () => {
    const engine = await startEngine(root)
    const evaluator = await startFaultServer()
    try {
      // A status that is not tried again, which would take seconds for each cell.
      evaluator.script(json({ detail: 'broken' }, 422))
      const { client } = recordedClient(engine.url, engine.token)
      await client.settings.update({ settings: { evaluator_url: `${evaluator.url}/api/rag/evaluate` } })
      const request = { dataset_ids: ['smoke'], models: ['vanilla-rag', 'graph-rag'], model_set: 'weak' }
      const job = await ranToEnd(client, 'both', () =>
        client.runs.start({ ...request, run_id: 'both', judge: { enabled: false } }),
      )
      expect(job.state).toBe('failed')
      expect(job.failures.map(({ code }) => code)).toEqual(['graph_missing'])
      expect(new Set(job.missing?.map(({ cause }) => cause))).toEqual(
        new Set(['the evaluator answered with an HTTP error']),
      )
      await client.settings.update({ settings: { evaluator_url: null } })
    } finally {
      await engine.stop()
      await evaluator.close()
    }
  })

  it('is named with what to do in the terminal', async () => {
    const { stdout } = await ladder('terminal', 'vanilla-rag,graph-rag')
    expect(stdout).toMatch(/graph-rag is unavailable: .*holds no JSON object/)
    expect(stdout).toMatch(
      /start the run again with --no-cold-reset, which tries again what failed, or choose another model for graph_extract and\s+start a new run/,
    )
  })

  it('ends a run in which every approach reads the graph', async () => {
    const run = await ladder('graphs', 'graph-rag', '--json')
    expect(run.events.find(({ type }) => type === 'step.failed')).toMatchObject({ step: 'ingest' })
    expect(run.events.some(({ type }) => type === 'plan.ready')).toBe(false)
  })

  it('of a service without credit is asked again by the same run when that is paid for', async () => {
    refusal = { status: 402, json: { error: { message: 'Insufficient credits' } } }
    const unpaid = await ladder('unpaid', 'vanilla-rag,graph-rag')
    refusal = null
    expect(unpaid.stdout).toMatch(/add credit at the service, then start the run again with --no-cold-reset/)
    expect(unpaid.stdout).not.toContain('choose another model')
    reply = GRAPH
    const resumed = await ladder('unpaid', 'vanilla-rag,graph-rag', '--json')
    expect(planOf(resumed)).toMatchObject({ total: 8, reuse: 4, run: 4, unavailable: [] })
    expect(resumed.code).toBe(0)
  })

  it('keeps nothing that a later run would have to do without', async () => {
    reply = GRAPH
    const run = await ladder('later', 'vanilla-rag,graph-rag', '--json')
    expect(run.events.filter(({ type }) => type === 'step.failed')).toEqual([])
    expect(planOf(run)).toMatchObject({ total: 8, run: 8, unavailable: [] })
    expect((await aggregateOf('later')).unavailable).toEqual([])
    expect(run.code).toBe(0)
  })
})

describe('a model that cannot extract one document of four', () => {
  const read = (run: string) => ladder(run, 'vanilla-rag,graph-rag', '--json')
  const notices = (run: Awaited<ReturnType<typeof ladder>>): string =>
    run.events.flatMap((event) => (event.type === 'notice' ? [event.message] : [])).join('\n')

  it('costs the graph that document, and names it with what a new run does', async () => {
    await writeFile(join(root, 'corpus/smoke/ferry.md'), '# The Ferry\n\nThe Quillon ferry crosses at noon.\n')
    reply = JSON.stringify({ entities: [{ name: 'Lock', type: 'place', description: 'A lock.' }], relations: [] })
    proseOf = 'Quillon'
    const run = await read('one')
    expect(notices(run)).toMatch(
      /the graph lacks 1 document of 4: ferry\.md \(.*holds no JSON object.*\); a new run tries them again/s,
    )
    expect(planOf(run)).toMatchObject({ total: 8, run: 8, unavailable: [] })
    expect(run.code).toBe(0)
    expect((await aggregateOf('one')).extraction).toMatchObject({ chunks_refused: 1, documents: 3 })
  })

  it('is not asked again by the run that has answers from that graph, and is by a new one', async () => {
    const before = extractions()
    proseOf = null
    const resumed = await read('one')
    expect(notices(resumed)).toContain('the graph lacks 1 document of 4, as before: a new run tries them again')
    expect(planOf(resumed)).toMatchObject({ total: 8, run: 0, reuse: 8 })
    expect(extractions()).toBe(before)
    const next = await read('two')
    expect(extractions()).toBeGreaterThan(before)
    expect(notices(next)).not.toContain('the graph lacks')
    expect((await aggregateOf('two')).extraction).toMatchObject({ chunks_refused: 0, documents: 4 })
  })
})

describe('a model that cannot write contexts', () => {
  it('stops the approaches that read contexts, and no other', async () => {
    const file = join(root, '.rag-ladder/models.yaml')
    const before = await readFile(file, 'utf8')
    await writeFile(
      file,
      before.replace(/contextual_blurb: .*/, 'contextual_blurb: { connection: weak, model: silent }'),
    )
    const run = await ladder('blurbs', 'vanilla-rag,contextual-rag')
    await writeFile(file, before)
    const rows = await rowsOf(join(root, 'results/blurbs-smoke-evidence.jsonl'))
    expect(rows.map(({ approach, status }) => `${approach.model} ${status}`)).toEqual(Array(4).fill('vanilla-rag ok'))
    expect(run.stdout + run.stderr).toMatch(
      /contextual-rag cannot answer: the contexts of chunks could not be written: .*the content filter of the service withheld the answer/s,
    )
    expect(run.code).toBe(5)
  })
})
