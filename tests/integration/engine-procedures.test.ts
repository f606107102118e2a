import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ImportFolderInput } from '../../contract/control/dataset-transfer.ts'
import type { BlindSets } from '../../contract/control/judging.ts'
import type { RunRequestInput } from '../../contract/control/run-job.ts'
import { Aggregate, CanonicalRow, setForAllRoles } from '../../contract/index.ts'
import { CELL_COLUMNS } from '../../main/report/cells-csv.ts'
import { smokeProject } from '../helpers/cli.ts'
import {
  eventsUntil,
  failureOf,
  startEngine,
  type ControlClient,
  type EngineProcess,
} from '../helpers/engine-process.ts'
import { collected, exported, ranToEnd } from '../helpers/engine-runs.ts'
import { startFileServer } from '../helpers/file-server.ts'
import { json, startFaultServer, type FaultServer } from '../helpers/fault-server.ts'
import { BUILTINS } from '../helpers/judge-panel.ts'
import { procedureNames, recordedClient } from '../helpers/recorded-client.ts'

const MODELS = ['vanilla-rag', 'hybrid-rag', 'graph-rag']
const RUN = { run_id: 'one', dataset_id: 'smoke' }

let root: string
let engine: EngineProcess
let client: ControlClient
let answered: Set<string>
let evaluator: FaultServer
let rowId: string

const ran = (runId: string, start: () => Promise<unknown>) => ranToEnd(client, runId, start)
const run = (request: RunRequestInput & { run_id: string }) => ran(request.run_id, () => client.runs.start(request))

beforeAll(async () => {
  root = await smokeProject('graph_native')
  evaluator = await startFaultServer()
  engine = await startEngine(root)
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
  await rm(root, { recursive: true, force: true })
})

describe('the matrix', () => {
  it('gives pages, heads with coverage, single cells and their neighbours', async () => {
    const metric = 'faithfulness'
    const page = await client.matrix.page({
      ...RUN,
      metric,
      aliases: ['hybrid-rag', 'graph-rag'],
      sort: { by: 'value', alias: 'hybrid-rag', descending: true },
      filters: { states: ['ok'] },
    })
    expect(page.aliases).toEqual(['hybrid-rag', 'graph-rag'])
    const values = page.rows.map(({ cells }) => cells[0]!.value ?? -1)
    expect(values).toEqual(values.toSorted((a, b) => b - a))
    const { heads } = await client.matrix.heads({ ...RUN, metric })
    const byModel = new Map(heads.map((head) => [head.model, head]))
    // Answers without contexts cannot be faithful or not: no value, and no zero.
    expect(byModel.get('graph-rag')).toMatchObject({ n: 0, mean: null })
    expect(byModel.get('vanilla-rag')!.n).toBeGreaterThan(0)

    const cell = await client.cells.get({ run_id: 'one', row_id: rowId })
    if (cell.kind !== 'canonical') throw new Error('not a canonical cell')
    const { answer } = cell.row.evidence!
    expect(cell.verdicts.map(({ judge }) => judge).sort()).toEqual(BUILTINS)
    const slice = await client.cells.answerSlice({ run_id: 'one', row_id: rowId, offset: 2, limit: 10 })
    expect(slice).toEqual({ text: answer.slice(2, 12), total: answer.length, next_offset: 12 })
    const { cells } = await client.cells.others({ run_id: 'one', row_id: rowId })
    expect(cells.map(({ model }) => model)).toEqual(MODELS)
    expect(cells[0]!.judge_mean).toBeGreaterThan(0)
    expect(await failureOf(client.cells.get({ run_id: 'one', row_id: '0'.repeat(64) }))).toMatchObject({
      code: 'not_found',
    })
  })

  it('is searched in questions and answers', async () => {
    const [question] = (await client.datasets.questions({ dataset_id: 'smoke' })).questions
    const word = question!.question.query.match(/\p{L}{6,}/u)![0]
    const { hits } = await client.matrix.search({ text: word })
    expect(hits.length).toBeGreaterThan(0)
    expect(hits[0]).toMatchObject({ found_in: 'question', ...RUN, question_id: question!.question.id })
    expect((await client.matrix.search({ text: 'zzzznothing' })).hits).toEqual([])
  })

  it('gives its verdict, as the aggregate has it, with the caution that rules were used', async () => {
    const { verdicts, pending, caution } = await client.compare.result({ run_id: 'one' })
    expect(verdicts).toHaveLength(1)
    expect(verdicts[0]).toMatchObject({ dataset: 'smoke', metric: 'facts_found' })
    expect(verdicts[0]!.sentences[0]).toContain('Smoke')
    expect(pending).toEqual([])
    expect(caution).toContain('built-in rule')
    expect(await failureOf(client.compare.result({ run_id: 'none' }))).toMatchObject({ code: 'not_found' })
  })

  it('has its coverage explained by the six states', async () => {
    const { basis, aliases } = await client.coverage.get(RUN)
    const graph = aliases.find(({ model }) => model === 'graph-rag')!
    const faithfulness = graph.metrics.find(({ metric }) => metric === 'faithfulness')!
    expect(basis).toBe('summary')
    expect(faithfulness).toMatchObject({ scored: 0, mean: null, unevaluable: 4, timeouts: 0, missing: 0 })
    expect(Object.keys(faithfulness.unevaluable_by_reason!)).toHaveLength(1)
  })
})

