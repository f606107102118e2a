import type { Aggregate, ApproachSummary, HopSummary, MetricSummary } from '../../contract/index.ts'
import { METRICS_OF, type ScoreMetric } from './score-metrics.ts'

type ByMetric<Value> = Partial<Record<ScoreMetric, Value>>

/** A metric of an approach, whichever class it is of; undefined when it was not requested. */
export function metricOf(approach: ApproachSummary, metric: ScoreMetric): MetricSummary | undefined {
  const all: ByMetric<MetricSummary> = { ...approach.ragas, ...approach.retrieval, ...approach.answer }
  return all[metric]
}

/** A metric of the questions of one hop count. */
export function hopMetricOf(group: HopSummary, metric: ScoreMetric): HopSummary['ragas']['faithfulness'] {
  const all: ByMetric<HopSummary['ragas']['faithfulness']> = { ...group.ragas, ...group.retrieval, ...group.answer }
  return all[metric]
}

/** The metrics that a run has: those computed here always, and the requested model-graded ones. */
export const metricsOf = (aggregate: Aggregate): ScoreMetric[] => [
  ...METRICS_OF.retrieval,
  ...aggregate.metrics,
  ...METRICS_OF.answer,
]
