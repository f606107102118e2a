import { z } from 'zod'
import { Identifier } from '../common.ts'

/** `GET /rag/health`: which profile the plugin serves and which aliases can answer now. */
export const RagHealth = z.looseObject({
  status: z.string(),
  profile: Identifier.nullable(),
  /** Collections that answers are found in; a platform need not show them. */
  collections: z.looseObject({ plain: z.looseObject({ content_digest: z.string() }).nullish() }).nullish(),
  aliases: z.array(z.looseObject({ alias: Identifier, available: z.boolean(), reason: z.string().nullable() })),
})
export type RagHealth = z.infer<typeof RagHealth>

/** Answer of `POST /rag/contextual/build`. `blurbs` counts the model calls that were paid now; 0 when `reused`. */
export const ContextualBuild = z.looseObject({
  collection: z.string(),
  chunks: z.int().min(0),
  blurbs: z.int().min(0),
  /** Chunks that are indexed without a context because its call failed, and how the first of them failed; the next build asks for them again. */
  failed: z.int().min(0).optional(),
  failure: z.string().nullish(),
  content_digest: z.string(),
  reused: z.boolean(),
  /** States what was wrong with the collection that was there before, with its file; absent where it was intact. */
  damage: z.string().optional(),
  seconds: z.number().min(0),
})
export type ContextualBuild = z.infer<typeof ContextualBuild>

/** Answer of `POST /rag/tree/build`. `summaries` counts the model calls that were paid now; 0 when `reused`. */
export const TreeBuild = z.looseObject({
  collection: z.string(),
  chunks: z.int().min(0),
  layers: z.int().min(0),
  summaries: z.int().min(0),
  cached_summaries: z.int().min(0),
  /** Clusters without a summary because its call failed, and how the first of them failed; the next build asks for them again. */
  failed: z.int().min(0),
  failure: z.string().nullable(),
  content_digest: z.string(),
  reused: z.boolean(),
  seconds: z.number().min(0),
})
export type TreeBuild = z.infer<typeof TreeBuild>