describe('models', () => {
  it('connects a service, tests it with an exact error, saves a set of it and uses that', async () => {
    const { models } = client
    const before = await models.list()
    expect(before.sets.filter(({ is_default: isDefault }) => isDefault).map(({ name }) => name)).toEqual(['builtin'])
    expect(before.connections.find(({ name }) => name === 'openai')).toMatchObject({ cloud: true, own: false })
    const service = await startFaultServer()
    const connection = { kind: 'compatible' as const, base_url: `${service.url}/v1` }
    const chat = { choices: [{ message: { content: '{"city": "Paris"}' } }], usage: { completion_tokens: 4 } }
    service.script(json({ data: [{ id: 'tiny' }] }), json(chat), json(chat), json({ error: 'none' }, 404))
    const tested = await models.test({ target: { connection } })
    expect(tested).toMatchObject({ works: true, models: ['tiny'], problems: [] })
    expect(tested.probes.map(({ probe, status }) => `${probe} ${status}`)).toEqual([
      'models passed',
      'chat passed',
      'structured passed',
      'embedding skipped',
    ])
    expect(await models.add({ name: 'lab', connection })).toMatchObject({
      connections: expect.arrayContaining([
        {
          name: 'lab',
          kind: 'compatible',
          address: connection.base_url,
          key_env: null,
          key_set: true,
          cloud: false,
          own: true,
        },
      ]) as unknown,
    })
    service.script(json({ error: { message: 'the model is gone' } }, 500))
    const failed = await models.test({ target: { name: 'lab' }, model: 'tiny' })
    expect(failed.works).toBe(false)
    expect(failed.probes[0]!.error).toContain('the model is gone')
    await service.close()

    const set = setForAllRoles('', { connection: 'lab', model: 'tiny' }, null)
    const { sets } = await models.saveSet({ name: 'mine', set })
    expect(sets.find(({ name }) => name === 'mine')).toMatchObject({
      own: true,
      roles: { light_gen: { model: 'tiny' }, embed: { backend: 'builtin' } },
    })
    expect((await client.experiment.get()).model_sets.map(({ name }) => name)).toContain('mine')
    expect((await models.use({ name: 'mine' })).sets.find((each) => each.is_default)!.name).toBe('mine')
    expect(await failureOf(models.saveSet({ name: 'builtin', set }))).toMatchObject({ code: 'input_invalid' })
    expect(await failureOf(models.remove({ name: 'lab' }))).toMatchObject({
      code: 'manifest_invalid',
      message: expect.stringContaining('no connection is named lab') as string,
    })
    await models.remove({ name: 'mine', part: 'set' })
    const after = await models.remove({ name: 'lab' })
    expect(after).toEqual(before)
    expect(await failureOf(models.remove({ name: 'openai' }))).toMatchObject({ code: 'input_invalid' })
  })

  it('writes of a set only what was chosen', async () => {
    const path = '/nowhere/small.gguf'
    await client.models.saveSet({ name: 'file', set: setForAllRoles('', { backend: 'gguf', model: path }, null) })
    const written = await readFile(join(root, '.rag-ladder/models.yaml'), 'utf8')
    expect(written).toContain(`default:\n      backend: gguf\n      model: ${path}\n    roles:`)
    await client.models.remove({ name: 'file' })
  })

  it('finds model files of the project, and says what is wrong with one', async () => {
    const [folder, good, bad] = [join(root, 'models'), 'models/good.gguf', 'models/bad.gguf']
    await mkdir(folder)
    await Promise.all([writeFile(join(root, good), 'GGUF\u0003'), writeFile(join(root, bad), '<html>')])
    const found = await client.models.found()
    expect(found.folders).toContain(folder)
    expect(found.files).toContainEqual({ path: join(root, good), size_bytes: 5 })
    const test = async (file: string) => (await client.models.test({ target: { file } })).probes[0]!
    expect((await test(bad)).error).toContain('is not a GGUF file')
    expect((await test('models/none.gguf')).error).toContain('there is no file')
    await rm(folder, { recursive: true })
  })
})

