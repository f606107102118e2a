import type { EvaluationMetric, RunEvent } from '../../../contract/index.ts'
import type { InputProblem } from '../../../contract/control/control-error.ts'
import type { RunRequest } from '../../../contract/control/run-job.ts'
import { panelSettings, resolveJudgePanel, type JudgePanel } from '../../judge/panel-settings.ts'
import type { Alias, Experiment, LadderDataset } from '../../manifests/experiment.ts'
import type { RunnerInputs } from '../../manifests/runner-inputs.ts'
import { selectAliases, selectDatasets } from '../../manifests/selection.ts'
import { artifactFiles } from '../../report/artifact-files.ts'
import type { DatasetRun } from '../../runner/dataset-run.ts'
import { apiUrl } from '../../runner/gateway-client.ts'
import type { PlatformSource } from '../../runner/platform-source.ts'
import type { SettingsStore } from '../settings-store.ts'
import { panelProblem } from '../experiment-view.ts'

/** A request with everything that it depends on: manifests, settings and environment laid over each other. */
export interface PreparedRun {
  request: RunRequest
  runId: string
  experiment: Experiment
  datasets: LadderDataset[]
  aliases: Alias[]
  metrics: EvaluationMetric[]
  judgePanel: JudgePanel
  inputs: RunnerInputs
  modelSet: string | null
}

export type Preparation = { ok: true; run: PreparedRun } | { ok: false; problems: InputProblem[] }

function nameProblems(
  path: string,
  names: readonly string[],
  known: ReadonlySet<string>,
  what: string,
): InputProblem[] {
  return names.flatMap((name, index) => {
    if (names.indexOf(name) !== index) return [{ path: `${path}[${index}]`, message: `${name} stands twice` }]
    if (known.has(name)) return []
    return [{ path: `${path}[${index}]`, message: `there is no ${what} ${name}; there are ${[...known].join(', ')}` }]
  })
}

function setProblems(modelSet: string | null, known: readonly string[]): InputProblem[] {
  if (modelSet === null || known.includes(modelSet)) return []
  return [{ path: 'model_set', message: `there is no model set ${modelSet}; there are ${known.join(', ')}` }]
}

const runIdOf = (request: RunRequest, now: Date): string =>
  request.run_id ?? `run-${now.toISOString().slice(0, 19).replaceAll(':', '-')}`

function panelOf({ judge }: RunRequest, experiment: Experiment, inputs: RunnerInputs): JudgePanel {
  const { enabled, models, endpoint, rotations, reference } = judge ?? {}
  return resolveJudgePanel(experiment.evaluation.metrics.judge_panel, inputs, {
    ...(enabled === undefined ? {} : { enabled }),
    ...(models === undefined ? {} : { models }),
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(rotations === undefined ? {} : { rotations }),
    ...(reference === undefined ? {} : { reference }),
  })
}

function problemsOf(
  request: RunRequest,
  experiment: Experiment,
  panel: JudgePanel,
  modelSet: string | null,
): InputProblem[] {
  const { dataset_ids: datasetIds, models, metrics = [] } = request
  const panelSays = panelProblem(panel, experiment)
  return [
    ...nameProblems(
      'dataset_ids',
      datasetIds,
      new Set(experiment.datasets.map(({ dataset }) => dataset.id)),
      'dataset',
    ),
    ...nameProblems('models', models, new Set(experiment.aliases.keys()), 'alias'),
    ...nameProblems('metrics', metrics, new Set(metrics), 'metric'),
    ...setProblems(modelSet, Object.keys(experiment.models.sets)),
    ...(panelSays === null ? [] : [{ path: 'judge', message: panelSays }]),
  ]
}

/** The experiment as this run wants it: what a request changes is part of the configuration hashes. */
function withChoices(
  experiment: Experiment,
  metrics: EvaluationMetric[],
  panel: JudgePanel,
  concurrency: number | null,
): Experiment {
  const { evaluation } = experiment
  return {
    ...experiment,
    evaluation: {
      ...evaluation,
      metrics: { ragas: metrics, judge_panel: panelSettings(panel, evaluation.metrics.judge_panel) },
      run: { ...evaluation.run, concurrency: concurrency ?? evaluation.run.concurrency },
    },
  }
}

/** Checks a request against the manifests and fills in what it leaves open; every problem at once, with its path. */
export function prepareRun(
  request: RunRequest,
  loaded: Experiment,
  settings: SettingsStore,
  now = new Date(),
): Preparation {
  const inputs = settings.inputs()
  const judgePanel = panelOf(request, loaded, inputs)
  const modelSet = request.model_set ?? settings.modelSet
  const problems = problemsOf(request, loaded, judgePanel, modelSet)
  if (problems.length > 0) return { ok: false, problems }
  const metrics = request.metrics ?? loaded.evaluation.metrics.ragas
  const experiment = withChoices(loaded, metrics, judgePanel, request.concurrency ?? settings.settings.concurrency)
  const run: PreparedRun = {
    request,
    runId: runIdOf(request, now),
    experiment,
    datasets: selectDatasets(experiment, request.dataset_ids),
    aliases: selectAliases(experiment, request.models, null),
    metrics,
    judgePanel,
    inputs,
    modelSet,
  }
  return { ok: true, run }
}

export interface DatasetRunOptions {
  resultsDir: string
  platform: PlatformSource
  /** Datasets whose cold reset is done. */
  coldDatasets: readonly string[]
  emit: (event: RunEvent) => void
  drain: AbortSignal
  abort: AbortSignal
}

/** The platform's own evaluator unless another is named, or another key for an external platform's. */
function evaluatorFor(
  { evaluatorUrl, evaluatorApiKey }: RunnerInputs,
  platform: PlatformSource,
): DatasetRun['evaluator'] {
  if (evaluatorUrl !== null) return { url: evaluatorUrl, apiKey: evaluatorApiKey }
  if (platform.kind === 'embedded' || evaluatorApiKey === null) return 'platform'
  return { url: apiUrl(platform.gateway, '/api/rag/evaluate'), apiKey: evaluatorApiKey }
}

/** What the runner is given: a run per dataset. */
export function datasetRunsOf(run: PreparedRun, options: DatasetRunOptions): DatasetRun[] {
  const { runId } = run
  const { platform, emit, drain, abort } = options
  return run.datasets.map((dataset) => ({
    experiment: run.experiment,
    dataset,
    aliases: run.aliases,
    repeats: run.request.repeats,
    runId,
    files: artifactFiles(options.resultsDir, runId, dataset.dataset.id),
    platform,
    evaluator: evaluatorFor(run.inputs, platform),
    metrics: run.metrics,
    judgePanel: run.judgePanel,
    coldReset: run.request.cold_reset && !options.coldDatasets.includes(dataset.dataset.id),
    publish: run.request.publish,
    emit,
    drain,
    abort,
  }))
}
