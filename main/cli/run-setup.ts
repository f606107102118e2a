import { resolve } from 'node:path'
import type { InputProblem } from '../../contract/control/control-error.ts'
import { RunRequest, type RunRequestInput } from '../../contract/control/run-job.ts'
import type { RunEvent } from '../../contract/evidence/run-event.ts'
import { fieldPath, issueWords } from '../../core/issues.ts'
import { addressProblem } from '../../contract/service-address.ts'
import { databaseAddressProblem, withKnownPassword } from '../evidence/postgres/database-address.ts'
import { experimentFiles, loadExperiment, type Experiment } from '../manifests/experiment.ts'
import { isOwnDataset } from '../manifests/datasets/own-datasets.ts'
import { withParaphrases } from '../manifests/datasets/paraphrases.ts'
import { STATE_FOLDER } from '../manifests/project/project-folder.ts'
import {
  InputError,
  parseRunnerInputs,
  readContextBudget,
  splitList,
  type RunnerInputs,
} from '../manifests/runner-inputs.ts'
import { embeddedPlatform, externalPlatform, type PlatformSource } from '../runner/platform/platform-source.ts'
import { prepareRun, type PreparedRun } from '../runner/prepare/prepare-run.ts'
import { createNodeLauncher } from '../supervisor/node-launcher.ts'
import { flagOption, numberOption, textOption, type Invocation } from './command.ts'
import { projectFolder } from './options.ts'
import { readerServices } from './reader-services.ts'

export { STATE_FOLDER }

/** The option of each field of a request, for messages. */
const OPTION_OF: Readonly<Record<string, string>> = {
  run_id: '--run-id',
  dataset_ids: '--dataset',
  models: '--models',
  flavors: '--flavors',
  all_aliases: '--all',
  baselines: '--baselines',
  metrics: '--metrics',
  primary_metric: '--primary-metric',
  exclude_cut_answers: '--exclude-cut-answers',
  'judge.models': '--judge-models',
  'judge.endpoint': '--judge-endpoint',
  'judge.rotations': '--rotations',
  repeats: '--repeats',
  concurrency: '--concurrency',
  context_budget: '--context-budget',
  trace: '--trace',
  model_set: '--model-set',
  budget: '--budget',
}

/** A problem as a person who typed options reads it. */
function describe({ path, message }: InputProblem): string {
  if (path === 'judge') return message
  const field = path.replace(/\[\d+\]$/, '')
  return `${OPTION_OF[field] ?? field}: ${message}`
}

/** Returns what the options of a command ask for, not yet checked; an option that was not given stays out. */
function requested(invocation: Invocation): Record<string, unknown> {
  const { values } = invocation
  const text = (name: string): string | undefined => textOption(invocation, name) ?? undefined
  const list = (name: string): string[] | undefined => splitList(text(name)) ?? undefined
  const number = (name: string): number | undefined => numberOption(invocation, name) ?? undefined
  const flag = (name: string): boolean | undefined => {
    const given = values[name]
    return typeof given === 'boolean' ? given : undefined
  }
  const judge = {
    enabled: flag('judge'),
    models: list('judge-models'),
    endpoint: text('judge-endpoint'),
    rotations: number('rotations'),
    reference: flag('reference') === true ? true : undefined,
  }
  const isJudgeAsked = Object.values(judge).some((value) => value !== undefined)
  const all = {
    run_id: text('run-id'),
    dataset_ids: list('dataset'),
    models: list('models'),
    flavors: list('flavors'),
    all_aliases: flag('all') === true ? true : undefined,
    baselines: list('baselines'),
    metrics: flag('evaluate') === false ? [] : list('metrics'),
    primary_metric: text('primary-metric'),
    exclude_cut_answers: flag('exclude-cut-answers'),
    judge: isJudgeAsked ? withoutUndefined(judge) : undefined,
    repeats: number('repeats'),
    concurrency: number('concurrency'),
    context_budget: budgetOf(text('context-budget')),
    trace: text('trace'),
    retry_failed: RETRY_OF_FLAG[String(flag('retry-failed'))],
    model_set: text('model-set'),
    budget: number('budget'),
    cold_reset: flag('cold-reset'),
    publish: flag('publish'),
  }
  return withoutUndefined(all)
}

/** A budget that is none of the form is passed on as it is, so that the request is refused with it. */
const budgetOf = (given: string | undefined): unknown => {
  if (given === undefined) return undefined
  const read = readContextBudget(given)
  return read.success ? read.data : given
}

/** The name of a run that is given none: one per day for the ladder of the project, and one per day for datasets of a person's own. */
function defaultRunId(
  { dataset_ids: asked }: Pick<RunRequest, 'dataset_ids'>,
  { datasetId }: Pick<RunnerInputs, 'datasetId'>,
  { datasets }: Pick<Experiment, 'datasets'>,
  now: Date,
): string {
  const ids = asked ?? (datasetId === null ? [] : [datasetId])
  const isOwn = (id: string): boolean => datasets.some((one) => one.dataset.id === id && isOwnDataset(one))
  const subject = ids.length === 0 || !ids.every(isOwn) ? 'ladder' : ids.length === 1 ? ids[0]! : 'own-data'
  return `${subject}-${now.toISOString().slice(0, 10)}`
}

const RETRY_OF_FLAG: Readonly<Record<string, RunRequestInput['retry_failed']>> = { true: 'all', false: 'none' }

const withoutUndefined = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

