import { z } from 'zod'
import { Sha256 } from '../../common.ts'
import { Name, runDataset } from './parts.ts'

export const SearchInput = z.strictObject({
  /** As in `MatrixFilters.text`. */
  text: z.string().max(400),
  run_id: Name.optional(),
  dataset_id: Name.optional(),
  limit: z.int().min(1).max(100).default(20),
})
export type SearchInput = z.input<typeof SearchInput>

export const SearchHit = z.strictObject({
  found_in: z.enum(['question', 'answer']),
  ...runDataset,
  question_id: Name,
  query: z.string().nullable(),
  /** Of an answer; null for a question, which is shown in the newest run that asked it. */
  model: Name.nullable(),
  row_id: Sha256.nullable(),
  /** Some 200 characters around the first found word. */
  excerpt: z.string(),
})
export type SearchHit = z.infer<typeof SearchHit>

/** Best hits first, questions before answers; `more`: there are further ones. */
export const SearchResults = z.strictObject({ hits: z.array(SearchHit), more: z.boolean() })
export type SearchResults = z.infer<typeof SearchResults>
