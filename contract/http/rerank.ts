import { z } from 'zod'

/** Sets how many texts the reranker takes in one call. */
export const RERANK_MAX_BATCH = 32

/** Null is the default, false. */
const flag = z
  .boolean()
  .nullish()
  .transform((value) => value ?? false)

export const RerankRequest = z.looseObject({
  query: z.string().min(1),
  texts: z.array(z.string()),
  raw_scores: flag,
  return_text: flag,
  truncate: flag,
  /** In either letter case, as TEI takes it. */
  truncation_direction: z
    .string()
    .nullish()
    .transform((direction) => (direction ?? 'right').toLowerCase())
    .pipe(z.enum(['left', 'right'])),
})

/** Sorted by score, best first; `score` is a probability unless `raw_scores` was asked for. */
export const RerankResponse = z.array(
  z.looseObject({ index: z.int().min(0), score: z.number(), text: z.string().optional() }),
)
export type RerankResponse = z.infer<typeof RerankResponse>

export const TeiError = z.looseObject({ error: z.string(), error_type: z.string() })

/** Bounds of a request to the graph engine's rerank adapter. Lengths in characters. */
export const RERANK_ADAPTER_LIMITS = { query: 8000, documents: 512, document: 32_000 } as const

/** `POST /graph-engine/rerank`; unknown fields, and the model, are ignored. */
export const RerankAdapterRequest = z.looseObject({
  query: z.string().min(1).max(RERANK_ADAPTER_LIMITS.query),
  documents: z.array(z.string().max(RERANK_ADAPTER_LIMITS.document)).max(RERANK_ADAPTER_LIMITS.documents),
  /** States how many of the best are answered; all when absent. */
  top_n: z.int().min(1).max(RERANK_ADAPTER_LIMITS.documents).nullish(),
  model: z.string().nullish(),
  return_documents: z
    .boolean()
    .nullish()
    .transform((given) => given ?? false),
})

/** Sorted by score, best first, equal scores by index. `index` is that of the request's document. */
export const RerankAdapterResponse = z.looseObject({
  results: z.array(
    z.looseObject({
      index: z.int().min(0),
      relevance_score: z.number(),
      document: z.looseObject({ text: z.string() }).nullable(),
    }),
  ),
})
export type RerankAdapterResponse = z.infer<typeof RerankAdapterResponse>
