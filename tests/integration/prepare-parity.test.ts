import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RunRequest, type RunRequestInput } from '../../contract/control/run-job.ts'
import type { SettingsUpdate } from '../../contract/control/settings.ts'
import { parseCommandLine } from '../../main/cli/command.ts'
import { ladderCommand } from '../../main/cli/commands/ladder.ts'
import { RUN_OPTIONS } from '../../main/cli/options.ts'
import { setUpRun } from '../../main/cli/run-setup.ts'
import { SettingsStore } from '../../main/engine/settings-store.ts'
import { experimentFiles, loadExperiment } from '../../main/manifests/experiment.ts'
import type { InputError } from '../../main/manifests/runner-inputs.ts'
import { embeddedPlatform, externalPlatform } from '../../main/runner/platform/platform-source.ts'
import { datasetRunsOf, prepareRun, type Preparation, type PreparedRun } from '../../main/runner/prepare/prepare-run.ts'
import { createNodeLauncher } from '../../main/supervisor/node-launcher.ts'
import { smokeProject } from '../helpers/cli.ts'
import { copySmokeQuestions } from '../helpers/older-layout.ts'

/** One choice, as each of the two ways expresses it. */
interface Choice {
  /** Holds what a person types. */
  options?: string[]
  env?: Record<string, string>
  /** Holds what the panel sends, and what its settings hold. */
  request?: RunRequestInput
  settings?: SettingsUpdate['settings']
}

const NOW = new Date('2026-11-22T10:00:00Z')
let root = ''

beforeAll(async () => {
  root = await smokeProject('baseline_curated')
  const manifest = await readFile(join(root, 'manifests/evaluation.yaml'), 'utf8')
  await writeFile(join(root, 'manifests/other.yaml'), manifest.replace("seed: 'ladder'", "seed: 'other'"))
  const panel = 'enabled: true\n    rotations: 3\n    reference: true'
  const judged = manifest.replace('enabled: false', panel).replace('models: []', 'models: [qwen3, llama3]')
  await writeFile(join(root, 'manifests/judges.yaml'), judged)
  await copySmokeQuestions(root, 'manifests/other-questions.yaml')
})
afterAll(() => rm(root, { recursive: true }))

/** As `rag-ladder ladder` prepares it. */
async function byCommandLine({ options = [], env = {} }: Choice): Promise<Preparation> {
  const args = ['--project', root, '--no-cold-reset', '--no-publish', ...options]
  const streams = { stdout: process.stdout, stderr: process.stderr }
  const invocation = { ...parseCommandLine(ladderCommand, args), env, ...streams }
  return setUpRun(invocation, {}, NOW).then(
    (run) => ({ ok: true, run }),
    (error: unknown) => ({
      ok: false,
      problems: (error as InputError).problems.map((message) => ({ path: '', message })),
    }),
  )
}

/** As the engine prepares it: settings over environment, then the request. */
async function byPanel({ env = {}, request = {}, settings = {} }: Choice): Promise<Preparation> {
  const folder = await mkdtemp(join(tmpdir(), 'settings-'))
  const store = await SettingsStore.open(join(folder, 'settings.json'), env, () => undefined)
  await store.update({ settings })
  const inputs = store.inputs()
  const experiment = await loadExperiment(root, experimentFiles(inputs))
  const place = { experiment, inputs, resultsDir: join(root, 'results') }
  const prepared = await prepareRun(RunRequest.parse(request), place, NOW)
  await rm(folder, { recursive: true })
  return prepared
}

/** Returns what both must agree on: the prepared run and what the runner is given for each dataset. */
function comparable(preparation: Preparation): unknown {
  if (!preparation.ok) throw new Error(JSON.stringify(preparation.problems))
  const { run } = preparation
  const signal = new AbortController().signal
  const { gatewayUrl } = run.inputs
  const source =
    gatewayUrl === null
      ? embeddedPlatform({
          root,
          stateRoot: root,
          modelSet: run.modelSet,
          launcher: createNodeLauncher(),
          env: {},
          emit() {},
        })
      : externalPlatform(gatewayUrl, run.inputs)
  const runs = datasetRunsOf(run, { platform: source, emit() {}, drain: signal, abort: signal })
  return JSON.parse(
    JSON.stringify({ run: { ...run, aliases: run.aliases.map(({ alias }) => alias) }, runs }, (_key, value: unknown) =>
      value instanceof Map ? [...value] : value,
    ),
  )
}

