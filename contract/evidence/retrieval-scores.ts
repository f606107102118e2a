import { z } from 'zod'
import { CURVE_BUDGETS } from './context-budget.ts'
import { RETRIEVAL_METRICS } from '../metrics/metrics.ts'

export const RetrievalMetric = z.enum(RETRIEVAL_METRICS)
export type RetrievalMetric = z.infer<typeof RetrievalMetric>

/** Describes how well the ordered contexts hold the gold evidence, 0 to 1; needs no model. `reason` explains why there are no scores. */
export const RetrievalScores = z.strictObject({
  status: z.enum(['ok', 'not_evaluable', 'not_run']),
  scores: z.partialRecord(RetrievalMetric, z.number().min(0).max(1)),
  /**
   * Share of the gold facts that any context holds, at whatever rank, and the number of contexts: approaches that return more can hold more.
   * Absent in rows of earlier versions, where it is unknown, and where nothing was retrieved for another reason than that nothing was found.
   */
  all_contexts: z.strictObject({ contexts: z.int().min(0), recall: z.number().min(0).max(1) }).optional(),
  /** Facts found in the first tokens of the contexts, at each budget of the curve in its order; absent without contexts and in rows of earlier versions. */
  budget_curve: z.array(z.number().min(0).max(1)).length(CURVE_BUDGETS.length).optional(),
  reason: z.enum(['gold_evidence_required', 'retrieved_contexts_required', 'answer_only', 'cell_failed']).nullable(),
})
export type RetrievalScores = z.infer<typeof RetrievalScores>
