import { CellMetricState, IndexMetric, type MetricClass } from '../../contract/index.ts'
import { METRICS_OF, SCORE_CLASSES } from '../report/score-metrics.ts'

export const INDEX_METRICS = IndexMetric.options

/** Class of a metric as the long CSV names it. */
export function metricClass(metric: IndexMetric): MetricClass {
  if (metric === 'judge_mean') return 'judge_panel'
  if (metric === 'latency_ms') return 'operational'
  return SCORE_CLASSES.find((name) => (METRICS_OF[name] as readonly string[]).includes(metric))!
}

export const betterOf = (metric: IndexMetric): 'higher' | 'lower' => (metric === 'latency_ms' ? 'lower' : 'higher')

/** Name of the column of `cells` that holds a metric's values; one of a fixed set, safe in SQL. */
export const valueColumn = (metric: IndexMetric): string => (metric === 'latency_ms' ? 'answered_ms' : metric)

const CODES = new Map(CellMetricState.options.map((state, code) => [state, code]))

export const stateCode = (state: CellMetricState): number => CODES.get(state)!
export const stateOfCode = (code: number): CellMetricState => CellMetricState.options[code]!

/** Name of the column of `cells` that holds the code of a metric's state; one of a fixed set, safe in SQL. */
export const stateColumn = (metric: IndexMetric): string => `${metric}_state`
