import { z } from 'zod'
import { count } from '../common.ts'
import { Estimate } from './statistics.ts'

const share = z.number().min(0).max(1)

/**
 * States how relational a dataset is, measured on its documents and questions without a run: recall@5 of BM25 with stemming, over the chunks of the dataset's
 * profile, as the number of passages grows that an answer combines (decision 196).
 */
export const MeasuredLevel = z.strictObject({
  /** Answerable questions with gold facts and hops: what the figures rest on. */
  questions: count,
  /** Mean recall@5 of BM25 over them. */
  recall: share.nullable(),
  by_hops: z.array(z.strictObject({ hops: z.int().min(1), questions: z.int().min(1), recall: share })),
  /** Change of recall with one more hop (least squares), resampled by clusters of questions; null where it is not defined. */
  slope: Estimate.nullable(),
  /** Why there is no slope, or no interval of it; null where there is one. */
  reason: z
    .enum([
      'not_text',
      'too_large',
      'no_documents',
      'no_gold',
      'no_hops',
      'one_hop',
      'too_few_questions',
      'no_variation',
    ])
    .nullable(),
})
export type MeasuredLevel = z.infer<typeof MeasuredLevel>
