import type { InputProblem } from '../../../contract/control/control-error.ts'
import type { RunRequest, StoredRunRequest } from '../../../contract/control/run-job.ts'
import type { EvaluationMetric, PrimaryMetric } from '../../../contract/common.ts'
import type { TraceLevel } from '../../../contract/evidence/trace.ts'
import type { ContextBudget } from '../../../contract/evidence/context-budget.ts'
import type { RetryFailed, RunEvent } from '../../../contract/evidence/run-event.ts'
import { fieldPath } from '../../../core/issues.ts'
import type { Alias } from '../../../contract/manifests/aliases.ts'
import { EvaluationManifest, type JudgePanelSettings } from '../../../contract/manifests/evaluation.ts'
import type { Prices } from '../../../contract/manifests/prices.ts'
import {
  artifactFiles,
  type ArtifactFiles,
  filesOfRun,
  type NamedFiles,
  namedFiles,
  namedKinds,
  NAMING_VARIABLES,
} from '../../evidence/files/artifact-files.ts'
import { type EvidenceStore, fileStore } from '../../evidence/evidence-store.ts'
import { remedyFor } from '../../evidence/typed-command.ts'
import { JudgePanelError } from '../../judge/judge-error.ts'
import { checkJudgePanel, type RequestedPanel, panelSettings, resolveJudgePanel } from '../../judge/panel-settings.ts'
import { evaluateUrl } from '../../lib/services/gateway-client.ts'
import { modelsFileOf, type Experiment, type LadderDataset } from '../../manifests/experiment.ts'
import { loadManifest } from '../../manifests/load-manifest.ts'
import { ownApproachRefusals } from '../../manifests/project/own-approaches.ts'
import { loadPrices } from '../../manifests/models/own-prices.ts'
import { InputError, type RunnerInputs } from '../../manifests/runner-inputs.ts'
import {
  aliasProblems,
  answersElsewhere,
  baselineNotices,
  declaredAliases,
  datasetProblems,
  selectAliases,
  selectDatasets,
  unusableNotices,
} from '../../manifests/selection.ts'
import type { DatasetRun } from '../dataset-run.ts'
import { languageModelProblems } from './language-models.ts'
import type { CellPlan } from '../cells/ladder-cells.ts'
import type { PlatformSource } from '../platform/platform-source.ts'
import { RunBudget, unpricedModels } from './run-budget.ts'

// The only way from a request to a run: the command line and the panel both come through here, so a check, a default or a precedence that
// is added here holds for both. Precedence: request, then the person's settings, then the environment (both in `inputs`), then manifests.

/** Describes where a run is prepared: a project as it is now, with its environment and settings. */
interface RunPlace {
  /** Loaded with the manifest file and the questions file of `inputs`. */
  experiment: Experiment
  inputs: RunnerInputs
  resultsDir: string
}

/** A request with everything that it depends on. */
export interface PreparedRun {
  request: StoredRunRequest & { run_id: string }
  runId: string
  root: string
  resultsDir: string
  /** Paths of the artifacts, by dataset. */
  files: Readonly<Record<string, ArtifactFiles>>
  /** States where the rows are kept. */
  store: EvidenceStore
  experiment: Experiment
  datasets: LadderDataset[]
  /**
   * A sentence per dataset that a run of all rungs leaves out because its file cannot be used, and one on the keyword baseline where what answers need
   * not have it; what a run names is not left out.
   */
  leftOut: string[]
  aliases: Alias[]
  metrics: EvaluationMetric[]
  repeats: number
  /** Failed cells of the stored run to try again. */
  retryFailed: RetryFailed
  judgePanel: RequestedPanel
  /** Prices of the person; a budget is kept in their currency. */
  prices: Prices
  inputs: RunnerInputs
  /** Set of models for the embedded platform; null leaves it to the manifest. */
  modelSet: string | null
  /** Plans of the datasets that have rows, where the run was checked before its start. */
  plans?: Readonly<Record<string, CellPlan>>
}

