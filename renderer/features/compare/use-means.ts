import { useQueries } from '@tanstack/react-query'
import type { Estimate } from '../../../contract/evidence/statistics.ts'
import type { IndexMetric } from '../../../contract/control/run-index/metrics.ts'
import { api } from '../../data/client.ts'

/** Interval of an alias's mean in one dataset of a run; null while it is unknown, or where there is none. */
export type IntervalOf = (dataset: string, alias: string) => Estimate['interval']

/** Intervals of all means of a run, dataset by dataset; they come in as they are worked out. */
export function useIntervals(run: string, datasets: readonly string[], metric: IndexMetric): IntervalOf {
  const results = useQueries({
    queries: datasets.map((dataset) =>
      api.statistics.pairs.queryOptions({ input: { run_id: run, dataset_id: dataset, metric } }),
    ),
  })
  return (dataset, alias) =>
    results[datasets.indexOf(dataset)]?.data?.comparison.approaches.find(({ model }) => model === alias)?.mean
      .interval ?? null
}

/** Distances from a mean to the ends of its interval, as error bars want them. */
export const errorOf = (mean: number | null, interval: Estimate['interval']): [number, number] =>
  mean === null || interval === null ? [0, 0] : [Math.max(0, mean - interval.low), Math.max(0, interval.high - mean)]
