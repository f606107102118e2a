import { z } from 'zod'
import { count, Identifier, SafeRelativePath } from '../common.ts'
import { ChunkerSettings, ChunkStrategy } from '../manifests/consumer.ts'

/** Most chunks in one answer. */
export const MAX_TOLD_CHUNKS = 5000

export const DocumentChunksInput = z.strictObject({
  dataset_id: Identifier,
  path: SafeRelativePath,
  /** Chunks that reach into this part of the text, in UTF-16 units. */
  offset: count.default(0),
  limit: z.int().min(1).max(1_000_000).default(100_000),
  /** States how to cut instead, for a look before it is saved; as the ingestion profile defines when absent. */
  chunker: ChunkerSettings.optional(),
})
export type DocumentChunksInput = z.input<typeof DocumentChunksInput>

/** A chunk and its position; offsets in UTF-16 units of the whole text. Neighbours may overlap. */
export const PlacedChunk = z.strictObject({
  /** From 0, over the whole document. */
  index: count,
  start: count,
  end: count,
  tokens: count.nullable(),
})
export type PlacedChunk = z.infer<typeof PlacedChunk>

/**
 * Describes how the dataset's ingestion profile cuts a document, or why that is unknown. converted: at ingestion another text is made of the file,
 * and that one is cut. too_long: the platform cuts no text of that length for a page. busy: a run holds the platform with another dataset.
 * unavailable: the platform could not be asked.
 */
export const DocumentChunks = z.discriminatedUnion('ok', [
  z.strictObject({
    ok: z.literal(true),
    profile: Identifier,
    strategy: ChunkStrategy,
    /** In characters; in tokens for the strategy token. */
    chunk_size: z.int().min(1),
    overlap: count,
    /** In the whole document. */
    total: count,
    /** Of the part that was asked for, at most `MAX_TOLD_CHUNKS`. */
    chunks: z.array(PlacedChunk).max(MAX_TOLD_CHUNKS),
  }),
  z.strictObject({
    ok: z.literal(false),
    reason: z.enum(['converted', 'too_long', 'busy', 'unavailable']),
    message: z.string(),
  }),
])
export type DocumentChunks = z.infer<typeof DocumentChunks>
