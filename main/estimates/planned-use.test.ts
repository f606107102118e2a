import { hash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, it } from 'vitest'
import packageFile from '../../package.json' with { type: 'json' }
import type { Aggregate } from '../../contract/evidence/aggregate.ts'
import { partWords, plannedUseWords, sumOfUse } from '../../core/planned-use-words.ts'
import { PROJECT_ROOT } from '../../tests/helpers/project-root.ts'
import { corpusDigest } from '../manifests/datasets/corpus-digest.ts'
import { loadExperiment, type Experiment } from '../manifests/experiment.ts'
import { declaredModels } from '../manifests/project/declared-models.ts'
import { configHashes } from '../manifests/project/provenance.ts'
import { isAnswering, keepCalibration } from '../runner/prepare/calibrations.ts'
import { cellsInOrder, type CellPlan } from '../runner/cells/ladder-cells.ts'
import type { PreparedRun } from '../runner/prepare/prepare-run.ts'
import { journalPath, openVerdictJournal } from '../judge/verdict-journal.ts'
import { rememberAddress } from '../../core/model-records/model-addresses.ts'
import { plannedUse } from './planned-use.ts'
import { storedReadings } from './stored-readings.ts'

let experiment: Experiment
let root: string
let digest: string
const PAID = { backend: 'openai', model: 'm', base_url: 'http://127.0.0.1:1/v1', cloud: true } as const

beforeAll(async () => {
  const loaded = await loadExperiment(PROJECT_ROOT)
  const { builtin } = loaded.models.sets
  const names = ['light_gen', 'contextual_blurb', 'graph_extract', 'graph_keyword', 'evaluator'] as const
  const choice = { ...PAID, api_key_env: null, timeout_s: 60, retries: 1, defaults: {} }
  const roles = { ...builtin!.roles, ...Object.fromEntries(names.map((role) => [role, choice])) }
  experiment = {
    ...loaded,
    models: { ...loaded.models, sets: { ...loaded.models.sets, paid: { ...builtin!, roles } } },
  }
  root = await mkdtemp(join(tmpdir(), 'planned-use-'))
  digest = (await corpusDigest(join(PROJECT_ROOT, dataset().dataset.corpus_path))).digest!
  await storeJob('job-1')
})
afterAll(() => rm(root, { recursive: true, force: true }))

/** Stores a job of the ingestion as the platform's own file has it. */
async function storeJob(id: string): Promise<void> {
  const folder = join(root, '.rag-ladder/platform', dataset().profile.name)
  await mkdir(folder, { recursive: true })
  const database = new Database(join(folder, 'ingestion.sqlite'))
  database.exec(`CREATE TABLE IF NOT EXISTS tasks (seq INTEGER PRIMARY KEY, id TEXT, status TEXT);
    CREATE TABLE IF NOT EXISTS ingestions (task_id TEXT);
    INSERT INTO tasks (id, status) VALUES ('${id}', 'succeeded'), ('of a failure', 'failed');
    INSERT INTO ingestions VALUES ('${id}'), ('of a failure')`)
  database.close()
}
const dataset = () => experiment.datasets.find(({ dataset: { id } }) => id === 'smoke')!
const planned = (aliases: string[], more: object = {}): PreparedRun =>
  ({
    root,
    experiment,
    modelSet: 'paid',
    inputs: { gatewayUrl: null },
    aliases: aliases.map((alias) => experiment.aliases.get(alias)!),
    metrics: ['faithfulness'],
    prices: { currency: 'EUR', models: { m: { input: 10, output: 20 } } },
    judgePanel: { enabled: false, models: [], rotations: 1 },
    request: { cold_reset: false },
    ...more,
  }) as unknown as PreparedRun

const use = (calls: number) => [
  { model: 'm', cloud: true, calls, unreported: 0, input_tokens: calls * 1000, output_tokens: calls * 100 },
]

