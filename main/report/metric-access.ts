import type { Aggregate, ApproachSummary, EvaluationMetric, HopSummary, MetricSummary } from '../../contract/index.ts'
import type { ComparedName } from './comparison-access.ts'
import { METRICS_OF, type ScoreMetric } from './score-metrics.ts'

type ByMetric<Value> = Partial<Record<ComparedName, Value>>

/** The scores of a metric of an approach; undefined when it was not requested, or is no score of single cells. */
export function metricOf(approach: ApproachSummary, metric: ComparedName): MetricSummary | undefined {
  const all: ByMetric<MetricSummary> = { ...approach.ragas, ...approach.retrieval, ...approach.answer }
  return all[metric]
}

/** A metric of the questions of one hop count. */
export function hopMetricOf(group: HopSummary, metric: ScoreMetric): HopSummary['ragas'][EvaluationMetric] {
  const all: ByMetric<HopSummary['ragas'][EvaluationMetric]> = { ...group.ragas, ...group.retrieval, ...group.answer }
  return all[metric]
}

/** The metrics that a run has: those computed here always, and the requested model-graded ones. */
export const metricsOf = (aggregate: Aggregate): ScoreMetric[] => [
  ...METRICS_OF.retrieval,
  ...aggregate.metrics,
  ...METRICS_OF.answer,
]