describe('the catalogue of models', () => {
  it('is fetched from with progress, checked, and refuses a file of another checksum or without one', async () => {
    const server = await startFileServer()
    const bytes = Buffer.from(`GGUF${'\0'.repeat(60_000)}`)
    server.files.set('/small.gguf', bytes)
    const file = (name: string, sha256: string | null) => [
      { path: `${name}.gguf`, url: `${server.url}/small.gguf`, size_bytes: bytes.length, sha256 },
    ]
    const common = { job: 'small-language-model', source_page: server.url, license: 'MIT', languages: ['en'] }
    const model = (id: string, files: object[]) => ({ id, ...common, run_by: { backend: 'gguf' }, files })
    const right = createHash('sha256').update(bytes).digest('hex')
    const models = [
      { ...model('good', file('good', right)), memory_mib: 1 },
      model('wrong', file('wrong', 'a'.repeat(64))),
      model('unchecked', file('unchecked', null)),
    ]
    const path = join(root, 'manifests/model-catalogue.yaml')
    const shipped = await readFile(path, 'utf8')
    await writeFile(path, JSON.stringify({ version: 1, models }))
    const fetch = async (id: string) => {
      const seen = []
      for await (const each of await client.models.fetch({ id })) seen.push(each)
      return seen.at(-1)!
    }
    const target = join(root, '.rag-ladder/models/good.gguf')
    expect(await fetch('good')).toEqual({ received_bytes: bytes.length, total_bytes: bytes.length, paths: [target] })
    expect(await readFile(target)).toEqual(bytes)
    expect(await failureOf(fetch('wrong'))).toMatchObject({
      code: 'service_failed',
      message: expect.stringContaining('checksum') as string,
    })
    expect(await failureOf(fetch('unchecked'))).toMatchObject({ code: 'input_invalid' })
    const entries = await client.models.catalogue()
    expect(entries.map(({ id, fits, fetched }) => [id, fits, fetched])).toEqual([
      ['good', true, true],
      ['wrong', null, false],
      ['unchecked', null, false],
    ])
    await writeFile(path, shipped)
    await rm(join(root, '.rag-ladder/models'), { recursive: true })
    await server.close()
  })
})

