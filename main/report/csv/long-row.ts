import type { Distribution, MetricClass } from '../../../contract/evidence/aggregate.ts'
import type { Estimate } from '../../../contract/evidence/statistics.ts'
import type { CsvValue } from './csv-text.ts'
import { oneLine } from '../../lib/text/sanitize-for-terminal.ts'

/**
 * Columns of the long form, in order. Figures that a metric does not have are empty, never 0. A line with `against` is a pair: `difference` is
 * the mean of model − against over the `n` questions that both have, and the interval is around it; in any other line it is around the mean. An
 * overlap of two approaches, where it is asked for, is a mean beside `against`.
 */
export const LONG_COLUMNS = [
  'dataset_id',
  'run_id',
  'model',
  'base_model',
  'flavor',
  'metric_class',
  'metric',
  'hops',
  'state',
  'mean',
  'median',
  'stdev',
  'p95',
  'min',
  'max',
  'sum',
  'n',
  'eligible',
  'expected',
  'coverage',
  'errors',
  'timeouts',
  'unevaluable',
  'disabled',
  'not_run',
  'missing',
  'unequal_coverage',
  'common_n',
  'common_mean',
  'reasons',
  'interval_low',
  'interval_high',
  'no_interval',
  'clusters',
  'against',
  'difference',
  'p',
  'p_adjusted',
  'decision',
  'wins',
  'ties',
  'losses',
  'smallest_detectable',
] as const
type LongColumn = (typeof LONG_COLUMNS)[number]

/** One line of the long form: one metric of one approach over all questions, over those of one hop count, or against another approach. */
export type LongRow = Partial<Record<LongColumn, CsvValue>> & {
  dataset_id: string
  run_id: string
  model: string
  metric_class: MetricClass
  metric: string
}

/** A row's fields in column order; texts on one line and free of what a terminal or a reader would obey. */
export const longFields = (row: LongRow): CsvValue[] =>
  LONG_COLUMNS.map((column) => {
    const value = row[column] ?? null
    return typeof value === 'string' ? oneLine(value) : value
  })

/** `name: count; name: count`. */
export const reasonList = (...counts: Readonly<Record<string, number>>[]): string | null => {
  const parts = counts.flatMap((each) => Object.entries(each)).map(([name, count]) => `${name}: ${count}`)
  return parts.length === 0 ? null : parts.join('; ')
}

/** The interval of an estimate, or why there is none, under their column names; nothing for none. */
export const intervalFields = (estimate: Estimate | null) =>
  estimate === null
    ? {}
    : {
        interval_low: estimate.interval?.low ?? null,
        interval_high: estimate.interval?.high ?? null,
        no_interval: estimate.no_interval,
        clusters: estimate.clusters,
      }

/** The figures of a distribution under their column names. */
export const spread = ({ n, mean, median, stdev, p95, min, max, sum }: Distribution) => ({
  mean,
  median,
  stdev,
  p95,
  min,
  max,
  sum,
  n,
})
