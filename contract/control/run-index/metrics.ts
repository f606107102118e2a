import { z } from 'zod'
import { METRICS, type MetricId } from '../../metrics/metrics.ts'

/** No answer of the index is larger than this many bytes of JSON. */
export const MAX_ANSWER_BYTES = 1_000_000

/** Describes what cells can be compared by. */
export const IndexMetric = z.enum(METRICS.map(({ id }) => id) as [MetricId, ...MetricId[]])
export type IndexMetric = z.infer<typeof IndexMetric>

/**
 * State of one cell in one metric. ok: it has a value. not_run: the cell itself failed, or was never evaluated. missing: it has no row.
 * The order is also that of the index's codes.
 */
export const CellMetricState = z.enum(['missing', 'ok', 'not_evaluable', 'error', 'timeout', 'disabled', 'not_run'])
export type CellMetricState = z.infer<typeof CellMetricState>