const name = { options: ['--run-id', 'same'], request: { run_id: 'same' } }
const OF_OPTIONS: Record<string, Choice> = {
  manifest: { options: ['--manifest', 'manifests/other.yaml'], env: { MATRIX_MANIFEST_FILE: 'manifests/other.yaml' } },
  queries: {
    options: ['--queries', 'manifests/other-questions.yaml'],
    env: { MATRIX_QUERIES_FILE: 'manifests/other-questions.yaml' },
  },
  dataset: { options: ['--dataset', 'smoke'], request: { dataset_ids: ['smoke'] } },
  models: {
    options: ['--models', 'graph-rag,vanilla-rag'],
    request: { models: ['graph-rag', 'vanilla-rag'] },
  },
  flavors: { options: ['--flavors', 'balanced,graph-rag'], request: { flavors: ['balanced', 'graph-rag'] } },
  all: { options: ['--all'], request: { all_aliases: true } },
  baselines: { options: ['--baselines', 'no-retrieval'], request: { baselines: ['no-retrieval'] } },
  metrics: { options: ['--metrics', 'answer_relevancy'], request: { metrics: ['answer_relevancy'] } },
  'primary-metric': { options: ['--primary-metric', 'token_f1'], request: { primary_metric: 'token_f1' } },
  evaluate: { options: ['--no-evaluate'], request: { metrics: [] } },
  concurrency: { options: ['--concurrency', '7'], request: { concurrency: 7 } },
  repeats: { options: ['--repeats', '3'], request: { repeats: 3 } },
  'context-budget': { options: ['--context-budget', 'none'], request: { context_budget: 'none' } },
  trace: { options: ['--trace', 'tree'], request: { trace: 'tree' } },
  'exclude-cut-answers': { options: ['--exclude-cut-answers'], request: { exclude_cut_answers: true } },
  budget: { options: ['--budget', '2.5'], request: { budget: 2.5 } },
  'run-id': { options: ['--run-id', 'named'], request: { run_id: 'named' } },
  evidence: {
    options: ['--evidence', 'postgres://anna@db/rows'],
    env: { MATRIX_EVIDENCE_URL: 'postgres://anna@db/rows' },
  },
  'model-set': { options: ['--model-set', 'ollama'], request: { model_set: 'ollama' } },
  platform: {
    options: ['--gateway', 'http://gw', '--platform', 'http://platform'],
    settings: { gateway_url: 'http://gw', platform_url: 'http://platform' },
    env: { MATRIX_EVALUATOR_API_KEY: 'key' },
  },
  evaluator: { options: ['--evaluator', 'http://scores'], settings: { evaluator_url: 'http://scores' } },
  gateway: { options: ['--gateway', 'http://gw/v1'], settings: { gateway_url: 'http://gw/v1' } },
  judge: {
    options: ['--judge', '--judge-models', 'qwen3,llama3'],
    request: { judge: { enabled: true, models: ['qwen3', 'llama3'] } },
  },
  'judge-models': {
    options: ['--judge-models', 'qwen3,llama3'],
    request: { judge: { models: ['qwen3', 'llama3'] } },
  },
  'judge-endpoint': {
    options: ['--judge-endpoint', 'http://judges/v1', '--judge-models', 'qwen3,llama3'],
    request: { judge: { endpoint: 'http://judges/v1', models: ['qwen3', 'llama3'] } },
  },
  rotations: {
    options: ['--rotations', '2', '--judge-models', 'qwen3,llama3'],
    request: { judge: { rotations: 2, models: ['qwen3', 'llama3'] } },
  },
  reference: {
    options: ['--reference', '--judge-models', 'qwen3,llama3'],
    request: { judge: { reference: true, models: ['qwen3', 'llama3'] } },
  },
}
/** Defines where things are and how they are shown, not what a run is. */
const NOT_OF_A_RUN = ['project', 'results', 'json']

