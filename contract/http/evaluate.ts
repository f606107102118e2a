import { z } from 'zod'
import { EvaluationMetric } from '../common.ts'
import { ModelUsage } from '../evidence/model-usage.ts'

/** Bounds of one evaluation request, in characters unless noted otherwise. */
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

const RecordFields = z.strictObject({
  question: z.string().min(1).max(EVALUATE_LIMITS.question),
  answer: z.string().min(1).max(EVALUATE_LIMITS.answer),
  contexts: z.array(z.string().max(EVALUATE_LIMITS.context)).max(EVALUATE_LIMITS.contexts).default([]),
  ground_truth: z.string().max(EVALUATE_LIMITS.groundTruth).nullable().default(null),
  /** The answer with its citations, numbered by the contexts from 1; metrics of citations need it. An addition of this evaluator. */
  cited_answer: z.string().max(EVALUATE_LIMITS.answer).nullable().default(null),
  metadata: z.record(z.string(), z.json()).default({}),
})

/** The ground truth may be called `reference`, as other evaluators call it. A record that has both is refused for the second one. */
export const EvaluateRecord = z.preprocess((value) => {
  if (typeof value !== 'object' || value === null || !('reference' in value) || 'ground_truth' in value) return value
  const { reference, ...rest } = value
  return { ...rest, ground_truth: reference }
}, RecordFields)
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
  /** Version of the evaluator and of its prompts; an addition of this platform's evaluator. */
  evaluator_version: z.string().max(EVALUATE_LIMITS.modelName).nullish().catch(undefined),
  /** Name and version of each prompt; an addition of this platform's evaluator. */
  evaluator_prompts: z.array(z.string().max(EVALUATE_LIMITS.modelName)).max(100).optional().catch(undefined),
  /** Holds what each model used; an addition of this platform's evaluator. */
  model_usage: z.array(ModelUsage).optional().catch(undefined),
  results: z
    .array(
      z.looseObject({
        /** The position in the list where the evaluator names none. */
        record_index: z.int().min(0).nullish(),
        scores: z.record(z.string(), z.unknown()),
        metadata: z
          .looseObject({
            /** A null entry is not an error. */
            metric_errors: z
              .record(z.string(), z.unknown())
              .nullish()
              .transform((errors) =>
                Object.fromEntries(
                  Object.entries(errors ?? {}).flatMap(([metric, error]) =>
                    error === null ? [] : [[metric, typeof error === 'string' ? error : JSON.stringify(error)]],
                  ),
                ),
              ),
            metric_reasons: z.record(z.string(), z.json()).nullish(),
            /** True when a language model takes the answer for a refusal; an addition of this platform's evaluator. */
            refused: z.boolean().nullish().catch(undefined),
          })
          .nullish(),
      }),
    )
    .min(1)
    .transform((results) => results.map((result, at) => ({ ...result, record_index: result.record_index ?? at }))),
})
