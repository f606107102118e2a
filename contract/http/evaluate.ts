import { z } from 'zod'
import { EvaluationMetric } from '../common.ts'

/** Bounds of one evaluation request, in characters where not said otherwise. */
export const EVALUATE_LIMITS = {
  records: 100,
  question: 8000,
  answer: 16_000,
  contexts: 50,
  context: 32_000,
  groundTruth: 16_000,
  modelName: 256,
  metadataBytes: 64 * 1024,
  evidenceBytes: 8 * 1024 * 1024,
} as const

export const EvaluateRecord = z.strictObject({
  question: z.string().min(1).max(EVALUATE_LIMITS.question),
  answer: z.string().min(1).max(EVALUATE_LIMITS.answer),
  contexts: z.array(z.string().max(EVALUATE_LIMITS.context)).max(EVALUATE_LIMITS.contexts).default([]),
  ground_truth: z.string().max(EVALUATE_LIMITS.groundTruth).nullable().default(null),
  metadata: z.record(z.string(), z.json()).default({}),
})
export type EvaluateRecord = z.infer<typeof EvaluateRecord>

export const EvaluateRequest = z.strictObject({
  records: z.array(EvaluateRecord).min(1).max(EVALUATE_LIMITS.records),
  metrics: z.array(EvaluationMetric).min(1).default(['faithfulness', 'answer_relevancy']),
  evaluator_model: z.string().min(1).max(EVALUATE_LIMITS.modelName).nullable().default(null),
  embeddings_model: z.string().min(1).max(EVALUATE_LIMITS.modelName).nullable().default(null),
  raise_exceptions: z.boolean().default(false),
})
export type EvaluateRequest = z.infer<typeof EvaluateRequest>

/** Scores stay `unknown` on the reader's side: whether they are numbers is what the runner has to find out. */
export const EvaluateResponse = z.looseObject({
  evaluator_model: z.string().nullable().optional(),
  embeddings_model: z.string().nullable().optional(),
  results: z
    .array(
      z.looseObject({
        record_index: z.int().min(0),
        scores: z.record(z.string(), z.unknown()),
        metadata: z
          .looseObject({
            metric_errors: z.record(z.string(), z.string()).optional(),
            metric_reasons: z.record(z.string(), z.json()).optional(),
          })
          .optional(),
      }),
    )
    .min(1),
})
export type EvaluateResponse = z.infer<typeof EvaluateResponse>
