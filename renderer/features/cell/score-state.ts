import { reasonWords, UNGRADABLE } from '../../../core/evidence/gap-reasons.ts'
import type { CellMetricState, IndexMetric } from '../../../contract/control/run-index/metrics.ts'
import type { OtherCell } from '../../../contract/control/cells.ts'
import { metricOfId } from '../../../contract/metrics/metrics.ts'
import type { EvaluationMetric, EvidenceCapability } from '../../../contract/common.ts'
import type { EvaluationResult } from '../../../contract/evidence/evaluation-result.ts'

/** The state of one requested metric of a cell, and why it has no score. */
export interface ScoreState {
  state: CellMetricState
  reason: string
}

const isTimeout = (text: string | undefined): boolean => text !== undefined && /time-?d?[ _-]?out/i.test(text)

/** Returns what a metric's error means: a timeout is a state of its own, and an answer that has nothing to grade, such as a refusal, is not a failure. */
function ofMetricError(error: string): ScoreState {
  if (UNGRADABLE.has(error)) return { state: 'not_evaluable', reason: reasonWords(error) }
  return { state: isTimeout(error) ? 'timeout' : 'error', reason: reasonWords(error).replaceAll('_', ' ') }
}

/** The state of a cell in a metric that the evaluator was asked for; `evidence` is whether its approach answers with contexts. */
export function scoreState(
  ragas: EvaluationResult,
  metric: EvaluationMetric,
  evidence: EvidenceCapability | null,
): ScoreState {
  if (typeof ragas.scores[metric] === 'number') return { state: 'ok', reason: '' }
  if (ragas.status === 'disabled') return { state: 'disabled', reason: 'the evaluation was disabled for this run' }
  const missing = ragas.not_evaluable[metric]
  if (missing !== undefined)
    return { state: 'not_evaluable', reason: reasonWords(missing, evidence).replaceAll('_', ' ') }
  const error = ragas.metric_errors[metric]
  if (error !== undefined) return ofMetricError(error)
  const reason = ragas.error ?? ''
  if (ragas.status !== 'error') return { state: 'not_run', reason }
  return { state: ragas.error_type === 'timeout' || isTimeout(ragas.error) ? 'timeout' : 'error', reason }
}

/** The value of the chosen metric in another approach's cell; null where it has none. */
export function valueOf(
  { scores, judge_mean: judge, latency_ms: latency, status }: OtherCell,
  metric: IndexMetric,
): number | null {
  const { class: metricClass } = metricOfId(metric)
  if (metricClass === 'judge_panel') return judge
  if (metricClass === 'operational') return status === 'ok' ? latency : null
  return scores[metric as keyof typeof scores] ?? null
}
