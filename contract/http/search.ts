import { z } from 'zod'
import { Identifier } from '../common.ts'

/** `POST /api/rag/search`: one hybrid search over a collection, as the approaches do it, without an answer. */
export const SearchRequest = z.strictObject({
  collection: Identifier,
  query: z.string().min(1).max(8000),
  /** 0 is keyword only, 1 is dense only. */
  alpha: z.number().min(0).max(1).default(0.5),
  limit: z.int().min(1).max(200).default(10),
  fusion: z.enum(['relative_score', 'ranked']).default('relative_score'),
})

/** Best first; a leg that did not rank a chunk has null. */
export const SearchResponse = z.looseObject({
  collection: Identifier,
  hits: z.array(
    z.looseObject({
      document: z.string(),
      chunk_index: z.int().min(0),
      start_char: z.int().min(0),
      end_char: z.int().min(0),
      content: z.string(),
      score: z.number(),
      dense_score: z.number().nullable(),
      keyword_score: z.number().nullable(),
    }),
  ),
})
export type SearchResponse = z.infer<typeof SearchResponse>
