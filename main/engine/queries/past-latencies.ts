import type { RunIndexApi } from '../index-gateway.ts'
import type { PastLatencies } from '../run-control/plan-run.ts'

/** Runs that are looked through for an alias's latency, newest first. */
const RUNS_LOOKED_AT = 30

/** Latencies from the newest indexed run that has each alias on the dataset. */
export function pastLatenciesFrom(index: RunIndexApi): PastLatencies {
  return async (datasetId, aliases) => {
    const found = new Map<string, number | null>(aliases.map((alias) => [alias, null]))
    const { runs } = await index.query('listRuns', { limit: RUNS_LOOKED_AT })
    for (const run of runs) {
      if ([...found.values()].every((latency) => latency !== null)) break
      if (!run.datasets.some(({ dataset_id, cells }) => dataset_id === datasetId && cells.ok > 0)) continue
      const { datasets } = (await index.query('runSummary', { run_id: run.run_id })).summary
      const known = datasets.find(({ dataset_id }) => dataset_id === datasetId)?.aliases ?? []
      for (const { model, mean_latency_ms } of known) if (found.get(model) === null) found.set(model, mean_latency_ms)
    }
    return found
  }
}