/** A run of four answers of contextual-rag: 1,000 ms, one call and two for grading each; ingestion made three calls in 9 s, judges 16 in 32 s. */
function past(): Aggregate {
  return {
    run_id: 'before',
    reproducibility: {
      ingestion: { job_id: 'job-1', content_digest: digest },
      config_hashes: configHashes(experiment, dataset()),
      runtime: {
        models: declaredModels(experiment, 'paid'),
        gateway: 'embedded',
        platform: { version: packageFile.version, revision: null },
      },
    },
    approaches: [
      {
        model: 'contextual-rag',
        base_model: 'contextual-rag',
        cells: { ok: 4 },
        operational: { latency_ms: { n: 4, sum: 4000 }, llm_calls: { n: 4, sum: 4 } },
        usage: { answers: use(4), grading: use(8), unknown_cells: 0 },
      },
    ],
    ingestion_use: { models: use(3), seconds: 9 },
    judging_use: { models: use(16), seconds: 32 },
    judge_panel: { status: 'ok', judges: ['judge-a'] },
  } as unknown as Aggregate
}

const PLAN = { run: 4, resume_answered: 0 }

it('parts of a plan come from past runs with the same models: documents that were read are not read again', async () => {
  const { parts, expected_cost: cost } = await plannedUse(planned(['contextual-rag']), dataset(), PLAN, [past()])
  expect(parts).toMatchObject([
    { part: 'ingestion', calls: 0, ms: 0, source: 'kept' },
    { part: 'answers', calls: 4, source: 'rows', cost: { amount: 0.048 } },
    { part: 'grading', calls: 8, source: 'rows', cost: { amount: 0.096 } },
  ])
  const { concurrency } = experiment.evaluation.run
  expect(parts.map(({ ms }) => ms)).toEqual([0, 4000 / concurrency, 8000 / concurrency])
  expect(cost).toEqual({ amount: expect.closeTo(0.144, 9), currency: 'EUR', unknown: [] })
  expect(sumOfUse(parts)).toEqual({ calls: 12, ms: 12_000 / concurrency, untimed: [] })
})

it('documents are read again where they changed, and where another job has made the collections since', async () => {
  const ingestion = async (of: { job_id?: string; content_digest?: string }) => {
    const run = past()
    Object.assign(run.reproducibility!.ingestion!, of)
    return (await plannedUse(planned(['contextual-rag']), dataset(), PLAN, [run])).parts[0]
  }
  expect(await ingestion({})).toMatchObject({ calls: 0, source: 'kept' })
  expect(await ingestion({ job_id: 'job-0' })).toMatchObject({ calls: 3, source: 'rows' })
  expect(await ingestion({ content_digest: 'other' })).toMatchObject({ calls: 3, source: 'rows' })
})

it('grading takes the time that past rows record of it; without such rows, that of three calls of the model that grades', async () => {
  const run = past()
  Object.assign(run.approaches[0]!.operational, { grading_ms: { n: 4, sum: 20_000 } })
  const { concurrency } = experiment.evaluation.run
  const grading = async (run: PreparedRun, runs: Aggregate[]) =>
    (await plannedUse(run, dataset(), PLAN, runs)).parts.find(({ part }) => part === 'grading')
  expect(await grading(planned(['contextual-rag']), [run])).toMatchObject({
    calls: 8,
    ms: 20_000 / concurrency,
    source: 'rows',
  })
  const { paid } = experiment.models.sets
  const evaluator = { ...paid!.roles.light_gen, model: 'grader' }
  const sets = { ...experiment.models.sets, paid: { ...paid!, roles: { ...paid!.roles, evaluator } } }
  const other = planned(['contextual-rag'], { experiment: { ...experiment, models: { ...experiment.models, sets } } })
  expect(isAnswering('evaluator', sets.paid)).toBe(true)
  const call = { latency_ms: 500, input_tokens: 1000, output_tokens: 100 }
  for (const choice of [paid!.roles.light_gen, evaluator]) await keepCalibration(root, choice, [call, call, call])
  expect(await grading(other, [])).toMatchObject({ calls: 12, ms: (12 * 500) / concurrency, source: 'calls' })
  await rm(join(root, '.rag-ladder/calibrations.json'))
})

