import { z } from 'zod'
import { EvaluationMetric } from '../common.ts'
import { ModelUsage } from './model-usage.ts'

/**
 * State of a cell's evaluation. ok: every requested metric scored. partial: some scored, the others lacked evidence or failed.
 * not_evaluable: no requested metric had its evidence. error: nothing scored after retries. disabled: nothing was requested.
 * not_run: the cell itself failed before evaluation.
 */
export const EvaluationStatus = z.enum(['ok', 'partial', 'not_evaluable', 'error', 'disabled', 'not_run'])
export type EvaluationStatus = z.infer<typeof EvaluationStatus>

export const NotEvaluableReason = z.enum(['retrieved_contexts_required', 'ground_truth_required', 'citations_required'])
export type NotEvaluableReason = z.infer<typeof NotEvaluableReason>

/**
 * Describes how a whole evaluation call failed; a timeout is counted apart from the others. `access_refused`: the evaluator, or the service of its
 * model, refused the key or the account.
 */
export const EvaluationErrorType = z.enum([
  'timeout',
  'http_error',
  'access_refused',
  'network_error',
  'invalid_response',
])
export type EvaluationErrorType = z.infer<typeof EvaluationErrorType>

/**
 * Describes what of a cell's evidence the evaluator did not see, because a request has limits: characters cut off the end of a text, whole contexts,
 * and statements of the answer that no verdict was asked for.
 */
export const UnseenEvidence = z.enum([
  'question_chars',
  'answer_chars',
  'ground_truth_chars',
  'context_chars',
  'contexts',
  'statements',
])
export type UnseenEvidence = z.infer<typeof UnseenEvidence>

const perMetric = <Value extends z.ZodType>(value: Value) => z.partialRecord(EvaluationMetric, value)

export const EvaluationResult = z.strictObject({
  status: EvaluationStatus,
  requested: z.array(EvaluationMetric),
  scores: perMetric(z.number()),
  /**
   * `score_missing_or_null`, `score_not_numeric`, `score_not_finite`, `score_out_of_range` with the value, or the evaluator's own word for a metric's failure;
   * `no_statements`: an answer that claims nothing, such as a refusal, has no faithfulness; `needs_language_model`: rules cannot grade this metric.
   */
  metric_errors: perMetric(z.string()),
  not_evaluable: perMetric(NotEvaluableReason),
  /** Why a score came out as it did, per metric, as the critic put it. */
  reasons: perMetric(z.json()).default({}),
  evaluator_model: z.string().nullable(),
  embeddings_model: z.string().nullable(),
  /** Version of the evaluator and, where a model grades, of its prompts; absent where it reports none. */
  evaluator_version: z.string().optional(),
  /** Name and version of each prompt of the evaluator, such as `statements 1`; absent where rules graded, and where it reports none. */
  evaluator_prompts: z.array(z.string()).optional(),
  attempts: z.int().min(0),
  /** Times the evaluator's calls, failed tries included and the waits between them not; absent without a call, and in rows of earlier versions. */
  latency_ms: z.number().min(0).optional(),
  /** States how much of what was left out; absent when the evaluator saw everything. */
  unseen: z.partialRecord(UnseenEvidence, z.int().min(1)).optional(),
  /** True when the evaluator's language model takes the answer for a refusal; absent where none was asked. */
  refused: z.boolean().optional(),
  /** Holds what each model used for the scores; absent where rules graded, and from evaluators that do not report it. */
  model_usage: z.array(ModelUsage).optional(),
  error_type: EvaluationErrorType.optional(),
  error: z.string().optional(),
})
export type EvaluationResult = z.infer<typeof EvaluationResult>
