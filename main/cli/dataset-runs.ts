import { basename } from 'node:path'
import type { RunEvent } from '../../contract/index.ts'
import { InputError, type RunnerInputs } from '../manifests/runner-inputs.ts'
import { artifactFiles, type ArtifactFiles } from '../report/artifact-files.ts'
import type { DatasetRun } from '../runner/dataset-run.ts'
import { apiUrl } from '../runner/gateway-client.ts'
import type { PlatformSource } from '../runner/platform-source.ts'
import type { RunSetup } from './run-setup.ts'
import type { StopSignals } from './stop-signals.ts'

/** Single artifacts that the environment puts elsewhere; only possible where one dataset runs. */
function artifactOverrides(setup: RunSetup): Partial<ArtifactFiles> {
  const { canonicalFile, summaryFile, resultsFile } = setup.inputs
  const overrides = {
    ...(canonicalFile === null ? {} : { evidence: canonicalFile }),
    ...(summaryFile === null ? {} : { evaluation: summaryFile }),
    ...(resultsFile === null ? {} : { matrix: resultsFile }),
  }
  if (Object.keys(overrides).length > 0 && setup.datasets.length !== 1)
    throw new InputError([
      'MATRIX_CANONICAL_FILE, MATRIX_SUMMARY_FILE and MATRIX_RESULTS_FILE need exactly one dataset: set MATRIX_DATASET_ID',
    ])
  const clash = Object.values(overrides).filter((file, index, all) => all.indexOf(file) !== index)
  if (clash.length > 0) throw new InputError([`two artifacts would share the file ${basename(clash[0]!)}`])
  return overrides
}

/** The platform's own evaluator, unless the environment names another, or another key for an external platform's. */
function chosenEvaluator(
  { evaluatorUrl, evaluatorApiKey, edgeApiKey }: RunnerInputs,
  platform: PlatformSource,
): DatasetRun['evaluator'] {
  if (evaluatorUrl !== null) return { url: evaluatorUrl, apiKey: evaluatorApiKey }
  if (platform.kind === 'embedded' || evaluatorApiKey === null) return 'platform'
  return { url: apiUrl(platform.gateway, '/api/rag/evaluate'), apiKey: evaluatorApiKey, edgeKey: edgeApiKey }
}

/** One run per selected dataset. Throws `InputError`. */
export function datasetRuns(
  setup: RunSetup,
  platform: PlatformSource,
  choices: { coldReset: boolean; publish: boolean },
  emit: (event: RunEvent) => void,
  stop: StopSignals,
): DatasetRun[] {
  const overrides = artifactOverrides(setup)
  return setup.datasets.map((dataset) => ({
    experiment: setup.experiment,
    dataset,
    aliases: setup.aliases,
    runId: setup.runId,
    files: artifactFiles(setup.resultsDir, setup.runId, dataset.dataset.id, overrides),
    platform,
    evaluator: chosenEvaluator(setup.inputs, platform),
    metrics: setup.metrics,
    repeats: setup.repeats,
    judgePanel: setup.judgePanel,
    ...choices,
    emit,
    drain: stop.drain,
    abort: stop.abort,
  }))
}