it('past runs whose answers were not graded leave the calls of grading as usual, not none', async () => {
  const ungraded = past()
  ungraded.approaches[0]!.usage!.grading = []
  const { work, parts } = await plannedUse(planned(['contextual-rag']), dataset(), PLAN, [ungraded])
  expect(work.approaches[0]).toMatchObject({ rows: 4, grading_calls: 3 })
  expect(parts[2]).toMatchObject({ part: 'grading', calls: 12 })
  const half = await plannedUse(planned(['contextual-rag']), dataset(), PLAN, [past(), ungraded])
  expect(half.work.approaches[0]).toMatchObject({ rows: 8, grading_calls: 2 })
})

it('a cold start reads the documents again, and judges take what they took', async () => {
  const judgePanel = { enabled: true, models: ['judge-a', 'builtin-lexical-support'], rotations: 2 }
  const run = planned(['contextual-rag'], { request: { cold_reset: true }, judgePanel })
  const { parts } = await plannedUse(run, dataset(), PLAN, [past()])
  expect(parts).toMatchObject([
    { part: 'ingestion', calls: 3, ms: 9000, source: 'rows', cost: { amount: 0.036 } },
    { part: 'answers' },
    { part: 'grading' },
    { part: 'judging', calls: 8, ms: 16_000, source: 'rows' },
  ])
})

it('judges that are not asked how often see both orders, so a plan counts two verdicts a question', async () => {
  const judgePanel = { enabled: true, endpoint: 'http://judges', apiKey: null, models: ['judge-b'], rotations: null }
  const plan = await plannedUse(planned(['contextual-rag'], { judgePanel }), dataset(), PLAN, [past()])
  expect(plan.verdicts).toBe(8)
  expect(plan.parts.at(-1)).toMatchObject({ part: 'judging', calls: 8 })
})

it('without a run three calls of the model tell time and cost of every part: one a chunk for contexts, two for the graph', async () => {
  const run = planned(['contextual-rag', 'graph-rag'])
  const before = await plannedUse(run, dataset(), PLAN, [])
  expect(before.parts).toMatchObject([
    { part: 'ingestion', calls: 9, ms: null, source: null },
    { part: 'answers', calls: null, ms: null },
    { part: 'grading', calls: null, ms: null },
  ])
  expect(sumOfUse(before.parts)).toMatchObject({ calls: null, ms: null })
  expect(before.parts.map(partWords)).toEqual([
    'reading the documents: time unknown, ≈ 9 calls, cost unknown',
    'answers: not known yet',
    'grading: not known yet',
  ])
  const call = { latency_ms: 1200, input_tokens: 1000, output_tokens: 100 }
  await keepCalibration(root, experiment.models.sets['paid']!.roles.light_gen, [call, call, call])
  const { parts } = await plannedUse(run, dataset(), PLAN, [])
  // Six extraction calls two at a time, and three contexts four at a time.
  expect(parts[0]).toMatchObject({
    calls: 9,
    ms: 3600 + 900,
    source: 'calls',
    cost: { amount: expect.closeTo(0.108, 9) },
  })
  expect(parts.map(({ ms }) => ms === null)).toEqual([false, false, false])
  expect(plannedUseWords(parts)[0]).toEqual({
    part: 'reading the documents',
    calls: '≈ 9',
    time: '≈ 4.5 s',
    cost: '0.11 EUR',
    source: 'three calls of each model',
  })
  expect(partWords(parts[0]!)).toBe('reading the documents: ≈ 4.5 s, ≈ 9 calls, 0.11 EUR (three calls of each model)')
})

