import { existsSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { BUILTIN_JUDGES } from '../../contract/control/judging.ts'
import type { ControlEvent, SequencedEvent } from '../../contract/control/events.ts'
import type { RunJob, RunState } from '../../contract/control/run-job.ts'
import { verifyEvidence } from '../../main/evidence/verify-evidence.ts'
import { smokeProject } from '../helpers/cli.ts'
import { eventsUntil, failureOf, startEngine, type EngineProcess } from '../helpers/engine-process.ts'

let root: string
let engine: EngineProcess
/** The number of the last event before the test: those of a run before it do not count. */
let last = 0

async function start(): Promise<void> {
  root = await smokeProject()
  engine = await startEngine(root)
}
async function stop(): Promise<void> {
  expect(await engine.stop()).toBe(0)
  await rm(root, { recursive: true, force: true })
}
/** For tests that make runs of other names and leave the project as it was. */
function onOneEngine(): void {
  beforeAll(start)
  beforeEach(async () => {
    last = (await engine.client.system.status()).seq
  })
  afterAll(stop)
}
/** The next engine of the project, which numbers its events from the beginning. */
async function startAgain(): Promise<void> {
  engine = await startEngine(root)
  last = 0
}

const MODELS = ['vanilla-rag', 'hybrid-rag']
const request = (run_id: string, repeats = 1) => ({ run_id, dataset_ids: ['smoke'], models: MODELS, repeats })
const evidence = (runId: string): string => join(root, `results/${runId}-smoke-evidence.jsonl`)

const isState =
  (runId: string, ...states: RunState[]) =>
  (event: ControlEvent): boolean =>
    event.type === 'run.changed' && event.job.run_id === runId && states.includes(event.job.state)
const until = (enough: (event: ControlEvent, seen: SequencedEvent[]) => boolean, after = last) =>
  eventsUntil(engine.client, { after }, enough)
const ENDED: RunState[] = ['completed', 'failed', 'cancelled', 'paused', 'interrupted']

/** Row ids of the cells that were made, not taken over: each was durable when it was reported. */
const made = (seen: SequencedEvent[]): string[] =>
  seen.flatMap(({ event }) => (event.type === 'cell.finished' && !event.reused ? [event.row_id] : []))

async function rowIds(runId: string): Promise<string[]> {
  const lines = (await readFile(evidence(runId), 'utf8')).trim().split('\n')
  return lines.map((line) => (JSON.parse(line) as { row_id: string }).row_id)
}

const jobOf = async (runId: string): Promise<RunJob> =>
  (await engine.client.runs.jobs()).find((job) => job.run_id === runId)!

describe('a run', () => {
  onOneEngine()

  it('reports everything in order, and its results can be viewed', async () => {
    const { client } = engine
    expect(await client.runs.start(request('one'))).toEqual({ run_id: 'one' })
    const seen = await until(isState('one', 'completed'))
    const types = seen.map(({ event }) => event.type)
    const order = [
      'stream.opened',
      'run.changed',
      'run.started',
      'step.started',
      'plan.ready',
      'cell.started',
      'run.finished',
    ]
    expect(order.map((type) => types.indexOf(type as ControlEvent['type']))).toEqual(
      order.map((type) => types.indexOf(type as ControlEvent['type'])).toSorted((a, b) => a - b),
    )
    expect(types).not.toContain('stream.gap')
    expect(seen.slice(1).map(({ seq }) => seq)).toEqual(seen.slice(1).map((_, index) => last + index + 1))
    expect(made(seen)).toHaveLength(8)

    await until((event) => event.type === 'index.changed' && event.change.runs.some(({ run_id }) => run_id === 'one'))
    const page = await client.matrix.page({ run_id: 'one', dataset_id: 'smoke', metric: 'token_f1' })
    expect(page.aliases).toEqual(MODELS)
    expect(page.rows.map(({ question_id }) => question_id)).toEqual(['sm-01', 'sm-02', 'sm-03', 'sm-04'])
    const { row_id } = page.rows[0]!.cells[0]!
    const cell = await client.cells.get({ run_id: 'one', row_id })
    expect(cell).toMatchObject({ kind: 'canonical', row: { run_id: 'one', approach: { model: 'vanilla-rag' } } })
    const others = await client.cells.others({ run_id: 'one', row_id })
    expect(others.cells.map(({ model, status }) => [model, status])).toEqual(MODELS.map((model) => [model, 'ok']))
    expect((await client.coverage.get({ run_id: 'one', dataset_id: 'smoke' })).basis).toBe('summary')
    expect((await client.runs.list({})).runs).toContainEqual(
      expect.objectContaining({ run_id: 'one', state: 'completed' }),
    )
  })

  it('is sent again from any number to a client that reconnects, without a gap or a repetition', async () => {
    const { client } = engine
    await client.runs.start(request('again'))
    const first = await until((event) => event.type === 'cell.finished')
    const { seq } = first.at(-1)!
    const { engine_id } = first[0]!.event as Extract<ControlEvent, { type: 'stream.opened' }>
    const rest = await eventsUntil(client, { after: seq, engine_id }, isState('again', 'completed'))
    const whole = await until(isState('again', 'completed'))
    expect([...first, ...rest.slice(1)]).toEqual(whole.map((entry, index) => (index === 0 ? first[0] : entry)))

    const foreign = await eventsUntil(client, { after: seq, engine_id: 'another' }, (_, all) => all.length === 3)
    expect(foreign.slice(0, 2).map(({ event }) => event.type)).toEqual(['stream.opened', 'stream.gap'])
    // Then everything from this engine's first event.
    expect(foreign[2]!.seq).toBe(1)
  })

  it('can be paused, resumed and cancelled, keeping its cells', async () => {
    const { client } = engine
    await client.runs.start(request('held', 10))
    await until((_, seen) => made(seen).length >= 3)
    expect((await client.runs.pause({ run_id: 'held' })).state).toBe('pausing')
    const paused = await until(isState('held', ...ENDED))
    expect(await jobOf('held')).toMatchObject({ state: 'paused', resumable: true, progress: null })
    const kept = await rowIds('held')
    expect(new Set(kept)).toEqual(new Set(made(paused)))
    expect(kept.length).toBeLessThan(80)
    expect(await failureOf(client.runs.pause({ run_id: 'held' }))).toMatchObject({ code: 'run_state' })

    expect(['queued', 'running']).toContain((await client.runs.resume({ run_id: 'held' })).state)
    const after = paused.at(-1)!.seq
    await until((_, seen) => made(seen).length >= 3, after)
    await client.runs.cancel({ run_id: 'held' })
    await until(isState('held', ...ENDED), after)
    expect(await jobOf('held')).toMatchObject({ state: 'cancelled', failures: [] })
    expect((await rowIds('held')).slice(0, kept.length)).toEqual(kept)

    await client.runs.resume({ run_id: 'held' })
    const all = await until(isState('held', 'completed'))
    const ids = await rowIds('held')
    expect(new Set(ids).size).toBe(80)
    expect(ids).toHaveLength(80)
    expect(made(all).toSorted()).toEqual(ids.toSorted())
  })

  it('that is finished can be judged, and repaired when its last row is torn, without running a cell', async () => {
    const { client } = engine
    await client.runs.start({ ...request('judged'), metrics: [] })
    const first = await until(isState('judged', ...ENDED))
    await until((event) => event.type === 'index.changed')
    const stored = await readFile(evidence('judged'), 'utf8')
    // Reading the state seals no round.
    expect(await client.judges.state({ run_id: 'judged', dataset_id: 'smoke' })).toEqual({
      round: 'none',
      voted: 0,
      under_way: false,
    })
    expect(existsSync(join(root, 'results/judged-smoke-human-seal.json'))).toBe(false)

    const judge = { models: [...BUILTIN_JUDGES], rotations: 2 }
    await client.judges.judgeRun({ run_id: 'judged', judge })
    const seen = await until(isState('judged', ...ENDED), first.at(-1)!.seq)
    expect(seen.some(({ event }) => event.type === 'judge.progressed')).toBe(true)
    expect(made(seen)).toEqual([])
    expect(await jobOf('judged')).toMatchObject({ state: 'completed', failures: [], cells: { total: 8, done: 8 } })
    expect(await readFile(evidence('judged'), 'utf8')).toBe(stored)
    const judgments = JSON.parse(await readFile(join(root, 'results/judged-smoke-judgments.json'), 'utf8'))
    expect(judgments).toMatchObject({ status: 'ok', judges: judge.models })
    const summary = JSON.parse(await readFile(join(root, 'results/judged-smoke-evaluation.json'), 'utf8'))
    expect(summary.judge_panel).toMatchObject({ status: 'ok' })

    expect(await failureOf(client.runs.recover({ run_id: 'judged' }))).toMatchObject({ code: 'not_found' })
    await writeFile(evidence('judged'), `${stored}{"torn`)
    const torn = await client.experiment.plan({ ...request('judged'), metrics: [] })
    expect(torn).toMatchObject({ ok: true, blockers: [{ code: 'torn_tail' }] })
    expect(torn.ok && torn.blockers[0]!.message).toContain('"Move torn bytes"')
    expect(await client.runs.recover({ run_id: 'judged' })).toMatchObject({
      files: [{ file: evidence('judged'), rows: 8, moved_bytes: 6 }],
    })
    expect(await readFile(evidence('judged'), 'utf8')).toBe(stored)
    const whole = await client.experiment.plan({ ...request('judged'), metrics: [] })
    expect(whole).toMatchObject({ ok: true, blockers: [], totals: { reuse: 8, run: 0 } })
  })

  it('waits its turn after another', async () => {
    const { client } = engine
    await client.runs.start(request('first', 4))
    await client.runs.start(request('second'))
    expect(await failureOf(client.runs.start(request('second')))).toMatchObject({ code: 'run_active' })
    const status = await client.system.status()
    expect([status.active!.run_id, status.queued.map(({ run_id }) => run_id)]).toEqual(['first', ['second']])
    expect(await failureOf(client.settings.update({ settings: { concurrency: 2 } }))).toMatchObject({
      code: 'run_active',
    })
    const seen = await until(isState('second', ...ENDED))
    const finished = seen.flatMap(({ event }) => (event.type === 'run.finished' ? [[event.run_id, event.outcome]] : []))
    expect(finished).toEqual([
      ['first', 'completed'],
      ['second', 'completed'],
    ])
  })

  it('that would delete finished cells or replace published results starts only with the confirmed lists', async () => {
    const { client } = engine
    const cold = { ...request('cold'), metrics: [], cold_reset: true }
    const human = join(root, 'results/cold-smoke-human-round.json')
    const elsewhere = join(root, 'results/other-smoke-evidence.jsonl')
    for (const file of [evidence('cold'), human, elsewhere]) await writeFile(file, '{}\n')
    expect(await failureOf(client.runs.start(cold))).toMatchObject({
      code: 'confirmation_required',
      details: { deletions: [{ dataset_id: 'smoke' }] },
    })
    const plan = await client.experiment.plan(cold)
    if (!plan.ok) throw new Error('the plan was refused')
    const [list] = plan.deletions
    expect(list!.items.map(({ what, path, rows }) => [what, path, rows])).toEqual([
      ['evidence', evidence('cold'), 1],
      ['human_round', human, null],
      ['collections', join(root, '.rag-ladder/platform/smoke'), null],
    ])
    // A row that was stored after the list was shown.
    await writeFile(evidence('cold'), '{}\n{}\n')
    expect(await failureOf(client.runs.start({ ...cold, confirmed_deletions: plan.deletions }))).toMatchObject({
      code: 'confirmation_required',
    })
    expect(await readFile(evidence('cold'), 'utf8')).toBe('{}\n{}\n')
    await writeFile(evidence('cold'), '{}\n')
    await client.runs.start({ ...cold, confirmed_deletions: plan.deletions })
    await until(isState('cold', ...ENDED))
    expect(await jobOf('cold')).toMatchObject({ state: 'completed', cells: { total: 8, done: 8, failed: 0 } })
    expect([existsSync(human), existsSync(elsewhere)]).toEqual([false, true])
    expect(await rowIds('cold')).toHaveLength(8)
  })
})

describe('a run in a fresh project', () => {
  onOneEngine()

  it('is planned before it is started, and refused with the exact path', async () => {
    const { client } = engine
    const bad = { dataset_ids: ['smoke', 'nowhere'], models: ['vanilla-rag', 'vanilla-rag'], model_set: 'none' }
    const plan = await client.experiment.plan(bad)
    expect(plan.ok ? [] : plan.problems.map(({ path }) => path).sort()).toEqual([
      'dataset_ids[1]',
      'model_set',
      'models[1]',
    ])
    expect(await failureOf(client.runs.start(bad))).toMatchObject({ code: 'input_invalid' })
    expect(await client.runs.jobs()).toEqual([])

    await client.runs.start(request('planned'))
    await until(isState('planned', 'completed'))
    await until((event) => event.type === 'index.changed')
    const again = await client.experiment.plan({ ...request('planned'), models: [...MODELS, 'graph-rag'] })
    expect(again).toMatchObject({ ok: true, totals: { total: 12, reuse: 8, run: 4 }, blockers: [] })
    const other = await client.experiment.plan({ ...request('planned'), metrics: ['faithfulness'] })
    expect(other).toMatchObject({ ok: true, totals: { conflicts: 8 }, blockers: [{ code: 'run_conflict' }] })
    expect(await failureOf(client.runs.start({ ...request('planned'), metrics: [] }))).toMatchObject({
      code: 'run_conflict',
    })
    const added = join(root, 'corpus/smoke/added.md')
    await writeFile(added, '# Added\n')
    const changed = await client.experiment.plan(request('planned'))
    expect(changed).toMatchObject({
      ok: true,
      datasets: [
        { conflicts: [{ path: 'reproducibility.ingestion.content_digest', files: ['corpus/smoke'], rows: 8 }] },
      ],
      blockers: [{ code: 'run_conflict' }],
    })
    const timed = await client.experiment.plan(request('fresh'))
    expect(timed.ok && timed.estimated_minutes).toBeGreaterThan(0)

    // Files in a folder that the platform does not read say nothing about the run.
    expect(await engine.stop()).toBe(0)
    engine = await startEngine(root, { RAG_INGESTION_CORPUS_ROOT: join(root, 'elsewhere') })
    expect(await engine.client.experiment.plan(request('planned'))).toMatchObject({
      ok: true,
      totals: { reuse: 8, conflicts: 0 },
      blockers: [{ code: 'corpus_missing' }],
    })
  })
})

describe('an engine that is killed or ended during a run', () => {
  onOneEngine()

  it('offers the run for resume, loses nothing and makes no cell twice', async () => {
    await engine.client.runs.start(request('killed', 10))
    const before = await until((_, seen) => made(seen).length >= 8)
    const { pid } = (await engine.client.services.list()).find(({ name }) => name === 'platform')!
    await engine.kill()
    const reported = made(before)
    const stored = await rowIds('killed')
    expect(stored).toEqual(expect.arrayContaining(reported))
    // The platform goes with the engine that started it.
    for (const deadline = Date.now() + 15_000; existsSync(`/proc/${pid}`) && Date.now() < deadline;) await delay(20)
    expect(existsSync(`/proc/${pid}`)).toBe(false)

    await startAgain()
    expect(await engine.client.runs.interrupted()).toMatchObject([
      { run_id: 'killed', state: 'interrupted', resumable: true },
    ])
    await engine.client.runs.resume({ run_id: 'killed' })
    const after = await until(isState('killed', ...ENDED))
    expect((await jobOf('killed')).state).toBe('completed')
    expect(await engine.client.runs.interrupted()).toEqual([])

    const ids = await rowIds('killed')
    expect(ids).toHaveLength(80)
    expect(new Set(ids).size).toBe(80)
    expect(ids.slice(0, stored.length)).toEqual(stored)
    expect(made(after).filter((id) => stored.includes(id))).toEqual([])
    expect(await verifyEvidence(evidence('killed'))).toMatchObject({ ok: true, rows: 80 })
  })

  it('can discard the offer; the cells stay', async () => {
    await engine.client.runs.start(request('left', 10))
    await until((_, seen) => made(seen).length >= 1)
    await engine.kill()
    const stored = await rowIds('left')
    await startAgain()
    expect((await engine.client.runs.dismiss({ run_id: 'left' })).state).toBe('cancelled')
    expect(await engine.client.runs.interrupted()).toEqual([])
    expect(await rowIds('left')).toEqual(stored)
  })

  it('lets cells in flight finish and offers the run to the next one', async () => {
    const cold = { ...request('ended', 10), cold_reset: true }
    const plan = await engine.client.experiment.plan(cold)
    await engine.client.runs.start({ ...cold, ...(plan.ok ? { confirmed_deletions: plan.deletions } : {}) })
    const before = await until((_, seen) => made(seen).length >= 2)
    expect(await engine.stop()).toBe(0)
    await startAgain()
    expect(await engine.client.runs.interrupted()).toMatchObject([{ run_id: 'ended' }])
    await engine.client.runs.resume({ run_id: 'ended' })
    await until(isState('ended', ...ENDED))
    // A resumed run does not reset what it made before.
    expect(await rowIds('ended')).toEqual(expect.arrayContaining(made(before)))
    expect(new Set(await rowIds('ended')).size).toBe(80)
  })
})

describe('manifests that are edited', () => {
  onOneEngine()

  const file = (): string => join(root, 'manifests/evaluation.yaml')

  it.each([
    ['a bomb', 'a: &a [x]\nb: [*a, *a]\n'],
    ['an unknown field', 'version: 1\nsurprise: true\n'],
    ['no YAML', '{{{{ ]'],
    ['deep nesting', `${'['.repeat(20_000)}\n`],
    ['nothing', ''],
  ])('to %s give an error with the file, and nothing falls over', async (_what, text) => {
    const { client } = engine
    const good = await readFile(file(), 'utf8')
    const changed = until((event) => event.type === 'experiment.changed')
    await client.experiment.get()
    await writeFile(file(), text)
    const error = await failureOf(client.experiment.get())
    expect(error).toMatchObject({
      code: 'manifest_invalid',
      retryable: false,
      details: { problems: expect.any(Array) },
    })
    expect(await failureOf(client.experiment.plan(request('x')))).toMatchObject({ code: 'manifest_invalid' })
    expect((await client.system.status()).experiment.problems.length).toBeGreaterThan(0)
    expect((await changed).at(-1)!.event).toMatchObject({ type: 'experiment.changed' })
    await writeFile(file(), good)
    expect((await client.experiment.get()).project).toBe('rag-ladder')
    expect((await client.system.status()).experiment.problems).toEqual([])
  })

  it('while a run waits make it fail with the reason, and the engine continues', async () => {
    const { client } = engine
    const good = await readFile(file(), 'utf8')
    await client.runs.start(request('goes-on', 4))
    await client.runs.start(request('spoilt'))
    await until((_, seen) => made(seen).length >= 1)
    await writeFile(file(), 'version: 1\nsurprise: true\n')
    await until(isState('spoilt', ...ENDED))
    expect(await jobOf('goes-on')).toMatchObject({ state: 'completed' })
    expect(await jobOf('spoilt')).toMatchObject({
      state: 'failed',
      failures: [{ code: 'manifest_invalid' }],
      resumable: true,
    })
    await writeFile(file(), good)
    await client.runs.resume({ run_id: 'spoilt' })
    await until(isState('spoilt', 'completed'))
  })
})