export type Preparation = { ok: true; run: PreparedRun } | { ok: false; problems: InputProblem[] }

export const filesOf = ({ files }: Pick<PreparedRun, 'files'>, datasetId: string): ArtifactFiles => files[datasetId]!

/** The database that the inputs name, else files. The client of databases is loaded only where one is named. */
async function storeFor({ evidenceUrl }: Pick<RunnerInputs, 'evidenceUrl'>): Promise<EvidenceStore> {
  if (evidenceUrl === null) return fileStore
  const { databaseStoreAt } = await import('../../evidence/postgres/database-store.ts')
  return databaseStoreAt(evidenceUrl)
}

/** The run with every artifact in the folder of results, whatever the variables are. */
export const inResultsFolder = (run: PreparedRun): PreparedRun => ({
  ...run,
  files: Object.fromEntries(
    run.datasets.map(({ dataset: { id } }) => [id, artifactFiles(run.resultsDir, run.runId, id)] as const),
  ),
})

/** The judge panel as the manifests declare it: that of JUDGE_MANIFEST_FILE where it is set. Throws `ManifestError`. */
export async function declaredPanel(
  experiment: Experiment,
  { judgeManifestFile }: Pick<RunnerInputs, 'judgeManifestFile'>,
): Promise<JudgePanelSettings> {
  if (judgeManifestFile === null) return experiment.evaluation.metrics.judge_panel
  return (await loadManifest(experiment.root, judgeManifestFile, EvaluationManifest)).metrics.judge_panel
}

/** Why a panel could not judge; null when it could, or is disabled. */
export function panelProblem(panel: RequestedPanel, experiment: Experiment): string | null {
  try {
    checkJudgePanel(panel, experiment.aliases.keys())
    return null
  } catch (error) {
    if (error instanceof JudgePanelError) return error.message
    throw error
  }
}

/** Names with where they come from, for problems. */
interface Named {
  path: string
  names: string[] | null
}

/** Returns what the request names, else what the variable names. */
const chosen = (path: string, asked: string[] | undefined, variable: string, set: string[] | null): Named =>
  asked === undefined ? { path: variable, names: set } : { path, names: asked }

interface Selection {
  datasets: Named
  models: Named
  flavors: Named
}

/** A request that names aliases in any way leaves the variables out. */
function selectionOf(request: RunRequest, inputs: RunnerInputs, experiment: Experiment): Selection {
  const { models, flavors, all_aliases: all = false } = request
  const isNamed = all || models !== undefined || flavors !== undefined
  const datasetIds = inputs.datasetId === null ? null : [inputs.datasetId]
  return {
    datasets: chosen('dataset_ids', request.dataset_ids, 'MATRIX_DATASET_ID', datasetIds),
    models: chosen(
      'models',
      all ? declaredAliases(experiment) : models,
      'MATRIX_MODELS',
      isNamed ? null : inputs.models,
    ),
    flavors: chosen('flavors', flavors, 'MATRIX_FLAVORS', isNamed ? null : inputs.flavors),
  }
}

const repeated = ({ path, names }: Named): InputProblem[] =>
  (names ?? []).flatMap((name, index, all) =>
    all.indexOf(name) === index ? [] : [{ path: fieldPath([path, index]), message: `${name} is listed twice` }],
  )

const at = (path: string, messages: readonly string[]): InputProblem[] => messages.map((message) => ({ path, message }))

/** Problems of single names; a field of the request is named with the position, a variable is not. */
const each = ({ path, names }: Named, problemsOf: (name: string) => string[]): InputProblem[] =>
  (names ?? []).flatMap((name, index) => at(/^[A-Z]/.test(path) ? path : fieldPath([path, index]), problemsOf(name)))

