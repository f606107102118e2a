import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import packageFile from '../../../package.json' with { type: 'json' }
import type { Aggregate } from '../../../contract/evidence/aggregate.ts'
import { callsPerApproach, sourceWords } from '../../../core/expected-work-words.ts'
import { PROJECT_ROOT } from '../../../tests/helpers/project-root.ts'
import { loadExperiment, type Experiment } from '../../manifests/experiment.ts'
import { thisMachine } from '../../lib/this-machine.ts'
import { declaredModels } from '../../manifests/project/declared-models.ts'
import { configHashes } from '../../manifests/project/provenance.ts'
import type { Alias } from '../../../contract/manifests/aliases.ts'
import { keepCalibration } from './calibrations.ts'
import { expectedCost } from './expected-cost.ts'
import { expectedWork, usualCallsOf } from './expected-work.ts'
import type { PreparedRun } from './prepare-run.ts'
import { suiteFolder } from '../../../tests/helpers/temporary-folder.ts'

let experiment: Experiment
beforeAll(async () => {
  experiment = await loadExperiment(PROJECT_ROOT)
})
const root = suiteFolder('expected-work')

const ALIASES = ['vanilla-rag', 'hybrid-rag']
const dataset = () => experiment.datasets.find(({ dataset: { id } }) => id === 'smoke')!
const planned = (): PreparedRun =>
  ({
    root,
    experiment,
    modelSet: 'local-onnx',
    inputs: { gatewayUrl: null },
    aliases: ALIASES.map((alias) => experiment.aliases.get(alias)!),
    metrics: ['faithfulness'],
  }) as unknown as PreparedRun

interface Change {
  set?: string
  version?: string
  run?: string
  models?: readonly string[]
  experiment?: Experiment
}

/** A run of 4 answers for each approach, which took 1,000 ms, one call and two for grading each. */
function past(change: Change = {}): Aggregate {
  const {
    set = 'local-onnx',
    version = packageFile.version,
    run = 'before',
    models = ALIASES,
    experiment: made = experiment,
  } = change
  const use = (calls: number) => [{ model: 'm', cloud: false, calls, unreported: 0, input_tokens: 1, output_tokens: 1 }]
  return {
    run_id: run,
    reproducibility: {
      config_hashes: configHashes(made, dataset()),
      runtime: { models: declaredModels(made, set), gateway: 'embedded', platform: { version, revision: null } },
    },
    approaches: models.map((model) => ({
      model,
      cells: { ok: 4 },
      operational: { latency_ms: { n: 4, sum: 4000 }, llm_calls: { n: 4, sum: 4 } },
      usage: { answers: use(4), grading: use(8), unknown_cells: 0 },
    })),
  } as unknown as Aggregate
}

it('time and model calls come from earlier rows of the same model set', async () => {
  const work = await expectedWork(planned(), dataset(), 20, [past()])
  const { concurrency } = experiment.evaluation.run
  expect(work).toMatchObject({ rows: 8, estimated_ms: 20_000 / concurrency, model_calls: 60 })
  expect(sourceWords(work)).toBe('from 8 rows of this model set')
  expect(callsPerApproach(work)).toBe(
    'model calls per answer: vanilla-rag 1 + 2 for grading, hybrid-rag 1 + 2 for grading',
  )
})

