import { z } from 'zod'
import { ANSWER_METRICS } from '../metrics/metrics.ts'

export const AnswerMetric = z.enum(ANSWER_METRICS)
export type AnswerMetric = z.infer<typeof AnswerMetric>

/**
 * States whether an answer says that it cannot answer and claims nothing besides; a state beside the scores that changes none of them. Null: unknown,
 * for the rule reads English only. `model`: the evaluator's language model decided, else the rule did.
 */
export const Refusal = z.strictObject({ refused: z.boolean().nullable(), decided_by: z.enum(['rule', 'model']) })
export type Refusal = z.infer<typeof Refusal>

/**
 * Describes how right an answer is against its ground truth, 0 to 1; needs no model and no contexts, so approaches of every capability compare.
 * token_f1: overlap with the ground truth as SQuAD's evaluation script computes it (rows of runner version 1 left out 24 function words).
 * points_covered: share of the required points that the answer mentions (`gold_coverage` in rows of runner version 1). abstention: for unanswerable questions, 1 when the answer says that it cannot answer, and claims nothing besides.
 */
export const AnswerScores = z.strictObject({
  status: z.enum(['ok', 'not_evaluable', 'not_run']),
  scores: z.partialRecord(AnswerMetric, z.number().min(0).max(1)),
  reason: z.enum(['ground_truth_required', 'cell_failed', 'refusal_unknown']).nullable(),
  /** Absent in rows of runner version 1 and where the cell failed. */
  refusal: Refusal.optional(),
})
export type AnswerScores = z.infer<typeof AnswerScores>
