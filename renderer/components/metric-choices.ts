import { IndexMetric } from '../../contract/control/run-index/metrics.ts'
import { metricOfId } from '../../contract/metrics/metrics.ts'
import { metricName } from './format.ts'

/** The metrics that say how good an answer is, as choices of a list. */
export const METRIC_CHOICES = IndexMetric.options
  .filter((metric) => metricOfId(metric).class !== 'operational')
  .map((value) => ({ value, label: metricName(value) }))
