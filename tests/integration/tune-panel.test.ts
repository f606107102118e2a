import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { TuningDetail } from '../../contract/control/tuning.ts'
import { smokeProject } from '../helpers/cli.ts'
import { failureOf, startEngine, type EngineProcess } from '../helpers/engine-process.ts'
import { PROJECT_ROOT } from '../helpers/project-root.ts'

let root: string
let engine: EngineProcess

beforeAll(async () => {
  root = await smokeProject('graph_native')
  await cp(join(PROJECT_ROOT, 'corpus/graph_native'), join(root, 'corpus/graph_native'), { recursive: true })
  engine = await startEngine(root, { RAG_LADDER_USER_DIR: join(root, 'person') })
})
afterAll(async () => {
  await engine.stop()
  await rm(root, { recursive: true, force: true })
})

const ASKED = {
  dataset_id: 'graph_native',
  alias: 'hybrid-rag',
  ranges: [
    { name: 'alpha', values: '0:1:0.25' },
    { name: 'rerank', values: 'true,false' },
  ],
  context_budget: 500,
}

async function until(name: string, isThere: (detail: TuningDetail) => boolean): Promise<TuningDetail> {
  for (;;) {
    const detail = await engine.client.tunings.get({ name })
    if (isThere(detail)) return detail
    await pause(50)
  }
}

it('takes no folder above its own for a tuning', async () => {
  expect(await failureOf(engine.client.tunings.get({ name: '..' }))).toMatchObject({
    code: 'input_invalid',
  })
})

it('plans without a call, and names what cannot be tuned', async () => {
  const { tunings } = engine.client
  const plan = await tunings.plan(ASKED)
  expect(plan).toMatchObject({ ok: true, settings: 9, is_started: false })
  const problemsOf = async (change: object): Promise<string> => {
    const refused = await tunings.plan({ ...ASKED, ...change })
    return refused.ok ? '' : refused.problems.map(({ message }) => message).join('; ')
  }
  expect(await problemsOf({ ranges: [{ name: 'alpha', values: 'x' }] })).toContain('expected numbers')
  expect(await problemsOf({ metric: 'token_f1' })).toContain('needs answers: switch on Write answers')
  // A page names no file of this machine.
  expect(await problemsOf({ ranges: [{ name: 'answer_prompt', values: '@/etc/hosts' }], answers: true })).toContain(
    'enter the values themselves',
  )
  expect(await tunings.list()).toEqual([])
})

it('runs one at a time and never beside a run, stops, goes on, and shows what it found with the ledger', async () => {
  const { tunings, runs } = engine.client
  const { name } = await tunings.start(ASKED)
  expect(await failureOf(tunings.start(ASKED))).toMatchObject({ code: 'run_active' })
  const run = { run_id: 'beside', dataset_ids: ['smoke'], models: ['vanilla-rag'], metrics: [] }
  expect(await failureOf(runs.start(run))).toMatchObject({
    code: 'run_active',
    message: expect.stringContaining(name) as string,
  })
  await tunings.stop({ name })
  const stopped = await until(name, (detail) => detail.head.state !== 'running')
  expect(stopped).toMatchObject({ head: { state: 'stopped', resumable: true, trials: { total: 10 } }, result: null })
  await tunings.resume({ name })
  const { head, result, openings } = await until(name, (detail) => detail.head.state === 'done')
  expect(head).toMatchObject({ alias: 'hybrid-rag', trials: { done: 10, total: 10 }, failure: null })
  expect(head.sentence).toMatch(/^(Confirmed|Not confirmed|Refuted|None of 9 settings)/)
  expect(result!.settings).toHaveLength(10)
  expect(result!.map).toMatchObject({ names: ['alpha', 'rerank'], columns: ['false', 'true'] })
  expect(openings).toHaveLength(result!.winner === 0 ? 0 : 1)
  const saved = tunings.saveFlavor({ name, flavor: 'tuned' })
  if (result!.winner === 0) expect((await saved)[0]).toContain('No flavor was saved')
  else {
    expect((await saved)[0]).toMatch(/^Saved tuned: alpha=/)
    const { aliases } = await engine.client.experiment.get()
    expect(aliases.find(({ alias }) => alias === 'tuned')).toMatchObject({ own: true, base: 'hybrid-rag' })
  }
})