describe('a blind round', () => {
  const raw = async (path: string, input: object): Promise<string> => {
    const answer = await fetch(`${engine.url}/control/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${engine.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ json: input }),
    })
    return `${JSON.stringify([...answer.headers])}\n${await answer.text()}`
  }

  it('lets no byte through that names an approach until it is revealed', async () => {
    const { aliases } = await client.experiment.get()
    const names = [...new Set(aliases.flatMap(({ alias, base }) => [alias, base]))]
    expect(names.length).toBeGreaterThan(15)
    const first = await client.judges.blindSets(RUN)
    const letters = first.sets[0]!.answers.map(({ letter }) => letter)
    const scores = Object.fromEntries(letters.map((letter, place) => [letter, (place % 5) + 1]))
    const vote = { set: first.sets[0]!.set, scores, best: letters.at(-1)!, note: 'clear' }
    const bytes = [
      await raw('judges/blindSets', { ...RUN, limit: 50 }),
      await raw('judges/vote', { ...RUN, round_id: first.round_id, vote }),
      await raw('judges/vote', { ...RUN, round_id: first.round_id, vote: { ...vote, scores: {} } }),
      await raw('judges/vote', { ...RUN, round_id: 'another', vote }),
      await raw('judges/results', RUN),
      await raw('judges/blindSets', { ...RUN, offset: 1, limit: 1 }),
    ].join('\n')
    expect(bytes).toContain(first.sets[0]!.answers[0]!.text.slice(0, 40).replaceAll('"', '\\"').split('\n')[0])
    const found = names.filter((name) => bytes.toLowerCase().includes(name.toLowerCase()))
    expect(found).toEqual([])
    expect(bytes).not.toContain(rowId)
  })

  it('keeps votes by letters, is revealed once, and only then shows the panel', async () => {
    expect(await failureOf(client.judges.results(RUN))).toMatchObject({ code: 'not_revealed' })
    const before: BlindSets = await client.judges.blindSets({ ...RUN, limit: 50 })
    expect(before).toMatchObject({ revealed: false, total: 4, voted: 1, next_unvoted: 1 })
    for (const { set, answers } of before.sets) {
      const scores = Object.fromEntries(answers.map(({ letter }, place) => [letter, place === 0 ? 5 : 2]))
      await client.judges.vote({ ...RUN, round_id: before.round_id, vote: { set, scores, best: answers[0]!.letter } })
    }
    const bad = { set: before.sets[0]!.set, scores: { A: 3 } }
    expect(await failureOf(client.judges.vote({ ...RUN, round_id: before.round_id, vote: bad }))).toMatchObject({
      code: 'input_invalid',
      details: { problems: [{ path: 'vote.scores' }] },
    })

    const revealed = await client.judges.reveal({ ...RUN, rater: 'Ada' })
    expect(revealed).toMatchObject({ voted: 4 })
    expect(await client.judges.reveal(RUN)).toEqual(revealed)
    const late = { ...RUN, round_id: before.round_id, vote: { ...bad, scores: { A: 1, B: 1, C: 1 } } }
    expect(await failureOf(client.judges.vote(late))).toMatchObject({ code: 'revealed' })
    const results = await client.judges.results(RUN)
    expect(results).toMatchObject({ status: 'ok', total: 4, message: null })
    expect(results.judges.toSorted()).toEqual(BUILTINS)
    expect(results.approaches.map(({ model }) => model).toSorted()).toEqual(MODELS.toSorted())
    expect(results.queries.every(({ human }) => human !== null && human.best !== null)).toBe(true)
    const events = await eventsUntil(
      client,
      { after: 0 },
      (event) => event.type === 'notice' && event.message.includes('Ada revealed'),
    )
    expect(events.length).toBeGreaterThan(0)
  })
})

describe('runs side by side', () => {
  it('report what failed, repeat only that, and derive the rest', async () => {
    evaluator.script(json({ detail: 'broken' }, 500))
    await client.settings.update({ settings: { evaluator_url: `${evaluator.url}/api/rag/evaluate` } })
    await run({ run_id: 'two', dataset_ids: ['smoke'], models: MODELS, judge: { enabled: false } })
    expect(await client.runs.failures({ run_id: 'two' })).toEqual({
      run_id: 'two',
      classes: [{ class: 'evaluation_error', cells: 12 }],
    })
    expect(await failureOf(client.runs.retryFailures({ run_id: 'two', classes: ['timeout'] }))).toMatchObject({
      code: 'not_found',
    })
    await client.settings.update({ settings: { evaluator_url: null } })
    const job = await ran('two-again', () => client.runs.retryFailures({ run_id: 'two', new_run_id: 'two-again' }))
    expect(job).toMatchObject({ state: 'completed', failures: [], retry_of: { run_id: 'two' } })
    const rows = (await readFile(join(root, 'results/two-again-smoke-evidence.jsonl'), 'utf8')).trim().split('\n')
    const seen = rows.map((line) => JSON.parse(line) as Record<string, { run_id: string }>)
    expect(seen.map((row) => [row['run_id'], row['derived_from']!.run_id])).toEqual(
      Array.from({ length: 12 }, () => ['two-again', 'two']),
    )
    // What the evaluator cannot score at all, it could not the first time either.
    const { classes } = await client.runs.failures({ run_id: 'one' })
    expect(await client.runs.failures({ run_id: 'two-again' })).toEqual({ run_id: 'two-again', classes })
    expect((await client.runs.failures({ run_id: 'two' })).classes).toHaveLength(1)
  })

  it('are compared by scores, provenance, cost and significance', async () => {
    const runIds = ['one', 'two-again']
    const compared = await client.compare.runs({ run_ids: [...runIds, 'none'], metric: 'token_f1' })
    expect(compared).toMatchObject({ unknown_run_ids: ['none'], better: 'higher' })
    expect(compared.aliases.map(({ model, runs }) => [model, runs.length])).toEqual(MODELS.map((model) => [model, 2]))
    const provenance = await client.compare.provenance({ run_ids: runIds, dataset_id: 'smoke' })
    expect(provenance.differences.map(({ path }) => path)).toContainEqual(expect.stringContaining('judge_panel'))
    const { points } = await client.compare.frontier({ run_ids: ['one'], metric: 'token_f1' })
    expect(points.map(({ model }) => model)).toEqual(MODELS)
    expect(points.some(({ on_frontier }) => on_frontier)).toBe(true)
    const pairs = await client.statistics.pairs({ ...RUN, metric: 'token_f1' })
    expect(pairs.comparison.pairs).toHaveLength(3)
    const same = await client.statistics.runs({
      run_ids: runIds,
      dataset_id: 'smoke',
      alias: 'vanilla-rag',
      metric: 'token_f1',
    })
    expect(same.comparison.pairs).toMatchObject([{ difference: { value: 0 } }])
  })

  it('are listed and summed up', async () => {
    const { runs, total } = await client.runs.list({})
    expect([total, runs.map(({ run_id }) => run_id)]).toEqual([3, ['two-again', 'two', 'one']])
    const summary = await client.runs.summary({ run_id: 'one' })
    expect(summary.datasets[0]!.artifacts.map(({ kind, state }) => [kind, state]).toSorted()).toEqual(
      [
        ['evaluation', 'applied'],
        ['evidence', 'applied'],
        ['judgments', 'applied'],
        ['matrix', 'listed'],
      ].toSorted(),
    )
    expect(await failureOf(client.runs.summary({ run_id: 'none' }))).toMatchObject({ code: 'not_found' })
    expect((await client.runs.jobs()).map(({ run_id }) => run_id)).toEqual(['two-again', 'two', 'one'])
    const { datasets } = await client.runs.steps({ run_id: 'one' })
    expect(datasets.map(({ dataset_id }) => dataset_id)).toEqual(['smoke'])
    expect(await failureOf(client.runs.dismiss({ run_id: 'one' }))).toMatchObject({ code: 'run_state' })
  })
})

/** Rows that are taken over keep their time: two runs may have the same one. */
const namesOf = (runs: { run_id: string }[]): string[] => runs.map(({ run_id }) => run_id).toSorted()

describe('the list of runs', () => {
  it('has the settings and the highest mean of each run, and the notes that a person wrote', async () => {
    const { runs, total } = await client.runs.overview({})
    expect(total).toBe(3)
    expect(namesOf(runs)).toEqual(['one', 'two', 'two-again'])
    expect(runs.at(-1)!.run_id).toBe('one')
    const one = runs.find(({ run_id }) => run_id === 'one')!
    expect(one).toMatchObject({
      state: 'completed',
      kind: 'canonical',
      models: MODELS,
      model_sets: ['builtin'],
      primary_metric: 'facts_found',
      datasets: [{ dataset_id: 'smoke', damaged: false }],
      cells: { ok: 12, failed: 0 },
      kept: null,
    })
    const { heads } = await client.matrix.heads({ ...RUN, metric: 'facts_found' })
    const means = heads.flatMap(({ common }) => common?.mean ?? [])
    expect(one.highest).toMatchObject([{ dataset_id: 'smoke', mean: Math.max(...means) }])
    await client.runs.annotate({ run_id: 'one', starred: true })
    await client.runs.annotate({ run_id: 'one', tags: ['base'] })
    const note = { starred: true, tags: ['base'], note: '' }
    expect((await client.runs.overview({ limit: 3 })).runs.find(({ run_id }) => run_id === 'one')!.note).toEqual(note)
    await client.cells.annotate({ run_id: 'one', row_id: rowId, flagged: true, note: 'check the source' })
    expect(await client.cells.notes({ run_id: 'one' })).toEqual({
      cells: [{ row_id: rowId, flagged: true, note: 'check the source' }],
    })
  })

  it('loses a run that is moved to the trash, and has it again, journal included, once it is restored', async () => {
    const before = (await client.runs.jobs()).find(({ run_id }) => run_id === 'two')
    const { trash_id } = await client.runs.remove({ run_id: 'two' })
    expect(namesOf((await client.runs.overview({})).runs)).toEqual(['one', 'two-again'])
    expect((await client.runs.jobs()).map(({ run_id }) => run_id)).toEqual(['two-again', 'one'])
    expect((await readdir(join(root, 'results'))).filter((name) => /^two-smoke.*(?:json|jsonl)$/.test(name))).toEqual(
      [],
    )
    expect((await client.runs.trash()).map((removed) => removed.trash_id)).toEqual([trash_id])
    await client.runs.restore({ trash_id })
    expect(namesOf((await client.runs.overview({})).runs)).toEqual(['one', 'two', 'two-again'])
    expect((await client.runs.jobs()).find(({ run_id }) => run_id === 'two')).toEqual(before)
    expect(await failureOf(client.runs.remove({ run_id: 'none' }))).toMatchObject({ code: 'not_found' })
  })
})

describe('the bundle of a run', () => {
  it('is sent in pieces, and opened again once the run is gone', async () => {
    const pieces: Buffer[] = []
    for await (const piece of await client.exports.bundle({ run_id: 'two' }))
      if (piece.type === 'bytes') pieces.push(Buffer.from(piece.base64, 'base64'))
    const source = join(root, 'two.bundle.zip')
    await writeFile(source, Buffer.concat(pieces))
    expect(await failureOf(client.runs.importBundle({ source }))).toMatchObject({ code: 'input_invalid' })
    const { trash_id } = await client.runs.remove({ run_id: 'two' })
    expect(await client.runs.importBundle({ source })).toEqual({ run_id: 'two', dataset_ids: ['smoke'] })
    expect((await client.runs.overview({})).runs.find(({ run_id }) => run_id === 'two')).toMatchObject({
      state: null,
      cells: { ok: 12 },
    })
    // The original comes back, so that the tests below find the run as it was.
    const again = await client.runs.remove({ run_id: 'two' })
    expect(again.files).toBeGreaterThan(2)
    await client.runs.restore({ trash_id })
  })
})

describe('an export', () => {
  it('is the long CSV, the aggregates, or a page that needs nothing else', async () => {
    const csv = await exported(client.exports.csv(RUN))
    expect(csv.name).toBe('one-smoke.csv')
    const [head, ...lines] = csv.text.trim().split('\n')
    expect(head).toMatch(/metric/)
    expect(lines.filter((line) => line.includes('vanilla-rag')).length).toBeGreaterThan(5)
    const aggregates = JSON.parse((await exported(client.exports.json({ run_id: 'one' }))).text) as unknown[]
    expect(aggregates.map((value) => Aggregate.parse(value).run_id)).toEqual(['one'])
    // The export is what the run itself had written.
    const written = JSON.parse(await readFile(join(root, 'results/one-smoke-evaluation.json'), 'utf8')) as object
    expect(aggregates).toEqual([written])
    const cells = await exported(client.exports.cells(RUN))
    expect([cells.name, cells.text.split('\n')[0]]).toEqual(['one-smoke-cells.csv', CELL_COLUMNS.join(',')])
    const rows = await exported(client.exports.rows({ run_id: 'one' }))
    expect(rows.name).toBe('one-cells.jsonl')
    const ids = rows.text
      .trimEnd()
      .split('\n')
      .map((line) => CanonicalRow.parse(JSON.parse(line)).row_id)
    expect([new Set(ids).size, ids.includes(rowId)]).toEqual([12, true])
    const report = await exported(client.exports.report(RUN))
    expect(report.name).toBe('one-smoke.html')
    expect(report.text).toMatch(/^<!doctype html>/i)
    expect(report.text).not.toMatch(/(?:src|href)="https?:/)
  })

  it('of what is not there fails as a call does', async () => {
    const stream = await client.exports.csv({ run_id: 'none' })
    expect(await failureOf(collected(stream))).toMatchObject({ code: 'not_found' })
  })
})

describe('the rest of the engine', () => {
  it('shows datasets with gold facts in place, and why there is no graph', async () => {
    expect((await client.datasets.list()).map(({ id }) => id)).toContain('smoke')
    const { documents } = await client.datasets.documents({ dataset_id: 'smoke' })
    expect(documents).toHaveLength(3)
    const document = await client.datasets.document({ dataset_id: 'smoke', path: documents[0]!.path })
    if (!document.is_text) throw new Error('not a text')
    expect(document.lost_gold).toEqual([])
    for (const { start, end, fact } of document.gold)
      expect(document.text.slice(start, end).replaceAll(/\s+/g, ' ').toLowerCase()).toBe(
        fact.replaceAll(/\s+/g, ' ').toLowerCase(),
      )
    expect(
      await failureOf(client.datasets.document({ dataset_id: 'smoke', path: 'sub/../../../secrets.md' })),
    ).toMatchObject({ code: 'input_invalid' })
    const { prompt } = await client.datasets.speechPrompt({ dataset_id: 'smoke' })
    expect(prompt).toContain(document.text.trim().slice(0, 200))
    const graph = await client.datasets.graph({ dataset_id: 'smoke' })
    expect(graph.ok && graph.picture.nodes.length).toBeGreaterThan(0)
    expect(await client.datasets.graph({ dataset_id: 'graph_native' })).toMatchObject({
      ok: false,
      reason: 'not_ingested',
    })
  })

  it('show where the ingestion profile cuts a document, and which documents it does not cut', async () => {
    await writeFile(join(root, 'corpus/smoke/long.txt'), `\uFEFF${'A lock keeper counts boats. '.repeat(200)}`)
    await writeFile(join(root, 'corpus/smoke/page.html'), '<p>Boats</p>')
    await writeFile(join(root, 'corpus/smoke/huge.txt'), 'a'.repeat(1_000_001))
    const input = { dataset_id: 'smoke', path: 'long.txt' }
    const document = await client.datasets.document(input)
    const told = await client.datasets.chunks({ ...input, offset: 1500, limit: 1000 })
    if (!told.ok || !document.is_text) throw new Error(JSON.stringify(told))
    expect(told).toMatchObject({ profile: 'smoke', strategy: 'recursive', chunk_size: 800, overlap: 100 })
    expect(told.total).toBeGreaterThan(told.chunks.length)
    for (const [at, { index, start, end }] of told.chunks.entries()) {
      // Sentences of the text as the page has it: the byte order mark is counted.
      expect(document.text.slice(start, end)).toMatch(/^A lock keeper .* boats\.$/)
      expect(end - start).toBeLessThanOrEqual(800)
      expect(end > 1500 && start < 2500).toBe(true)
      if (at > 0) expect(index).toBe(told.chunks[at - 1]!.index + 1)
    }
    const chunker = { strategy: 'recursive' as const, chunk_size: 300, overlap: 0 }
    const tried = await client.datasets.chunks({ ...input, chunker })
    if (!tried.ok) throw new Error(tried.message)
    expect(tried).toMatchObject(chunker)
    expect(tried.total).toBeGreaterThan(2 * told.total)
    const refused = (path: string) => client.datasets.chunks({ dataset_id: 'smoke', path })
    expect(await refused('page.html')).toMatchObject({ ok: false, reason: 'converted' })
    expect(await refused('huge.txt')).toMatchObject({ ok: false, reason: 'too_long' })
    expect(await failureOf(refused('none.md'))).toMatchObject({ code: 'not_found' })
    for (const name of ['long.txt', 'page.html', 'huge.txt']) await rm(join(root, 'corpus/smoke', name))
  })

  it('takes a text into a corpus, and writes over nothing', async () => {
    const added = { dataset_id: 'smoke', name: 'Hafen 2.1', text: '# Hafen\n\nDie Schleuse öffnet um sechs.\n' }
    expect(await client.datasets.addDocument(added)).toEqual({
      path: 'Hafen 2.1.md',
      size_bytes: Buffer.byteLength(added.text),
    })
    expect(await readFile(join(root, 'corpus/smoke/Hafen 2.1.md'), 'utf8')).toBe(added.text)
    expect((await client.datasets.documents({ dataset_id: 'smoke' })).total).toBe(4)
    for (const name of ['Hafen 2.1', '../out', '.hidden', 'a/b', 'con\u0000', ''])
      expect(await failureOf(client.datasets.addDocument({ ...added, name })), name).toMatchObject({
        code: 'input_invalid',
        details: { problems: [{ path: 'name' }] },
      })
  })

  it('keeps datasets of a person apart from the project: created, filled, edited, checked, planned, removed and restored', async () => {
    const { datasets } = client
    const before = await readdir(join(root, 'manifests/datasets'))
    const id = 'own_harbour'
    const one = { dataset_id: id }
    const wanted = { id, label: 'My harbour: fees' }
    const [created, refused] = await Promise.all([datasets.create(wanted), failureOf(datasets.create(wanted))])
    expect(created).toMatchObject({ id, own: true, questions: 0, complexity_level: 0 })
    expect(refused).toMatchObject({ code: 'input_invalid', details: { problems: [{ path: 'id' }] } })
    expect(await readdir(join(root, 'manifests/datasets'))).toEqual(before)
    expect(await client.experiment.plan({ dataset_ids: [id], models: ['vanilla-rag'] })).toMatchObject({
      ok: false,
      problems: [{ path: 'dataset_ids[0]', message: expect.stringContaining('has no question yet') as string }],
    })

    const base64 = (text: string) => Buffer.from(text).toString('base64')
    expect(await datasets.addFile({ ...one, name: 'fees.md', base64: base64('Class K3 pays 218 marks.') })).toEqual({
      path: 'fees.md',
      size_bytes: 24,
    })
    await datasets.addFile({ ...one, name: 'notes/film.mov', base64: base64('moving') })
    for (const name of ['fees.md', '../out.md', '.hidden.md', 'a:b.md'])
      expect(await failureOf(datasets.addFile({ ...one, name, base64: base64('x') })), name).toMatchObject({
        code: 'input_invalid',
        details: { problems: [{ path: 'name' }] },
      })
    expect((await datasets.documents(one)).documents.map(({ path }) => path)).toEqual(['fees.md', 'notes/film.mov'])

    const { revision } = await datasets.own(one)
    const fact = { document: 'fees.md', fact: 'Class K3 pays 218 marks.' }
    const question = { query: 'What is paid for a boat of class K3?', ground_truth: '218 marks', hops: 1, gold: [fact] }
    const saved = await datasets.saveQuestion({ ...one, revision, question })
    expect(saved).toMatchObject({ documents: 2, questions: [{ id: 'q-1', ...question }] })
    const wrong = { query: 'Who pays?', gold: [{ document: 'fees.md', fact: 'Nobody pays.' }] }
    expect(await failureOf(datasets.saveQuestion({ ...one, revision: saved.revision, question: wrong }))).toMatchObject(
      {
        code: 'input_invalid',
        message: expect.stringContaining('The nearest passage is "Class K3 pays 218 marks.".') as string,
        details: { problems: [{ path: 'gold[0]' }] },
      },
    )
    expect(await failureOf(datasets.saveQuestion({ ...one, revision, question }))).toMatchObject({
      details: { problems: [{ path: 'revision' }] },
    })

    const csv =
      'question,answer,document,fact\nWho pays?,Class K3,fees.md,Class K3 pays 218 marks.\nWhen?,,fees.md,At noon.\n'
    const preview = await datasets.readQuestions({ ...one, text: csv })
    expect(preview).toMatchObject({
      format: 'csv',
      lines: [
        { line: 2, question: { id: 'q-2', query: 'Who pays?' }, problems: [] },
        { line: 3, question: null, problems: [expect.stringContaining('does not hold the fact')] },
      ],
    })
    const questions = preview.lines.flatMap(({ question: found }) => found ?? [])
    const imported = await datasets.importQuestions({ ...one, revision: saved.revision, questions })
    expect(imported.questions.map((each) => each.id)).toEqual(['q-1', 'q-2'])
    expect(await datasets.check(one)).toMatchObject({
      problems: [{ place: 'notes/film.mov' }],
      questions: 2,
      documents: 2,
    })
    await datasets.removeDocument({ ...one, path: 'notes/film.mov' })
    expect((await datasets.check(one)).problems).toEqual([])
    await datasets.restoreDocument({ ...one, path: 'notes/film.mov' })
    await datasets.removeDocument({ ...one, path: 'notes/film.mov' })

    const chunker = { strategy: 'recursive' as const, chunk_size: 200, overlap: 20 }
    const updated = await datasets.update({ ...one, revision: imported.revision, label: 'Fees', chunker })
    expect(updated).toMatchObject({ label: 'Fees', chunker, questions: imported.questions })
    const plan = await client.experiment.plan({ dataset_ids: [id], models: ['vanilla-rag'] })
    expect(plan).toMatchObject({ ok: true, totals: { total: 2, run: 2 } })

    const { trash_id } = await datasets.remove(one)
    expect((await datasets.list()).some((dataset) => dataset.id === id)).toBe(false)
    expect(await datasets.trash()).toMatchObject([{ trash_id, dataset_id: id, label: 'Fees' }])
    expect(await datasets.restore({ trash_id })).toMatchObject({ id, questions: 2 })
    const left = await datasets.removeQuestion({ ...one, revision: updated.revision, question_id: 'q-1' })
    expect(left.questions.map((each) => each.id)).toEqual(['q-2'])

    expect(await datasets.create({ id: 'smoke_copy', label: 'Mine', copy_of: 'smoke' })).toMatchObject({
      own: true,
      questions: 4,
      ingestion_profile: { chunker: { chunk_size: 800 } },
    })
    expect((await datasets.documents({ dataset_id: 'smoke_copy' })).total).toBeGreaterThan(2)
    expect(await failureOf(datasets.own({ dataset_id: 'smoke' }))).toMatchObject({
      message: expect.stringContaining('duplicate it to edit') as string,
    })
    for (const name of ['../out', 'Own', 'a b', '', 'smoke'])
      expect(await failureOf(datasets.create({ ...wanted, id: name })), name).toMatchObject({ code: 'input_invalid' })
  })

  it('imports a public dataset with progress, sends it as a zip file and imports that', async () => {
    const { datasets } = client
    expect((await datasets.importFormats()).map(({ id }) => id)).toContain('beir')
    const source = join(root, 'public')
    await mkdir(join(source, 'qrels'), { recursive: true })
    const texts = Array.from({ length: 30 }, (_, at) => ({ _id: `d${at}`, title: '', text: `Lock ${at} is old.` }))
    await writeFile(join(source, 'corpus.jsonl'), texts.map((each) => JSON.stringify(each)).join('\n'))
    await writeFile(join(source, 'queries.jsonl'), '{"_id":"q1","text":"How old is lock 7?"}')
    await writeFile(join(source, 'qrels/test.tsv'), 'q1\td7\t1\n')
    const wanted = { source, id: 'locks', documents: 20 }
    const imported = async (input: ImportFolderInput) => collected(await datasets.importFolder(input))
    const steps = await imported(wanted)
    expect(steps.at(-1)).toMatchObject({
      type: 'done',
      format: 'BEIR',
      questions: { taken: 1, of: 1 },
      documents: { taken: 20, of: 30 },
    })
    expect((await datasets.own({ dataset_id: 'locks' })).questions).toMatchObject([{ gold: [{ document: 'd7.md' }] }])
    expect(await failureOf(imported(wanted))).toMatchObject({
      code: 'input_invalid',
      details: { problems: [{ path: 'id' }] },
    })
    for (const wrong of [join(root, 'nothing'), 'public'])
      expect(await failureOf(imported({ source: wrong, id: 'l2' }))).toMatchObject({
        details: { problems: [{ path: 'source' }] },
      })

    const [, document] = await collected(await datasets.documentFile({ dataset_id: 'locks', path: 'd7.md' }))
    expect(document).toEqual({ type: 'bytes', base64: Buffer.from('Lock 7 is old.\n').toString('base64') })
    expect(await failureOf(datasets.documentFile({ dataset_id: 'locks', path: 'none.md' }))).toMatchObject({
      code: 'not_found',
    })
    expect(await failureOf(datasets.exportZip({ dataset_id: 'none' }))).toMatchObject({ code: 'not_found' })

    const pieces = await collected(await datasets.exportZip({ dataset_id: 'locks' }))
    const bytes = Buffer.concat(
      pieces.map((piece) => Buffer.from(piece.type === 'bytes' ? piece.base64 : '', 'base64')),
    )
    expect(pieces.at(-1)).toEqual({
      type: 'end',
      size_bytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    })
    await writeFile(join(root, 'locks.zip'), bytes)
    const unpacked = await imported({ source: join(root, 'locks.zip'), id: 'locks_again' })
    expect(unpacked).toMatchObject([{ type: 'done', format: 'zip', documents: { taken: 20, of: 20 } }])
    for (const id of ['locks', 'locks_again']) await datasets.remove({ dataset_id: id })
  })

  it('keeps settings, and reports of secrets only where they come from', async () => {
    const updated = await client.settings.update({
      settings: { concurrency: 3 },
      secrets: { judge_api_key: 'very-secret-value' },
    })
    expect(updated).toMatchObject({ settings: { concurrency: 3 }, secrets: { judge_api_key: 'session' } })
    const view = await client.settings.get()
    expect(view).toEqual(updated)
    expect(JSON.stringify(view)).not.toContain('very-secret-value')
    expect(await readFile(join(root, '.rag-ladder/settings.json'), 'utf8')).not.toContain('very-secret-value')
    expect(
      await failureOf(client.settings.update({ settings: { gateway_url: 'http://user:pass@example.org' } })),
    ).toMatchObject({ code: 'input_invalid', details: { problems: [{ path: 'settings.gateway_url' }] } })
  })

  it('starts and stops the platform and gives its log', async () => {
    await client.services.start({ name: 'platform', dataset_id: 'smoke' })
    const view = async () => (await client.services.list()).find(({ name }) => name === 'platform')!
    await expect.poll(async () => (await view()).state, { timeout: 20_000 }).toBe('ready')
    const platform = await view()
    expect(platform).toMatchObject({ state: 'ready', used_by: 'panel', profile: 'smoke' })
    expect(JSON.stringify(platform.settings)).not.toMatch(/TOKEN|KEY/)
    const asked = await fetch(`${engine.url}/control/services/platform/proxy/v1/models`, {
      headers: { authorization: `Bearer ${engine.token}` },
    })
    expect(((await asked.json()) as { data: { id: string }[] }).data.map(({ id }) => id)).toContain('vanilla-rag')
    const restarted = await client.services.restart({ name: 'platform' })
    expect(restarted.profile).toBe('smoke')
    await collected(await client.services.logs({ name: 'platform', follow: false }))
    expect(await client.services.stop({ name: 'platform' })).toMatchObject({ pid: null, used_by: null })
  })

  it('verifies and rebuilds the index, with the same answers afterwards', async () => {
    const before = await client.index.status()
    expect(await client.index.verify()).toMatchObject({ ok: true, problems: [] })
    const after = await client.index.rebuild()
    expect(after.cells).toBe(before.cells)
    expect(await client.index.verify()).toMatchObject({ ok: true })
    expect((await client.system.status()).index.state).toBe('ready')
    expect((await client.cells.get({ run_id: 'one', row_id: rowId })).verdicts).toHaveLength(2)
  })
})

/** Called with success by the tests of `engine-runs` and `engine-access`. */
const ELSEWHERE = [
  'system.endSessions',
  'experiment.plan',
  'runs.pause',
  'runs.resume',
  'runs.cancel',
  'runs.recover',
  'judges.judgeRun',
  'runs.interrupted',
  'runs.dismiss',
]

it('has called every procedure of the contract', () => {
  const missing = procedureNames().filter((name) => !answered.has(name))
  expect(missing.filter((name) => !ELSEWHERE.includes(name))).toEqual(['system.browserLink'])
  expect(procedureNames()).toEqual(expect.arrayContaining(ELSEWHERE))
})
