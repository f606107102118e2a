import type { Aggregate } from '../../../contract/evidence/aggregate.ts'
import type { Metric } from '../../../contract/metrics/metric.ts'
import { METRICS, type MetricId } from '../../../contract/metrics/metrics.ts'
import { metricsOf } from '../aggregate/aggregate-access.ts'
import { md } from '../markdown/markdown-text.ts'
import { isScoreOfCells } from '../aggregate/metric-outcome.ts'

/** Metrics that reports of these runs show: the scores that were requested, costs, and the judges' where they were asked. */
export function shownMetrics(aggregates: readonly Aggregate[]): Metric[] {
  const scores = new Set<MetricId>(aggregates.flatMap(metricsOf))
  const isJudged = aggregates.some(({ judge_panel }) => judge_panel.status !== 'disabled')
  return METRICS.filter((metric: Metric) =>
    isScoreOfCells(metric) ? scores.has(metric.id as MetricId) : metric.class !== 'judge_panel' || isJudged,
  )
}

/** Returns what each metric of a report means, as Markdown list items. */
export const metricGlossaryLines = (aggregates: readonly Aggregate[]): string[] =>
  shownMetrics(aggregates).map(({ label, definition }) => `- ${md(label)}: ${md(definition)}`)