/** The request, and what is wrong with it; fields that are wrong are left out of the request, so that the rest can be checked too. */
function checkedRequest(raw: Record<string, unknown>): { request: RunRequest; problems: InputProblem[] } {
  const parsed = RunRequest.safeParse(raw)
  if (parsed.success) return { request: parsed.data, problems: [] }
  const problems = parsed.error.issues.map((issue) => ({
    path: fieldPath(issue.path),
    message: `${issueWords(issue)}${given(raw, issue.path)}`,
  }))
  const bad = new Set(parsed.error.issues.map(({ path }) => String(path[0])))
  const rest = Object.fromEntries(Object.entries(raw).filter(([field]) => !bad.has(field)))
  return { request: RunRequest.parse(rest), problems }
}

/** `, got X` for the short texts and numbers that a person typed; never for an address, which may hold a credential. */
function given(raw: unknown, path: readonly PropertyKey[]): string {
  const value = path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], raw)
  if (path.at(-1) === 'endpoint') return ''
  return typeof value === 'string' || typeof value === 'number' ? `, got ${value}` : ''
}

/** Options that name an address instead of a variable, with the variable of the credential that belongs to it. */
const ADDRESS_OPTIONS = [
  ['gateway', 'gatewayUrl', 'MATRIX_GATEWAY_API_KEY'],
  ['platform', 'platformUrl', 'MATRIX_PLATFORM_TOKEN'],
  ['evaluator', 'evaluatorUrl', 'MATRIX_EVALUATOR_API_KEY'],
] as const

/** Files and addresses that options name instead of variables. */
function withOptions(invocation: Invocation, inputs: RunnerInputs): { inputs: RunnerInputs; problems: string[] } {
  const chosen: RunnerInputs = {
    ...inputs,
    manifestFile: textOption(invocation, 'manifest') ?? inputs.manifestFile,
    isVerbose: inputs.isVerbose || flagOption(invocation, 'verbose'),
    queriesFile: textOption(invocation, 'queries') ?? inputs.queriesFile,
  }
  const problems: string[] = []
  const database = textOption(invocation, 'evidence')
  const refusal = database === null ? null : databaseAddressProblem(database, { password: 'refused' })
  if (refusal !== null) problems.push(`--evidence: ${refusal}`)
  else if (database !== null) chosen.evidenceUrl = withKnownPassword(database, inputs.evidenceUrl)
  for (const [option, key, credential] of ADDRESS_OPTIONS) {
    const given = textOption(invocation, option)
    if (given === null) continue
    const problem = addressProblem(given)
    if (problem === null) chosen[key] = given
    else problems.push(`--${option}: ${problem} (${credential})`)
  }
  return { inputs: chosen, problems }
}

/**
 * Reads everything a run needs from options, environment and manifests. `fixed` is what the command itself decides. Throws `InputError`
 * with every problem at once, or `ManifestError`; starts and writes nothing.
 */
export async function setUpRun(
  invocation: Invocation,
  fixed: Pick<RunRequestInput, 'judge'> = {},
  now = new Date(),
): Promise<PreparedRun> {
  const environment = parseRunnerInputs(invocation.env)
  const { inputs, problems: optionProblems } = withOptions(invocation, environment.inputs)
  const raw = requested(invocation)
  const judge = { ...(raw['judge'] as object | undefined), ...fixed.judge }
  const { request, problems } = checkedRequest(Object.keys(judge).length === 0 ? raw : { ...raw, judge })
  let experiment = await loadExperiment(projectFolder(invocation), experimentFiles(inputs))
  if (flagOption(invocation, 'paraphrases')) {
    const asked = request.dataset_ids ?? (inputs.datasetId === null ? null : [inputs.datasetId])
    const both = await withParaphrases(experiment, asked)
    experiment = both.experiment
    // Published figures are those of the questions as they are.
    Object.assign(request, { dataset_ids: both.ids, publish: false })
  }
  const resultsDir = resolve(experiment.root, textOption(invocation, 'results') ?? 'results')
  const run_id = request.run_id ?? inputs.runId ?? defaultRunId(request, inputs, experiment, now)
  const prepared = await prepareRun({ ...request, run_id }, { experiment, inputs, resultsDir }, now)
  const all = [...problems, ...(prepared.ok ? [] : prepared.problems)].map(describe)
  const texts = [...(invocation.problems ?? []), ...environment.problems, ...optionProblems, ...all]
  if (!prepared.ok || texts.length > 0) throw new InputError(texts)
  return prepared.run
}

/** The platform of a run: the one named by option or variable, else the embedded one under the project's state folder. */
export function choosePlatform(
  run: Pick<PreparedRun, 'root' | 'inputs' | 'experiment' | 'modelSet'>,
  invocation: Invocation,
  emit: (event: RunEvent) => void,
): PlatformSource {
  const { gatewayUrl } = run.inputs
  const port = numberOption(invocation, 'port')
  if (gatewayUrl !== null) return externalPlatform(gatewayUrl, run.inputs)
  const stateRoot = resolve(run.root, STATE_FOLDER)
  const launcher = createNodeLauncher()
  const { readers, during } = readerServices({
    root: run.root,
    stateDir: stateRoot,
    profiles: run.experiment.consumer.ingestion_profiles,
    env: invocation.env,
    launcher,
    emit,
  })
  const platform = embeddedPlatform({
    root: run.root,
    stateRoot,
    modelSet: run.modelSet,
    env: invocation.env,
    ...(port === null ? {} : { port }),
    launcher,
    emit,
    readers,
  })
  return during(platform)
}
