import { resolve } from 'node:path'
import {
  EvaluationManifest,
  EvaluationMetric,
  Identifier,
  MAX_REPEATS,
  PLATFORM_GATEWAY,
  type RunEvent,
} from '../../contract/index.ts'
import { checkJudgePanel } from '../judge/check-panel.ts'
import { panelSettings, resolveJudgePanel, type JudgePanel } from '../judge/panel-settings.ts'
import { loadExperiment, type Alias, type Experiment, type LadderDataset } from '../manifests/experiment.ts'
import { loadManifest } from '../manifests/load-manifest.ts'
import { InputError, readRunnerInputs, splitList, type RunnerInputs } from '../manifests/runner-inputs.ts'
import { selectAliases, selectDatasets } from '../manifests/selection.ts'
import { embeddedPlatform, externalPlatform, type PlatformSource } from '../runner/platform-source.ts'
import { createNodeLauncher } from '../supervisor/node-launcher.ts'
import { readerServices } from './reader-services.ts'
import { flagOption, textOption, type Invocation } from './command.ts'
import { projectFolder } from './project-option.ts'

/** Below the project: what the embedded platform keeps. */
export const STATE_FOLDER = '.rag-ladder'

/** A run's settings after options, environment and manifests are laid over each other, in that order of precedence. */
export interface RunSetup {
  root: string
  inputs: RunnerInputs
  experiment: Experiment
  datasets: LadderDataset[]
  aliases: Alias[]
  metrics: EvaluationMetric[]
  /** Answers to ask each approach for per question. */
  repeats: number
  /** Enabled only if it can judge: checked before anything is called. */
  judgePanel: JudgePanel
  runId: string
  resultsDir: string
}

function wholeNumber(invocation: Invocation, name: string, from: number, to: number): number | null {
  const text = textOption(invocation, name)
  if (text === null) return null
  const value = Number(text)
  if (!Number.isInteger(value) || value < from || value > to)
    throw new InputError([`--${name}: a whole number from ${from} to ${to}, not ${text}`])
  return value
}

function chosenMetrics(invocation: Invocation, declared: EvaluationMetric[]): EvaluationMetric[] {
  if (!flagOption(invocation, 'evaluate')) return []
  const names = splitList(textOption(invocation, 'metrics') ?? undefined)
  if (names === null) return declared
  return names.map((name) => {
    const metric = EvaluationMetric.safeParse(name)
    if (metric.success) return metric.data
    throw new InputError([`--metrics: unknown metric ${name}; known are ${EvaluationMetric.options.join(', ')}`])
  })
}

function chosenRunId(invocation: Invocation, inputs: RunnerInputs, now: Date): string {
  const given = textOption(invocation, 'run-id') ?? inputs.runId ?? `ladder-${now.toISOString().slice(0, 10)}`
  const runId = Identifier.safeParse(given)
  if (!runId.success) throw new InputError([`--run-id: ${given}: letters, digits, "_", "-" and "." only`])
  return runId.data
}

/** The experiment as this run wants it: what options change is part of the configuration hashes. */
function withOptions(
  experiment: Experiment,
  invocation: Invocation,
  metrics: EvaluationMetric[],
  panel: JudgePanel,
): Experiment {
  const { evaluation } = experiment
  return {
    ...experiment,
    evaluation: {
      ...evaluation,
      metrics: { ragas: metrics, judge_panel: panelSettings(panel, evaluation.metrics.judge_panel) },
      run: {
        ...evaluation.run,
        concurrency: wholeNumber(invocation, 'concurrency', 1, 32) ?? evaluation.run.concurrency,
      },
    },
  }
}

