import type { EvaluationMetric } from '../../contract/common.ts'
import type { EvaluationResult, NotEvaluableReason } from '../../contract/evidence/evaluation-result.ts'
import type { ModelUsage } from '../../contract/evidence/model-usage.ts'
import type { Metric } from '../../contract/metrics/metric.ts'
import { isEmbedded, metricOfId } from '../../contract/metrics/metrics.ts'
import { UNGRADABLE } from '../../core/evidence/gap-reasons.ts'

/** Describes what an evaluation can rest on; empty contexts and a null ground truth are missing evidence. */
export interface Evidence {
  question: string
  answer: string
  contexts: readonly string[]
  groundTruth: string | null
  /** The answer with citations by the numbers of its contexts; null or absent where there are none that can be checked. */
  citedAnswer?: string | null
}

/** Why each metric cannot be measured; contexts are named before the ground truth where both are missing. */
export function missingEvidence(
  metrics: readonly EvaluationMetric[],
  evidence: Pick<Evidence, 'contexts' | 'groundTruth' | 'citedAnswer'>,
): Partial<Record<EvaluationMetric, NotEvaluableReason>> {
  const missing: Partial<Record<EvaluationMetric, NotEvaluableReason>> = {}
  for (const metric of metrics) {
    const { needs }: Metric = metricOfId(metric)
    if (needs.includes('contexts') && evidence.contexts.length === 0) missing[metric] = 'retrieved_contexts_required'
    else if (needs.includes('ground_truth') && evidence.groundTruth === null) missing[metric] = 'ground_truth_required'
    else if (needs.includes('citations') && (evidence.citedAnswer ?? null) === null)
      missing[metric] = 'citations_required'
  }
  return missing
}

const empty = (status: EvaluationResult['status'], requested: readonly EvaluationMetric[]): EvaluationResult => ({
  status,
  requested: [...requested],
  scores: {},
  metric_errors: {},
  not_evaluable: {},
  reasons: {},
  evaluator_model: null,
  embeddings_model: null,
  attempts: 0,
})

/** No metrics or no evaluator were selected. */
export const evaluationDisabled = (requested: readonly EvaluationMetric[]): EvaluationResult =>
  empty('disabled', requested)

/** The cell failed, so there is nothing to evaluate. */
export const evaluationNotRun = (requested: readonly EvaluationMetric[]): EvaluationResult =>
  empty('not_run', requested)

/** None of the requested metrics has the evidence it needs: no call is made. */
export function evaluationImpossible(
  requested: readonly EvaluationMetric[],
  missing: EvaluationResult['not_evaluable'],
): EvaluationResult {
  return { ...empty('not_evaluable', requested), not_evaluable: missing }
}

/** The whole call failed after its retries; every eligible metric has the same cause. */
export function evaluationFailed(
  requested: readonly EvaluationMetric[],
  missing: EvaluationResult['not_evaluable'],
  failure: { type: NonNullable<EvaluationResult['error_type']>; message: string; attempts: number },
): EvaluationResult {
  const { type, message, attempts } = failure
  return { ...empty('error', requested), not_evaluable: missing, attempts, error_type: type, error: message }
}

export interface EvaluatorReply {
  scores: Readonly<Record<string, unknown>>
  metricErrors: Readonly<Record<string, string>>
  reasons: EvaluationResult['reasons']
  evaluatorModel: string | null
  embeddingsModel: string | null
  evaluatorVersion: string | null
  evaluatorPrompts: readonly string[]
  attempts: number
  /** Holds what of the evidence the evaluator did not see. */
  unseen: NonNullable<EvaluationResult['unseen']>
  /** Null when no language model was asked. */
  refused: boolean | null
  modelUsage: readonly ModelUsage[]
}

const picked = <Value>(
  of: Partial<Record<EvaluationMetric, Value>>,
  metrics: readonly EvaluationMetric[],
): Partial<Record<EvaluationMetric, Value>> =>
  Object.fromEntries(Object.entries(of).filter(([metric]) => (metrics as readonly string[]).includes(metric)))

