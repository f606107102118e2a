import { useQueries } from '@tanstack/react-query'
import type { IndexMetric } from '../../contract/control/run-index/metrics.ts'
import type { Estimate } from '../../contract/evidence/statistics.ts'
import { api } from './client.ts'

/** Interval of an alias's mean in one dataset of a run; undefined while it is computed, null where there is none. */
export type IntervalOf = (dataset: string, alias: string) => Estimate['interval'] | undefined

/** Intervals of all means of a run, dataset by dataset, as they arrive. */
export function useIntervals(run: string, datasets: readonly string[], metric: IndexMetric): IntervalOf {
  const results = useQueries({
    queries: datasets.map((dataset) =>
      api.statistics.pairs.queryOptions({ input: { run_id: run, dataset_id: dataset, metric } }),
    ),
  })
  return (dataset, alias) => {
    const result = results[datasets.indexOf(dataset)]
    if (result?.isPending === true) return undefined
    return result?.data?.comparison.approaches.find(({ model }) => model === alias)?.mean.interval ?? null
  }
}