/** The panel of options, environment and manifest (JUDGE_MANIFEST_FILE, where it is set). Throws `JudgePanelError` for one that cannot judge. */
async function chosenPanel(invocation: Invocation, inputs: RunnerInputs, experiment: Experiment): Promise<JudgePanel> {
  const file = inputs.judgeManifestFile
  const { metrics } =
    file === null ? experiment.evaluation : await loadManifest(experiment.root, file, EvaluationManifest)
  const enabled = invocation.values['judge']
  const models = splitList(textOption(invocation, 'judge-models') ?? undefined)
  const endpoint = textOption(invocation, 'judge-endpoint')
  const rotations = wholeNumber(invocation, 'rotations', 1, 64)
  if (endpoint !== null && endpoint !== PLATFORM_GATEWAY && !/^https?:\/\//.test(endpoint))
    throw new InputError([`--judge-endpoint: ${endpoint} is neither an http address nor ${PLATFORM_GATEWAY}`])
  const panel = resolveJudgePanel(metrics.judge_panel, inputs, {
    ...(typeof enabled === 'boolean' ? { enabled } : {}),
    ...(models === null ? {} : { models }),
    ...(endpoint === null ? {} : { endpoint }),
    ...(rotations === null ? {} : { rotations }),
    ...(flagOption(invocation, 'reference') ? { reference: true } : {}),
  })
  // The address becomes part of every row's provenance.
  if (URL.canParse(panel.endpoint) && new URL(panel.endpoint).username !== '')
    throw new InputError(['JUDGE_ENDPOINT: no credentials in the address; set JUDGE_API_KEY'])
  checkJudgePanel(panel, experiment.aliases.keys())
  return panel
}

/** Reads everything a run needs. Throws `InputError`, `ManifestError` or `JudgePanelError`; starts and writes nothing. */
export async function setUpRun(invocation: Invocation, now = new Date()): Promise<RunSetup> {
  const inputs = readRunnerInputs(invocation.env)
  const root = projectFolder(invocation)
  const evaluationFile = textOption(invocation, 'manifest') ?? inputs.manifestFile
  const queriesFile = textOption(invocation, 'queries') ?? inputs.queriesFile
  const loaded = await loadExperiment(root, {
    ...(evaluationFile === null ? {} : { evaluationFile }),
    ...(queriesFile === null ? {} : { queriesFile }),
  })
  const metrics = chosenMetrics(invocation, loaded.evaluation.metrics.ragas)
  const judgePanel = await chosenPanel(invocation, inputs, loaded)
  const experiment = withOptions(loaded, invocation, metrics, judgePanel)
  const models = splitList(textOption(invocation, 'models') ?? undefined)
  const flavors = splitList(textOption(invocation, 'flavors') ?? undefined)
  const named = models !== null || flavors !== null
  const aliases = flagOption(invocation, 'all')
    ? selectAliases(experiment, [...experiment.aliases.keys()], null)
    : selectAliases(experiment, named ? models : inputs.models, named ? flavors : inputs.flavors)
  const ids = splitList(textOption(invocation, 'dataset') ?? inputs.datasetId ?? undefined)
  return {
    root,
    inputs,
    experiment,
    aliases,
    metrics,
    repeats: wholeNumber(invocation, 'repeats', 1, MAX_REPEATS) ?? inputs.repeats ?? 1,
    judgePanel,
    datasets: selectDatasets(experiment, ids),
    runId: chosenRunId(invocation, inputs, now),
    resultsDir: resolve(root, textOption(invocation, 'results') ?? 'results'),
  }
}

/** The platform of a run: the one named by option or variable, else the embedded one under the project's state folder. */
export function choosePlatform(
  setup: RunSetup,
  invocation: Invocation,
  emit: (event: RunEvent) => void,
): PlatformSource {
  const url = textOption(invocation, 'gateway') ?? setup.inputs.gatewayUrl
  if (url !== null) {
    if (!URL.canParse(url)) throw new InputError([`--gateway: ${url} is not an address`])
    const { username, password } = new URL(url)
    // The address becomes part of every row's provenance.
    if (username !== '' || password !== '')
      throw new InputError(['--gateway: no credentials in the address; set MATRIX_GATEWAY_API_KEY'])
    return externalPlatform(url, setup.inputs)
  }
  const modelSet = textOption(invocation, 'model-set') ?? invocation.env['RAG_MODEL_SET'] ?? null
  const sets = Object.keys(setup.experiment.models.sets)
  if (modelSet !== null && !sets.includes(modelSet))
    throw new InputError([
      `--model-set: there is no model set ${modelSet}; manifests/models.yaml has ${sets.join(', ')}`,
    ])
  const stateRoot = resolve(setup.root, STATE_FOLDER)
  const launcher = createNodeLauncher()
  const { readers, during } = readerServices({
    root: setup.root,
    stateDir: stateRoot,
    profiles: setup.experiment.consumer.ingestion_profiles,
    env: invocation.env,
    launcher,
    emit,
  })
  const platform = embeddedPlatform({
    root: setup.root,
    stateRoot,
    modelSet,
    launcher,
    emit,
    readers,
  })
  return during(platform)
}
