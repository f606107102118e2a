// The runner makes the rows of a run. In: one `DatasetRun` per dataset (dataset-run.ts), which prepare/prepare-run.ts makes of a request, manifests and
// environment. Out: durable rows, their matrix and summary, verdicts, a publication, and events that terminal and pages read (`RunEvent`).
//   1. prepare/prepare-run.ts checks the request and fills in what it leaves open; prepare/preflight.ts finds what would fail later.
//   2. run-ladder.ts takes one dataset after another; run-dataset.ts has its twelve steps, each reported by ladder-step.ts.
//   3. reset/ moves what a cold run replaces to the trash; platform/ starts the platform or talks to one elsewhere; ingestion/ follows its job.
//   4. cells/run-cells.ts plans the cells (cells/plan-dataset.ts) and claims them; cells/make-cell.ts calls, keeps, evaluates and appends one.
//   5. finish/ sums up the rows, asks the judges, checks the artifacts and publishes.
// run-worker.ts and run-gateway-matrix.ts run step 4 alone, for a run that another process started and for a gateway that is set up already.
// Everything that calls a platform calls it over HTTP, also the embedded one.
import type { RunEvent } from '../../contract/evidence/run-event.ts'
import { givenSecrets } from '../../core/known-secrets.ts'
import { keepFingerprints } from '../lib/trust/key-fingerprints.ts'
import type { DatasetRun } from './dataset-run.ts'
import { InputError } from '../manifests/runner-inputs.ts'
import { ServiceFailedError } from '../supervisor/supervised-service.ts'
import { StepFailedError } from './ladder-step.ts'
import { runDataset, type DatasetOutcome, type MissingError } from './run-dataset.ts'

export interface LadderOutcome {
  outcome: 'completed' | 'failed' | 'interrupted'
  datasets: DatasetOutcome[]
  /** First failure of each dataset that could not be finished, whose graph is missing, or whose judge panel could not be asked. */
  failures: (StepFailedError | MissingError)[]
}

/**
 * The ladder: every step of every dataset, one dataset after another, or `runOne` instead of those steps. A dataset that fails does not keep the
 * next from running: what an overnight run can still measure, it measures. Only a platform that cannot start as it is set up ends the run at once.
 */
export async function runLadder(
  runs: readonly DatasetRun[],
  emit: (event: RunEvent) => void,
  runOne: (run: DatasetRun) => Promise<DatasetOutcome> = runDataset,
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
    ...(runOne === runDataset ? { cells: cellCounts(runs) } : {}),
  })
  await listKeys(emit)
  for (const run of runs) {
    if (drain.aborted || abort.aborted) break
    try {
      const outcome = await runOne(run)
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

/** Rows of this run may be published when its keys are not set any more. A list that cannot be kept stops no run. */
export async function listKeys(emit: (event: RunEvent) => void): Promise<void> {
  try {
    await keepFingerprints(givenSecrets())
  } catch (error) {
    const message = `the keys of this run are not listed, so that publish does not recognize them later: ${(error as Error).message}`
    emit({ type: 'notice', level: 'warning', message })
  }
}

const cellCounts = (runs: readonly DatasetRun[]): Record<string, number> =>
  Object.fromEntries(
    runs.map(({ dataset, aliases, repeats }) => [
      dataset.dataset.id,
      dataset.questions.length * aliases.length * repeats,
    ]),
  )
