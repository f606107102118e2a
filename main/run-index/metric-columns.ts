import { CellMetricState, IndexMetric, type MetricClass } from '../../contract/index.ts'
import { METRICS_OF, SCORE_CLASSES } from '../report/score-metrics.ts'

export const INDEX_METRICS = IndexMetric.options

const PLACE = new Map(INDEX_METRICS.map((metric, place) => [metric, place]))

/** Number of a metric in the index. */
export const metricPlace = (metric: IndexMetric): number => PLACE.get(metric)!

/** Class of a metric as the long CSV names it. */
export function metricClass(metric: IndexMetric): MetricClass {
  if (metric === 'judge_mean') return 'judge_panel'
  if (metric === 'latency_ms') return 'operational'
  return SCORE_CLASSES.find((name) => (METRICS_OF[name] as readonly string[]).includes(metric))!
}

export const betterOf = (metric: IndexMetric): 'higher' | 'lower' => (metric === 'latency_ms' ? 'lower' : 'higher')

/** Name of the column of `cells` that holds a metric's values; one of a fixed set, so it may stand in SQL. */
export const valueColumn = (metric: IndexMetric): string => (metric === 'latency_ms' ? 'answered_ms' : metric)

const STATE_BITS = 4
const CODES = new Map(CellMetricState.options.map((state, code) => [state, code]))

export const stateCode = (state: CellMetricState): number => CODES.get(state)!
export const stateOfCode = (code: number): CellMetricState => CellMetricState.options[code]!

/** SQL for the state code of a metric: every cell keeps them packed, four bits each, in one integer. */
export const stateSql = (metric: IndexMetric, table = 'c'): string =>
  `((${table}.states >> ${STATE_BITS * metricPlace(metric)}) & 15)`

/** The state code at a place of packed ones. */
export const stateAt = (packed: number, place: number): number =>
  Math.floor(packed / 2 ** (STATE_BITS * place)) % 2 ** STATE_BITS

/** Packs state codes by place. 13 metrics take 52 bits, so the number stays exact. */
export function packStates(codes: readonly number[]): number {
  let packed = 0
  for (let place = codes.length - 1; place >= 0; place -= 1) packed = packed * 2 ** STATE_BITS + codes[place]!
  return packed
}