function selectionProblems(request: RunRequest, experiment: Experiment, selection: Selection): InputProblem[] {
  const { datasets, models, flavors } = selection
  const exclusive = [request.models, request.flavors, request.all_aliases === true ? true : undefined]
  return [
    ...(exclusive.filter((way) => way !== undefined).length > 1
      ? at('models', ['models, flavors and all_aliases exclude each other: give one of them'])
      : []),
    ...repeated(datasets),
    ...repeated(models),
    ...repeated(flavors),
    ...each(datasets, (name) => datasetProblems(experiment, [name])),
    ...each(models, (name) => aliasProblems(experiment, [name], null)),
    ...each(flavors, (name) => aliasProblems(experiment, null, [name])),
    ...repeated({ path: 'metrics', names: request.metrics ?? null }),
  ]
}

function namedFileProblems(named: NamedFiles, datasets: number): InputProblem[] {
  return namedKinds(named).flatMap((kind, index, kinds) => {
    const [variable] = NAMING_VARIABLES[kind]
    const first = kinds.findIndex((other) => named[other] === named[kind])
    return [
      ...(datasets === 1
        ? []
        : at(variable, [
            `one file for ${datasets} datasets: choose exactly one dataset (MATRIX_DATASET_ID), or unset the variable`,
          ])),
      ...(first === index ? [] : at(variable, [`${NAMING_VARIABLES[kinds[first]!][0]} names the same file`])),
    ]
  })
}

function setProblems(request: RunRequest, modelSet: string | null, experiment: Experiment): InputProblem[] {
  const known = Object.keys(experiment.models.sets)
  if (modelSet === null || known.includes(modelSet)) return []
  const path = request.model_set === undefined ? 'RAG_MODEL_SET' : 'model_set'
  const byFile = Map.groupBy(known, (name) => modelsFileOf(experiment, name))
  const held = [...byFile].map(([file, names]) => `${file} has ${names.join(', ')}`)
  return at(path, [`there is no model set ${modelSet}; ${held.join('; ')}`])
}

/** A budget needs the price of every paid model; an external platform's models are its own. */
function budgetProblems(
  { budget }: RunRequest,
  { models }: Experiment,
  modelSet: string | null,
  prices: Prices,
  { gatewayUrl }: RunnerInputs,
): InputProblem[] {
  const set = models.sets[modelSet ?? models.default_set]
  if (budget === undefined || gatewayUrl !== null || set === undefined) return []
  const unpriced = unpricedModels(set, prices)
  if (unpriced.length === 0) return []
  const [first] = unpriced
  const how = remedyFor({
    panel: 'on the page Models',
    commandLine: `with rag-ladder models price ${first} --input AMOUNT --output AMOUNT, or the page Models`,
  })
  return at('budget', [`no price for ${unpriced.join(', ')}: set one ${how}`])
}

function panelOf({ judge }: RunRequest, declared: JudgePanelSettings, inputs: RunnerInputs): RequestedPanel {
  const { enabled, models, endpoint, rotations, reference } = judge ?? {}
  return resolveJudgePanel(declared, inputs, {
    ...(enabled === undefined ? {} : { enabled }),
    ...(models === undefined ? {} : { models }),
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(rotations === undefined ? {} : { rotations }),
    ...(reference === undefined ? {} : { reference }),
  })
}

/** The experiment as this run wants it: what a request changes is part of the configuration hashes. */
function withChoices(
  experiment: Experiment,
  metrics: EvaluationMetric[],
  primary: PrimaryMetric | undefined,
  excludesCut: boolean,
  judgePanel: JudgePanelSettings,
  concurrency: number | null,
  contextBudget: ContextBudget | null,
  chosenTrace: TraceLevel | undefined,
): Experiment {
  const { evaluation } = experiment
  const trace = chosenTrace ?? evaluation.run.trace
  const budget = contextBudget ?? evaluation.run.context_budget
  return {
    ...experiment,
    evaluation: {
      ...evaluation,
      metrics: {
        ragas: metrics,
        ...(primary === undefined ? {} : { primary }),
        ...(excludesCut ? { exclude_cut_answers: true } : {}),
        judge_panel: judgePanel,
      },
      run: {
        ...evaluation.run,
        concurrency: concurrency ?? evaluation.run.concurrency,
        ...(budget === undefined ? {} : { context_budget: budget }),
        ...(trace === undefined ? {} : { trace }),
      },
    },
  }
}

