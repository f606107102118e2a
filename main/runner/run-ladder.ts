import type { RunEvent } from '../../contract/index.ts'
import type { DatasetRun } from './dataset-run.ts'
import { InputError } from '../manifests/runner-inputs.ts'
import { ServiceFailedError } from '../supervisor/supervised-service.ts'
import { StepFailedError } from './ladder-step.ts'
import { runDataset, type DatasetOutcome, type GraphMissingError } from './run-dataset.ts'

export interface LadderOutcome {
  outcome: 'completed' | 'failed' | 'interrupted'
  datasets: DatasetOutcome[]
  /** First failure of each dataset that could not be finished, whose graph is missing, or whose evaluation or judge panel failed as a whole. */
  failures: (StepFailedError | GraphMissingError)[]
}

/**
 * Runs `one` for each dataset, one after another. A dataset that fails does not keep the next from running: what an overnight run can still
 * measure, it measures. Only a platform that cannot start as it is set up ends the run at once. `cells` is how many each dataset has.
 */
export async function runDatasets(
  runs: readonly DatasetRun[],
  emit: (event: RunEvent) => void,
  one: (run: DatasetRun) => Promise<DatasetOutcome>,
  cells?: Record<string, number>,
): Promise<LadderOutcome> {
  const started = performance.now()
  const { runId, aliases, drain, abort } = runs[0]!
  const datasets: DatasetOutcome[] = []
  const failures: LadderOutcome['failures'] = []
  emit({
    type: 'run.started',
    run_id: runId,
    dataset_ids: runs.map(({ dataset }) => dataset.dataset.id),
    models: aliases.map(({ alias }) => alias),
    ...(cells === undefined ? {} : { cells }),
  })
  for (const run of runs) {
    if (drain.aborted || abort.aborted) break
    try {
      const outcome = await one(run)
      datasets.push(outcome)
      const failure = outcome.missing ?? outcome.failure
      if (failure !== null) failures.push(failure)
    } catch (error) {
      if (!(error instanceof StepFailedError)) throw error
      failures.push(error)
      // The next dataset's platform is set up in the same way.
      if (
        error.cause instanceof InputError ||
        (error.cause instanceof ServiceFailedError && error.cause.isConfiguration)
      )
        break
    }
  }
  const stopped = drain.aborted || abort.aborted
  const complete = failures.length === 0 && datasets.every(({ status }) => status === 'completed')
  const outcome =
    stopped && !(complete && datasets.length === runs.length) ? 'interrupted' : complete ? 'completed' : 'failed'
  emit({ type: 'run.finished', run_id: runId, outcome, duration_ms: performance.now() - started })
  return { outcome, datasets, failures }
}

/** The ladder: every step of every dataset. */
export function runLadder(runs: readonly DatasetRun[], emit: (event: RunEvent) => void): Promise<LadderOutcome> {
  const cells = runs.map(
    ({ dataset, aliases, repeats }) =>
      [dataset.dataset.id, dataset.questions.length * aliases.length * repeats] as const,
  )
  return runDatasets(runs, emit, runDataset, Object.fromEntries(cells))
}
