import { z } from 'zod'
import { ChunkStrategy } from '../manifests/consumer.ts'

export const ChunkRequest = z
  .strictObject({
    text: z.string().min(1).max(1_000_000),
    strategy: ChunkStrategy.default('recursive'),
    chunk_size: z.int().min(1).max(8192).default(512),
    overlap: z.int().min(0).max(2048).default(64),
    tokenizer: z.string().max(128).default('words'),
    semantic_threshold: z.number().min(0).max(1).default(0.8),
    min_characters_per_sentence: z.int().min(1).max(1000).default(24),
  })
  .refine((value) => value.overlap < value.chunk_size, {
    path: ['overlap'],
    message: 'overlap must be less than chunk_size',
  })
export type ChunkRequest = z.infer<typeof ChunkRequest>

/** A piece of a text: `content` equals `text.slice(start_char, end_char)`. Offsets in UTF-16 units, as JavaScript counts. */
export const Chunk = z.strictObject({
  index: z.int().min(0),
  start_char: z.int().min(0),
  end_char: z.int().min(0),
  content: z.string().min(1),
  token_count: z.int().min(0).nullable(),
  metadata: z.record(z.string(), z.json()),
})
export type Chunk = z.infer<typeof Chunk>

export const ChunkResponse = z.strictObject({
  strategy: ChunkStrategy,
  chunk_size: z.int(),
  overlap: z.int(),
  chunk_count: z.int(),
  chunks: z.array(Chunk),
  metadata: z.looseObject({ tokenizer: z.string(), overlap: z.int(), overlap_applied: z.boolean() }),
})
export type ChunkResponse = z.infer<typeof ChunkResponse>