it('documents that a service embeds are a part of the plan also where no model writes of them, with its tokens by their size', async () => {
  const { paid } = experiment.models.sets
  const embed = { ...paid!.roles.light_gen, model: 'e' }
  const withEmbed = (roles: object) => ({
    ...experiment,
    models: { ...experiment.models, sets: { ...experiment.models.sets, paid: { ...paid!, roles } } },
  })
  const prices = { currency: 'EUR', models: { m: { input: 10, output: 20 }, e: { input: 1000, output: 0 } } }
  const only = withEmbed({ ...experiment.models.sets['builtin']!.roles, embed })
  const alone = (await plannedUse(planned(['vanilla-rag'], { experiment: only, prices }), dataset(), PLAN, [])).parts[0]
  const folder = join(PROJECT_ROOT, dataset().dataset.corpus_path)
  const texts = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name))))
  const tokens = texts.reduce((sum, { length }) => sum + length, 0) / 4
  expect(alone).toMatchObject({ part: 'ingestion', calls: 1, ms: null, source: null })
  expect(alone!.cost!.amount).toBeCloseTo(tokens / 1000, 2)
  // One call for the chunks, one for those with contexts, and one for the graph.
  const all = planned(['contextual-rag', 'graph-rag'], { experiment: withEmbed({ ...paid!.roles, embed }), prices })
  const { parts } = await plannedUse(all, dataset(), PLAN, [])
  expect(parts[0]).toMatchObject({ part: 'ingestion', calls: 9 + 3 })
})

it('a corpus whose names are described many times counts calls that join the descriptions', async () => {
  const folder = join(root, 'large')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'a.md'), 'a'.repeat(4800 * 0.8 * 20))
  const { dataset: declared, ...rest } = dataset()
  const large = { ...rest, dataset: { ...declared, corpus_path: 'large' } }
  const { parts } = await plannedUse(planned(['graph-rag'], { experiment: { ...experiment, root } }), large, PLAN, [])
  expect(parts[0]).toMatchObject({ part: 'ingestion', calls: 20 * 2 + 4 })
})

it('what a model with settings of its own, or at another address, has stored is counted by the name that it is stored under', async () => {
  const folder = join(root, '.rag-ladder/platform', dataset().profile.name)
  await mkdir(join(folder, 'rag'), { recursive: true })
  const contexts = new Database(join(folder, 'rag/blurbs.sqlite'))
  contexts.exec(`CREATE TABLE blurbs (key TEXT, model TEXT); INSERT INTO blurbs VALUES ('1', 'm (max_tokens 9)')`)
  contexts.close()
  const { light_gen: choice } = experiment.models.sets['paid']!.roles
  const set = { ...choice, defaults: { max_tokens: 9 } } as typeof choice
  const count = () => storedReadings(root, dataset().profile.name, 'contexts', set)
  try {
    expect(count()).toBe(1)
    rememberAddress(folder, new Map(), 'contextual_blurb', 'm (max_tokens 9)', {
      ...set,
      base_url: 'http://other',
    } as typeof choice)
    expect(count()).toBe(0)
  } finally {
    await rm(join(folder, 'rag'), { recursive: true })
    await rm(join(folder, 'model-addresses.json'), { force: true })
  }
})

it('documents that a stopped run has read are not read again when it is resumed, also before it has a summary', async () => {
  const run = planned(['contextual-rag', 'graph-rag'], { runId: 'stopped', repeats: 1 })
  const space = { runId: 'stopped', dataset: dataset(), aliases: run.aliases, repeats: 1 }
  const rows = [...cellsInOrder({ ...space, seed: experiment.evaluation.run.seed })]
  const stored = (...bases: string[]): CellPlan => ({
    basis: '',
    resume: {
      reuse: rows.filter(({ alias }) => bases.includes(alias.base)).map(({ rowId }) => rowId),
      answered: [],
      run: [],
      conflicts: [],
    },
  })
  const ingestion = async (cells: CellPlan, more: object = {}) =>
    (await plannedUse({ ...run, ...more }, dataset(), PLAN, [], cells)).parts[0]
  const kept = { part: 'ingestion', calls: 0, source: 'kept' }
  expect(await ingestion(stored('contextual-rag', 'graph-rag'))).toMatchObject(kept)
  // Contexts are there, the graph is not.
  expect(await ingestion(stored('contextual-rag'))).toMatchObject({ part: 'ingestion', calls: 6 })
  const cold = { request: { cold_reset: true } }
  expect(await ingestion(stored('contextual-rag', 'graph-rag'), cold)).toMatchObject({ calls: 9 })
})