/**
 * Checks a request against manifests, settings and environment and fills in what it leaves open; every problem at once, each with the
 * field or the variable that it comes from. Starts and writes nothing. Throws `ManifestError` for a judge manifest that cannot be used.
 */
export async function prepareRun(request: RunRequest, place: RunPlace, now = new Date()): Promise<Preparation> {
  const { experiment, inputs, resultsDir } = place
  const { root } = experiment
  const selection = selectionOf(request, inputs, experiment)
  const declared = await declaredPanel(experiment, inputs)
  const judgePanel = panelOf(request, declared, inputs)
  const modelSet = request.model_set ?? inputs.modelSet
  const prices = await loadPrices(root)
  const named = namedFiles(root, inputs)
  const problems = selectionProblems(request, experiment, selection)
  const judgeProblem = panelProblem(judgePanel, experiment)
  const datasets = problems.length > 0 ? [] : selectDatasets(experiment, selection.datasets.names)
  problems.push(
    ...setProblems(request, modelSet, experiment),
    ...budgetProblems(request, experiment, modelSet, prices, inputs),
    ...(judgeProblem === null ? [] : at('judge', [judgeProblem])),
    ...(inputs.platformUrl !== null && inputs.gatewayUrl === null
      ? at('MATRIX_PLATFORM_URL', [
          `a platform elsewhere needs its gateway too: ${remedyFor({ panel: 'enter its address under Settings', commandLine: 'set MATRIX_GATEWAY_URL (--gateway)' })}`,
        ])
      : []),
    ...(problems.length > 0 ? [] : namedFileProblems(named, datasets.length)),
  )
  if (problems.length > 0) return { ok: false, problems }

  const elsewhere = answersElsewhere(inputs)
  const selected = selectAliases(experiment, selection.models.names, selection.flavors.names, elsewhere)
  const baselines: readonly string[] = request.baselines ?? []
  const added = [...experiment.aliases.values()].filter(({ alias }) => baselines.includes(alias))
  const aliases = [...selected, ...added.filter((each) => !selected.includes(each))]
  const refused = ownApproachRefusals(experiment, aliases, elsewhere)
  if (refused.length > 0) return { ok: false, problems: at(selection.models.path, refused) }
  const setName = modelSet ?? experiment.models.default_set
  const set = elsewhere === null ? (experiment.models.sets[setName] ?? null) : null
  const ruled = languageModelProblems(aliases, set, setName)
  if (ruled.length > 0) return { ok: false, problems: at(selection.models.path, ruled) }
  const metrics = request.metrics ?? experiment.evaluation.metrics.ragas
  const repeats = request.repeats ?? inputs.repeats ?? 1
  const runId = request.run_id ?? inputs.runId ?? `run-${now.toISOString().slice(0, 19).replaceAll(':', '-')}`
  const { flavors: _flavors, all_aliases: _all, baselines: _baselines, ...kept } = request
  const run: PreparedRun = {
    request: {
      ...kept,
      run_id: runId,
      dataset_ids: datasets.map(({ dataset }) => dataset.id),
      models: aliases.map(({ alias }) => alias),
      repeats,
    },
    runId,
    root,
    resultsDir,
    files: Object.fromEntries(
      datasets.map(({ dataset: { id } }) => [id, filesOfRun({ resultsDir, named }, runId, id)] as const),
    ),
    store: await storeFor(inputs),
    experiment: withChoices(
      experiment,
      metrics,
      request.primary_metric ?? experiment.evaluation.metrics.primary,
      request.exclude_cut_answers ?? experiment.evaluation.metrics.exclude_cut_answers ?? false,
      panelSettings(judgePanel, declared),
      request.concurrency ?? inputs.concurrency,
      request.context_budget ?? inputs.contextBudget,
      request.trace,
    ),
    datasets,
    leftOut: [
      ...(selection.datasets.names === null ? unusableNotices(experiment) : []),
      ...(selection.models.names === null && selection.flavors.names === null ? baselineNotices(inputs) : []),
    ],
    aliases,
    metrics,
    repeats,
    retryFailed: request.retry_failed ?? inputs.retryFailed ?? 'access',
    judgePanel,
    prices,
    inputs,
    modelSet,
  }
  return { ok: true, run }
}