const EDGE = { MATRIX_GATEWAY_URL: 'http://gw/v1', MATRIX_EDGE_API_KEY: 'edge-key' }
const OF_VARIABLES: Record<string, Record<string, string>> = {
  MATRIX_MODELS: { MATRIX_MODELS: 'graph-rag,vanilla-rag' },
  MATRIX_FLAVORS: { MATRIX_FLAVORS: 'balanced' },
  MATRIX_DATASET_ID: { MATRIX_DATASET_ID: 'smoke' },
  MATRIX_QUERIES_FILE: { MATRIX_QUERIES_FILE: 'manifests/other-questions.yaml' },
  MATRIX_RUN_ID: { MATRIX_RUN_ID: 'named' },
  MATRIX_REPEATS: { MATRIX_REPEATS: '4' },
  MATRIX_CONCURRENCY: { MATRIX_CONCURRENCY: '5' },
  MATRIX_CANONICAL_FILE: { MATRIX_DATASET_ID: 'smoke', MATRIX_CANONICAL_FILE: 'out/rows.jsonl' },
  MATRIX_SUMMARY_FILE: { MATRIX_DATASET_ID: 'smoke', MATRIX_SUMMARY_FILE: 'out/summary.json' },
  MATRIX_RESULTS_FILE: { MATRIX_DATASET_ID: 'smoke', MATRIX_RESULTS_FILE: 'out/matrix.json' },
  MATRIX_MANIFEST_FILE: { MATRIX_MANIFEST_FILE: 'manifests/other.yaml' },
  JUDGE_MANIFEST_FILE: { JUDGE_MANIFEST_FILE: 'manifests/judges.yaml' },
  MATRIX_EVIDENCE_URL: { MATRIX_EVIDENCE_URL: 'postgres://anna@db/rows' },
  MATRIX_GATEWAY_URL: { MATRIX_GATEWAY_URL: 'http://gw/v1' },
  MATRIX_PLATFORM_URL: { ...EDGE, MATRIX_EVALUATOR_API_KEY: 'key', MATRIX_PLATFORM_URL: 'http://platform' },
  MATRIX_GATEWAY_API_KEY: { ...EDGE, MATRIX_GATEWAY_API_KEY: 'gateway-key' },
  MATRIX_PLATFORM_TOKEN: { ...EDGE, MATRIX_PLATFORM_TOKEN: 'token' },
  MATRIX_EDGE_API_KEY: { ...EDGE, MATRIX_EVALUATOR_API_KEY: 'evaluator-key' },
  MATRIX_EVALUATOR_URL: { MATRIX_EVALUATOR_URL: 'http://scores/api/rag/evaluate' },
  MATRIX_EVALUATOR_API_KEY: { MATRIX_EVALUATOR_URL: 'http://scores', MATRIX_EVALUATOR_API_KEY: 'evaluator-key' },
  JUDGE_MODELS: { JUDGE_MODELS: 'qwen3,llama3' },
  JUDGE_ENDPOINT: { JUDGE_MODELS: 'qwen3,llama3', JUDGE_ENDPOINT: 'http://judges/v1' },
  JUDGE_API_KEY: { JUDGE_MODELS: 'qwen3,llama3', JUDGE_ENDPOINT: 'http://judges/v1', JUDGE_API_KEY: 'judge-key' },
  JUDGE_THINK: { JUDGE_MODELS: 'qwen3,llama3', JUDGE_THINK: 'true' },
  JUDGE_FAMILIES: { JUDGE_MODELS: 'one,two', JUDGE_FAMILIES: 'one=qwen,two=llama' },
  RAG_MODEL_SET: { RAG_MODEL_SET: 'ollama' },
  RAG_LADDER_LOG: { RAG_LADDER_LOG: 'debug' },
  RAG_INGESTION_CORPUS_ROOT: { RAG_INGESTION_CORPUS_ROOT: '/elsewhere' },
}

async function bothWays(choice: Choice): Promise<[unknown, unknown]> {
  return [comparable(await byCommandLine(choice)), comparable(await byPanel(choice))]
}

/** Prepared without the choice: what a choice that does nothing would give. */
const plain = async (): Promise<unknown> => comparable(await byCommandLine(name))