it('chunks whose context or reading for the graph is stored are not asked about again, unless their document changed or the start is cold', async () => {
  const folder = join(root, '.rag-ladder/platform', dataset().profile.name)
  const corpus = join(PROJECT_ROOT, dataset().dataset.corpus_path)
  const files = (await readdir(corpus)).map((name) => join(corpus, name))
  await mkdir(join(folder, 'rag'), { recursive: true })
  await mkdir(join(folder, 'graph'), { recursive: true })
  const [jobs, contexts, graph] = ['ingestion', 'rag/blurbs', `graph/${dataset().profile.name}`].map(
    (name) => new Database(join(folder, `${name}.sqlite`)),
  ) as [Database.Database, Database.Database, Database.Database]
  try {
    jobs.exec('CREATE TABLE file_hashes (path TEXT, sha256 TEXT)')
    const keep = jobs.prepare('INSERT INTO file_hashes VALUES (?, ?)')
    for (const file of files) keep.run(file, hash('sha256', await readFile(file)))
    contexts.exec(
      `CREATE TABLE blurbs (key TEXT, model TEXT); INSERT INTO blurbs VALUES ('1', 'm'), ('2', 'm'), ('3', 'other')`,
    )
    graph.exec(`CREATE TABLE documents (id TEXT, extract_model TEXT); CREATE TABLE chunks (id TEXT, document_id TEXT);
      CREATE TABLE extractions (chunk_id TEXT); INSERT INTO documents VALUES ('d', '{"model":"m"}');
      INSERT INTO chunks VALUES ('c', 'd'); INSERT INTO extractions VALUES ('c')`)
    const ingestion = async (more: object = {}, runs: Aggregate[] = []) =>
      (await plannedUse(planned(['contextual-rag', 'graph-rag'], more), dataset(), PLAN, runs)).parts[0]
    // One of three contexts, and two calls for each of two chunks.
    expect(await ingestion()).toMatchObject({ part: 'ingestion', calls: 1 + 4 })
    expect(await ingestion({ request: { cold_reset: true } })).toMatchObject({ calls: 9 })
    jobs.exec(`UPDATE file_hashes SET sha256 = 'other' WHERE path LIKE '%tidewater%'`)
    expect(await ingestion()).toMatchObject({ calls: 1 + 4 })
    jobs.exec(`UPDATE file_hashes SET sha256 = 'other'`)
    expect(await ingestion()).toMatchObject({ calls: 9 })
  } finally {
    for (const database of [jobs, contexts, graph]) database.close()
    await rm(join(folder, 'rag'), { recursive: true })
    await rm(join(folder, 'graph'), { recursive: true })
  }
})

