import { z } from 'zod'

export const AnswerMetric = z.enum(['token_f1', 'points_covered', 'abstention'])
export type AnswerMetric = z.infer<typeof AnswerMetric>

/**
 * How right an answer is against its ground truth, 0 to 1; needs no model and no contexts, so approaches of every capability compare.
 * token_f1: overlap with the ground truth as SQuAD's evaluation script computes it (rows of runner version 1 left out 24 function words).
 * points_covered: share of the required points that the answer mentions (`gold_coverage` in rows of runner version 1). abstention: for unanswerable questions, 1 when the answer says that it cannot answer.
 */
export const AnswerScores = z.strictObject({
  status: z.enum(['ok', 'not_evaluable', 'not_run']),
  scores: z.partialRecord(AnswerMetric, z.number().min(0).max(1)),
  reason: z.enum(['ground_truth_required', 'cell_failed']).nullable(),
})
export type AnswerScores = z.infer<typeof AnswerScores>