describe('a run is prepared the same by the command line and the panel', () => {
  it('for every option of `ladder` that defines a run', () => {
    expect(Object.keys(OF_OPTIONS).sort()).toEqual(
      Object.keys(RUN_OPTIONS)
        .filter((option) => !NOT_OF_A_RUN.includes(option))
        .sort(),
    )
  })

  it.each(Object.keys(OF_OPTIONS))('with the option --%s, which changes the run', async (option) => {
    const { options = [], request = {}, env, settings } = OF_OPTIONS[option]!
    const named: Choice = option === 'run-id' ? {} : name
    const typed = { options: [...(named.options ?? []), ...options], ...(settings && env && { env }) }
    const sent = { request: { ...named.request, ...request }, ...(env && { env }), ...(settings && { settings }) }
    const [command, panel] = [comparable(await byCommandLine(typed)), comparable(await byPanel(sent))]
    expect(withoutSource(panel)).toEqual(withoutSource(command))
    if (option !== 'queries') expect(withoutSource(command)).not.toEqual(withoutSource(await plain()))
  })

  it.each(Object.keys(OF_VARIABLES))('with the variable %s, which changes the run', async (variable) => {
    const env = OF_VARIABLES[variable]!
    const choice = variable === 'MATRIX_RUN_ID' ? { env } : { ...name, env }
    const [command, panel] = await bothWays(choice)
    expect(panel).toEqual(command)
    const { [variable]: _left, ...without } = env
    expect(command).not.toEqual(comparable(await byCommandLine({ ...choice, env: without })))
  })
})

/** An option and a variable or setting of the same meaning leave different marks in `inputs`, which hold what was not chosen. */
function withoutSource(prepared: unknown): unknown {
  const { run, ...rest } = prepared as { run: PreparedRun }
  const { request, inputs: _inputs, ...kept } = run
  const { judge: _judge, model_set: _set, metrics: _metrics, concurrency: _concurrency, ...asked } = request
  return { ...rest, run: { ...kept, request: asked } }
}

describe('prepareRun', () => {
  it('names every problem at once, each with its field or variable', async () => {
    const env = { RAG_MODEL_SET: 'nope', MATRIX_CANONICAL_FILE: 'rows.jsonl' }
    const request = { dataset_ids: ['smoke', 'nowhere'], models: ['unlisted', 'vanilla-rag', 'vanilla-rag'] }
    const prepared = await byPanel({ env, request: { ...request, judge: { models: ['one'] } } })
    expect(prepared.ok ? [] : prepared.problems.map(({ path }) => path)).toEqual([
      'models[2]',
      'dataset_ids[1]',
      'models[0]',
      'RAG_MODEL_SET',
      'judge',
    ])
  })

  it('sends the key of the edge to the evaluator of an external platform, from every host of a run', async () => {
    const env = { ...EDGE, MATRIX_EVALUATOR_API_KEY: 'evaluator-key' }
    const both = await bothWays({ ...name, env })
    for (const prepared of both)
      expect((prepared as { runs: { evaluator: unknown }[] }).runs[0]!.evaluator).toEqual({
        url: 'http://gw/api/rag/evaluate',
        apiKey: 'evaluator-key',
        edgeKey: 'edge-key',
      })
  })

  it('applies the setting of cells at a time where the request leaves it open, and the request where it does not', async () => {
    const settings = { concurrency: 9 }
    const [open, chosen] = await Promise.all([
      byPanel({ settings, request: { run_id: 'x' } }),
      byPanel({ settings, request: { run_id: 'x', concurrency: 2 } }),
    ])
    const cells = (prepared: Preparation): unknown => prepared.ok && prepared.run.experiment.evaluation.run.concurrency
    expect([cells(open), cells(chosen)]).toEqual([9, 2])
  })

  it.each([
    ['--judge-endpoint', 'http://user:hunter2@judges/v1', {}],
    ['--judge-endpoint', 'http://judges/v1?api_key=hunter2', {}],
    ['--gateway', 'http://:hunter2@gw', {}],
    ['--run-id', 'x', { JUDGE_ENDPOINT: 'http://:hunter2@judges' }],
    ['--run-id', 'x', { MATRIX_EVALUATOR_URL: 'http://scores?token=hunter2' }],
    ['--run-id', 'x', { MATRIX_GATEWAY_URL: 'http://user:hunter2@gw' }],
  ])('refuses a credential in an address and does not repeat it (%s %s %j)', async (option, value, env) => {
    const prepared = await byCommandLine({ options: [option, value], env })
    const messages = prepared.ok ? [] : prepared.problems.map(({ message }) => message)
    expect(messages).toEqual([expect.stringMatching(/remove .* from the address/)])
    expect(messages[0]).not.toContain('hunter2')
  })

  it('takes no credential in the judge address of a request: it never reaches a journal', () => {
    for (const endpoint of ['http://user:hunter2@judges', 'http://:hunter2@judges', 'http://judges?key=hunter2'])
      expect(RunRequest.safeParse({ judge: { endpoint } }).success).toBe(false)
  })
})