it('verdicts on an answer that was tried again and is stored are not asked for again', async () => {
  const { aliases } = planned(['contextual-rag'])
  const judgments = join(root, 'judgments.json')
  const run = planned(['contextual-rag'], {
    runId: 'retried',
    repeats: 1,
    judgePanel: { enabled: true, endpoint: 'http://judges', apiKey: null, models: ['judge-a'], rotations: 1 },
    files: { smoke: { judgments } },
  })
  const { questions } = dataset()
  const journal = await openVerdictJournal(journalPath(judgments))
  for (const [place, { id }] of questions.entries())
    await journal.append({
      key: String(place).padStart(64, '0'),
      query_id: id,
      judge: 'judge-a',
      verdict: { rotation: 0, order: ['contextual-rag'], scores: { 'contextual-rag': 5 }, best: null, attempts: 1 },
    })
  await journal.close()
  const space = { runId: 'retried', dataset: dataset(), aliases, repeats: 1, seed: experiment.evaluation.run.seed }
  const retryOf = (): number => 1
  const reuse = [...cellsInOrder({ ...space, retryOf })].map(({ rowId }) => rowId)
  // One answer has another try ahead, which brings a new row.
  const cells = {
    basis: '',
    retryOf,
    resume: { reuse: reuse.slice(1), answered: [], run: reuse.slice(0, 1), conflicts: [] },
  }
  expect((await plannedUse(run, dataset(), PLAN, [], cells)).verdicts).toBe(1)
})

it('metrics that an approach gives no contexts for are not counted as calls of the evaluator', async () => {
  const call = { latency_ms: 1200, input_tokens: 1000, output_tokens: 100 }
  await keepCalibration(root, experiment.models.sets['paid']!.roles.light_gen, [call, call, call])
  const run = planned(['contextual-rag', 'graph-rag'], { metrics: ['faithfulness', 'answer_relevancy'] })
  const { work, parts } = await plannedUse(run, dataset(), PLAN, [])
  expect(work.approaches.map(({ grading_calls: calls }) => calls)).toEqual([4, 2])
  expect(parts).toMatchObject([{}, {}, { part: 'grading', calls: 12 }])
  // Two answers of each approach, of one and of two calls, their grades, and nine calls that read the documents.
  expect(work.model_calls).toBe(6 + 12 + 9)
})

it('embeddings of grading are calls too, one for an answer, and cost the evaluator nothing', async () => {
  const { paid } = experiment.models.sets
  const roles = { ...paid!.roles, evaluator_embed: { ...paid!.roles.evaluator_embed, ...PAID, model: 'embedder' } }
  const models = { ...experiment.models, sets: { ...experiment.models.sets, paid: { ...paid!, roles } } }
  const metrics = ['faithfulness', 'answer_relevancy']
  const call = { latency_ms: 1200, input_tokens: 1000, output_tokens: 100 }
  await keepCalibration(root, paid!.roles.light_gen, [call, call, call])
  const gradingOf = async (more: object) =>
    (await plannedUse(planned(['contextual-rag', 'graph-rag'], more), dataset(), PLAN, [])).parts.at(-1)
  const embedded = await gradingOf({ metrics, experiment: { ...experiment, models } })
  expect(embedded).toMatchObject({ part: 'grading', calls: 12 + 4 })
  expect(embedded).toEqual({ ...(await gradingOf({ metrics })), calls: 12 + 4 })
})

it('grades cost what they cost where they were given, also after a run whose evaluator broke off', async () => {
  const broken = past()
  broken.approaches[0]!.usage!.ungraded_cells = 2
  const { parts } = await plannedUse(planned(['contextual-rag']), dataset(), PLAN, [broken])
  expect(parts[2]).toMatchObject({ part: 'grading', calls: 16, cost: { amount: 0.192 } })
})

it('rules that read and grade are no part, and a part of which nothing is known is named', async () => {
  const builtin = await plannedUse(planned(['graph-rag'], { modelSet: 'builtin' }), dataset(), PLAN, [])
  expect(builtin.parts.map(({ part }) => part)).toEqual(['answers'])
  const judgePanel = { enabled: true, endpoint: 'http://judges', apiKey: null, models: ['judge-b'], rotations: 1 }
  const { parts } = await plannedUse(planned(['contextual-rag'], { judgePanel }), dataset(), PLAN, [past()])
  expect(parts.at(-1)).toEqual({ part: 'judging', calls: 4, ms: null, cost: null, source: null })
  expect(sumOfUse(parts).untimed).toEqual(['judging'])
})