/** The stored grades of these metrics, with what made them; null where one is missing that an evaluator could give. */
export function storedGrades(
  stored: EvaluationResult,
  requested: readonly EvaluationMetric[],
): EvaluationResult | null {
  const { scores, not_evaluable: unevaluable, metric_errors: errors } = stored
  const isGraded = requested.every(
    (metric) => metric in scores || metric in unevaluable || UNGRADABLE.has(errors[metric] ?? ''),
  )
  if (!isGraded) return null
  const kept = { scores: picked(scores, requested), metric_errors: picked(errors, requested) }
  return {
    ...stored,
    ...kept,
    status: statusOf(requested, kept.scores, kept.metric_errors),
    requested: [...requested],
    not_evaluable: picked(unevaluable, requested),
    reasons: picked(stored.reasons, requested),
    embeddings_model: requested.some(isEmbedded) ? stored.embeddings_model : null,
  }
}

/** True where no requested metric had its evidence: every evaluator gives the same. */
export const isUnevaluable = ({ not_evaluable: unevaluable, requested }: EvaluationResult): boolean =>
  Object.keys(unevaluable).length === requested.length

/** True where grades are of the evaluator that made others, by its model, prompts and version; false where it does not report them. */
export function isSameEvaluator(stored: EvaluationResult, current: EvaluationResult): boolean {
  const { evaluator_model: model, evaluator_version: version, embeddings_model: embeddings } = stored
  if (isUnevaluable(stored)) return true
  return (
    model !== null &&
    version !== undefined &&
    model === current.evaluator_model &&
    version === current.evaluator_version &&
    (embeddings === null || embeddings === current.embeddings_model)
  )
}

function statusOf(
  requested: readonly EvaluationMetric[],
  scores: EvaluationResult['scores'],
  errors: EvaluationResult['metric_errors'],
): EvaluationResult['status'] {
  const scored = Object.keys(scores).length
  const isUngradable = Object.values(errors).every((error) => UNGRADABLE.has(error))
  const none = isUngradable ? 'not_evaluable' : 'error'
  return scored === requested.length ? 'ok' : scored > 0 ? 'partial' : none
}

/** A score of its metric's scale. */
function isOnScale(id: EvaluationMetric, score: number): boolean {
  const { range, leastReply = range[0] } = metricOfId(id)
  return score >= leastReply && score <= (range[1] ?? Infinity)
}

/** A successful reply → result. A score counts only when it is a finite number of its scale; the evaluator's own error word is kept. */
export function evaluationFromReply(
  requested: readonly EvaluationMetric[],
  missing: EvaluationResult['not_evaluable'],
  reply: EvaluatorReply,
): EvaluationResult {
  const scores: EvaluationResult['scores'] = {}
  const errors: EvaluationResult['metric_errors'] = {}
  for (const metric of requested) {
    if (missing[metric] !== undefined) continue
    const score = reply.scores[metric]
    if (score === null || score === undefined) errors[metric] = reply.metricErrors[metric] ?? 'score_missing_or_null'
    else if (typeof score !== 'number') errors[metric] = 'score_not_numeric'
    else if (!Number.isFinite(score)) errors[metric] = 'score_not_finite'
    else if (!isOnScale(metric, score)) errors[metric] = `score_out_of_range: ${score}`
    else scores[metric] = score
  }
  return {
    ...empty(statusOf(requested, scores, errors), requested),
    scores,
    metric_errors: errors,
    not_evaluable: missing,
    reasons: reply.reasons,
    evaluator_model: reply.evaluatorModel,
    embeddings_model: reply.embeddingsModel,
    ...(reply.evaluatorVersion === null ? {} : { evaluator_version: reply.evaluatorVersion }),
    ...(reply.evaluatorPrompts.length === 0 ? {} : { evaluator_prompts: [...reply.evaluatorPrompts] }),
    attempts: reply.attempts,
    ...(Object.keys(reply.unseen).length === 0 ? {} : { unseen: reply.unseen }),
    ...(reply.refused === null ? {} : { refused: reply.refused }),
    ...(reply.modelUsage.length === 0 ? {} : { model_usage: [...reply.modelUsage] }),
  }
}