it('rows count of a set whose models a variable names, as the platform resolved them', async () => {
  const run = { ...planned(), modelSet: 'local-small' }
  const made = past({ set: 'local-small' })
  for (const role of Object.values(made.reproducibility!.runtime.models!.roles))
    role.model = role.model.replace(/^.*\$\{.*$/, 'resolved')
  expect(await expectedWork(run, dataset(), 20, [made])).toMatchObject({ rows: 8 })
})

it('answers whose grading broke off do not count for what the grading of an answer takes', async () => {
  const broken = past()
  for (const { usage } of broken.approaches) usage!.ungraded_cells = 3
  const work = await expectedWork(planned(), dataset(), 20, [broken])
  expect(work.approaches.map(({ grading_calls: calls }) => calls)).toEqual([8, 8])
  const both = await expectedWork(planned(), dataset(), 20, [past(), broken])
  expect(both.approaches[0]).toMatchObject({ rows: 8, grading_calls: 16 / 5 })
})

it('rows of another set, of another version, and of a bundle of another machine never count', async () => {
  await mkdir(join(root, '.rag-ladder/bundles/imported'), { recursive: true })
  const others = [past({ set: 'builtin' }), past({ version: '0.0.1' }), past({ run: 'imported' })]
  const work = await expectedWork(planned(), dataset(), 20, others)
  expect(work).toMatchObject({ rows: 0, estimated_ms: null, model_calls: null })
  expect(sourceWords(work)).toBe(
    'no estimate: this machine has no row of this model set on this dataset; rag-ladder plan --calibrate asks each model three times and estimates from that',
  )
})

it('rows of another machine never count, whatever folder they are in; rows that name none count as before', async () => {
  const made = (...machines: string[]) => ({ ...past(), machines })
  const rowsOf = async (...runs: Aggregate[]) => (await expectedWork(planned(), dataset(), 20, runs)).rows
  expect(await rowsOf(made('another'), made('another', thisMachine()))).toBe(0)
  expect(await rowsOf(made(thisMachine()))).toBe(8)
  expect(await rowsOf(past())).toBe(8)
})

it('without rows three calls of each model on this machine give time and calls, and rows come before them', async () => {
  const { light_gen: writer } = experiment.models.sets['local-onnx']!.roles
  const calls = [900, 1000, 1100].map((latency_ms) => ({ latency_ms, input_tokens: 2000, output_tokens: 50 }))
  await keepCalibration(root, writer, calls)
  const work = await expectedWork(planned(), dataset(), 20, [])
  const { concurrency } = experiment.evaluation.run
  expect(work).toMatchObject({ rows: 0, estimated_ms: 20_000 / concurrency, model_calls: 20, can_calibrate: true })
  expect(sourceWords(work)).toMatch(/^from three calls of each model on this machine/)
  // Rules grade in this set.
  expect(callsPerApproach(work)).toBe('model calls per answer: vanilla-rag 1, hybrid-rag 1')
  const mixed = await expectedWork(planned(), dataset(), 20, [past({ models: ['vanilla-rag'] })])
  expect(sourceWords(mixed)).toMatch(/^from 4 rows of this model set, of hybrid-rag from three calls/)
  // A file of weights answers one call at a time, whatever the number of cells under way.
  const wide = { ...experiment.evaluation, run: { ...experiment.evaluation.run, concurrency: 4 } }
  const run = { ...planned(), experiment: { ...experiment, evaluation: wide } }
  expect(await expectedWork(run, dataset(), 20, [])).toMatchObject({ estimated_ms: 20_000 })
  // Another machine's calls are not read.
  const file = join(root, '.rag-ladder/calibrations.json')
  await writeFile(file, (await readFile(file, 'utf8')).replaceAll(/"machine": "\w+"/g, '"machine": "other"'))
  expect(await expectedWork(planned(), dataset(), 20, [])).toMatchObject({ estimated_ms: null, model_calls: null })
  await rm(file)
})

it('the calls that an answer usually takes are those of its approach, unknown for one of the user', () => {
  const callsOf = (alias: string) => usualCallsOf(experiment.aliases.get(alias)!)
  expect(callsOf('vanilla-rag')).toEqual([['light_gen', 1]])
  expect(callsOf('graph-rag')).toEqual([
    ['graph_keyword', 1],
    ['graph_query', 1],
  ])
  expect(callsOf('agentic-rag')).toEqual([['agentic', 3]])
  const own = { alias: 'mine', base: 'own-approach', flavor: { parameters: {} } } as unknown as Alias
  expect(usualCallsOf(own)).toBeNull()
})

it('an approach without a row leaves the whole without an estimate, and is named', async () => {
  const work = await expectedWork(planned(), dataset(), 20, [past({ models: ['vanilla-rag'] })])
  expect(work).toMatchObject({ rows: 4, estimated_ms: null, model_calls: null })
  expect(sourceWords(work)).toContain('no row of hybrid-rag with this model set')
  expect(sourceWords(work, null)).not.toContain('calibrate')
})

it('rules count as models, and an approach that counts no calls leaves their number unknown', async () => {
  const ofRules = past()
  for (const approach of ofRules.approaches) delete approach.usage
  expect(await expectedWork(planned(), dataset(), 20, [ofRules])).toMatchObject({ model_calls: 20 })
  const uncounted = past()
  Object.assign(uncounted.approaches[1]!.operational, { llm_calls: { n: 0, sum: null } })
  const work = await expectedWork(planned(), dataset(), 20, [uncounted])
  expect(work).toMatchObject({ rows: 8, model_calls: null })
  expect(callsPerApproach(work)).toBe('model calls per answer: vanilla-rag 1 + 2 for grading, hybrid-rag unknown')
})

it('only rows of the same models count for the cost, as for the time', async () => {
  const set = experiment.models.sets['local-onnx']!
  const light_gen = { ...set.roles.light_gen, cloud: true } as typeof set.roles.light_gen
  const sets = { ...experiment.models.sets, paid: { ...set, roles: { ...set.roles, light_gen } } }
  const paid = { ...experiment, models: { ...experiment.models, sets } }
  const prices = { currency: 'EUR', models: {} }
  const run = { ...planned(), experiment: paid, modelSet: 'paid', prices } as PreparedRun
  const made = past({ set: 'paid', experiment: paid })
  expect(await expectedCost(run, dataset(), 20, [made])).toMatchObject({ amount: 0, unknown: [] })
  const unknown = ['no earlier run of vanilla-rag with paid', 'no earlier run of hybrid-rag with paid']
  for (const other of [past({ set: 'paid', experiment: paid, version: '0.0.1' }), past()])
    expect(await expectedCost(run, dataset(), 20, [other])).toMatchObject({ unknown })
})
