import { CellMetricState, IndexMetric, metricOfId } from '../../contract/index.ts'

export const INDEX_METRICS = IndexMetric.options

/**
 * Name of the column of `cells` that holds a metric's values; one of a fixed set, safe in SQL. An operational metric is of answered cells, which
 * the cell's own figure beside it is not.
 */
export const valueColumn = (metric: IndexMetric): string =>
  metricOfId(metric).class === 'operational' ? `answered_${metric}` : metric

const CODES = new Map(CellMetricState.options.map((state, code) => [state, code]))

export const stateCode = (state: CellMetricState): number => CODES.get(state)!
export const stateOfCode = (code: number): CellMetricState => CellMetricState.options[code]!

/** Name of the column of `cells` that holds the code of a metric's state; one of a fixed set, safe in SQL. */
export const stateColumn = (metric: IndexMetric): string => `${metric}_state`
