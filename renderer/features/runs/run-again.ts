import type { RunJob } from '../../../contract/control/run-job.ts'
import type { ListedRun } from '../../../contract/control/stored-runs.ts'
import type { LaunchSearch } from '../../app/search-params.ts'

/** A name that no run has: the run's own with the next number, as in `base-r2`. */
export function nextRunId(runId: string, taken: ReadonlySet<string>): string {
  const [, stem, number] = /^(.*?)(?:-r(\d+))?$/s.exec(runId)!
  for (let next = Number(number ?? 1) + 1; ; next += 1) {
    const name = `${stem}-r${next}`
    if (!taken.has(name)) return name
  }
}

/** The sheet New run at its approaches, filled with a run's settings under a new name; what an engine without its journal does not know is as the project declares. */
export function launchAgain(run: ListedRun, job: RunJob | undefined, taken: ReadonlySet<string>): LaunchSearch {
  const name = nextRunId(run.run_id, taken)
  const modelSet = job?.request.model_set ?? run.model_sets[0]
  const from = { step: 2, name, modelSet } as const
  if (job === undefined) return { ...from, datasets: run.datasets.map(({ dataset_id: id }) => id), models: run.models }
  const { dataset_ids: datasets, models, metrics, primary_metric: primary, judge } = job.request
  const { repeats, concurrency, context_budget: contextBudget, trace, budget } = job.request
  return {
    ...from,
    datasets,
    models,
    metrics,
    primary,
    repeats,
    concurrency,
    contextBudget,
    trace,
    budget,
    judge: judge?.enabled,
    judges: judge?.models,
  }
}