/** Describes what a dataset's run is started with, besides what was prepared. */
interface DatasetRunOptions {
  platform: PlatformSource
  /** Datasets whose cold reset is done. */
  coldDatasets?: readonly string[]
  emit: (event: RunEvent) => void
  drain: AbortSignal
  abort: AbortSignal
}

/** The platform's own evaluator unless another is named, or another key for an external platform's. */
export function evaluatorFor(
  { evaluatorUrl, evaluatorApiKey, edgeApiKey, platformUrl }: RunnerInputs,
  platform: Pick<PlatformSource, 'kind' | 'gateway'>,
): DatasetRun['evaluator'] {
  if (evaluatorUrl !== null) return { url: evaluateUrl(evaluatorUrl), apiKey: evaluatorApiKey }
  if (platform.kind === 'embedded' || evaluatorApiKey === null) return 'platform'
  return { url: evaluateUrl(platformUrl ?? platform.gateway), apiKey: evaluatorApiKey, edgeKey: edgeApiKey }
}

/** An external platform ingests from wherever it was set up to. */
export const corpusRootFor = (
  { corpusRoot }: RunnerInputs,
  { kind }: Pick<PlatformSource, 'kind'>,
): DatasetRun['corpusRoot'] => (kind === 'embedded' ? corpusRoot : null)

/** Throws `InputError` for a run without a dataset, as where none is named and none is on a rung. */
export function refuseWithoutDataset({ datasets, experiment }: Pick<PreparedRun, 'datasets' | 'experiment'>): void {
  if (datasets.length > 0) return
  const ids = experiment.datasets.filter(({ questions }) => questions.length > 0).map(({ dataset }) => dataset.id)
  const remedy =
    ids.length === 0
      ? 'add a dataset with questions to the project'
      : remedyFor({
          panel: `choose datasets of the run: ${ids.join(', ')}`,
          commandLine: `name the datasets of the run by --dataset (${ids.join(', ')})`,
        })
  throw new InputError([`no dataset is on a rung: ${remedy}`])
}

/** Returns what the runner is given: a run per dataset. Throws `InputError` where there is none. */
export function datasetRunsOf(run: PreparedRun, options: DatasetRunOptions): DatasetRun[] {
  refuseWithoutDataset(run)
  const { platform, coldDatasets = [], emit, drain, abort } = options
  const { experiment, aliases, runId, metrics, repeats, retryFailed, judgePanel, request } = run
  const budget = request.budget === undefined ? null : new RunBudget(request.budget, run.prices)
  return run.datasets.map((dataset) => ({
    experiment,
    dataset,
    corpusRoot: corpusRootFor(run.inputs, platform),
    aliases,
    runId,
    files: filesOf(run, dataset.dataset.id),
    store: run.store,
    platform,
    // Whoever names a set to score with means the evaluator of that set, whatever the variables name.
    evaluator:
      request.evaluate_from !== undefined && request.model_set !== undefined
        ? 'platform'
        : evaluatorFor(run.inputs, platform),
    metrics,
    repeats,
    judgePanel,
    retryFailed,
    plan: run.plans?.[dataset.dataset.id],
    budget,
    coldReset: request.cold_reset && !coldDatasets.includes(dataset.dataset.id),
    confirmedDeletions: request.confirmed_deletions ?? null,
    publish: request.publish,
    isVerbose: run.inputs.isVerbose,
    emit,
    drain,
    abort,
  }))
}
