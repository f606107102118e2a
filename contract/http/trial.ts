import { z } from 'zod'
import { Identifier } from '../common.ts'

/**
 * A question of a tuning, as a chat request carries it: the alias answers with other values of its parameters, once. Our platform's own addition; nothing of it is stored.
 */
export const Trial = z.strictObject({
  /** Values in place of those of the alias; of an approach of a person's own, in place of its settings. */
  parameters: z.record(z.string(), z.json()).default({}),
  /** Ingestion profile whose collections are searched, in place of the active one. */
  profile: Identifier.optional(),
  /** False stops before the model that would write the answer. */
  answer: z.boolean().default(false),
})
export type Trial = z.infer<typeof Trial>

/** Confirms in `rag_extension.trial` that the platform did as the request said, and what the question's vector took. */
export const TrialReport = z.looseObject({
  ...Trial.shape,
  /** Times that the question was embedded for this request; 0 where its vector was known. */
  embedded: z.int().min(0),
  /** Spent waiting for the question's vector; part of `metrics.seconds`. */
  embed_seconds: z.number().min(0),
  /** Calls of the reranker. */
  reranked: z.int().min(0),
})
export type TrialReport = z.infer<typeof TrialReport>
