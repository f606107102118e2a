import { z } from 'zod'
import { Identifier } from '../common.ts'

/** The eight phases of an ingestion job, in order. */
export const INGESTION_PHASES = [
  'discover',
  'parse',
  'chunk',
  'embed',
  'vector_write',
  'graph_upload',
  'drain',
  'finalize',
] as const
export const IngestionPhase = z.enum(INGESTION_PHASES)
export type IngestionPhase = z.infer<typeof IngestionPhase>

export const IngestionStatus = z.enum(['pending', 'running', 'completed', 'failed', 'cancelled'])
export type IngestionStatus = z.infer<typeof IngestionStatus>

export const IngestionRequest = z.strictObject({
  profile: z.string().min(1).max(128),
  corpus_path: z.string().min(1).max(1024).optional(),
})
export type IngestionRequest = z.infer<typeof IngestionRequest>

export const IngestionAccepted = z.looseObject({
  ingestion_id: z.string(),
  job_id: z.string().nullable(),
  status: IngestionStatus,
  message: z.string(),
  task: z.literal('rag_ingestion'),
  /** True when a completed job of the same corpus and profile stands, so that nothing is worked on. Platforms of earlier versions leave it out. */
  unchanged: z.boolean().optional(),
})
export type IngestionAccepted = z.infer<typeof IngestionAccepted>

export const IngestionError = z.looseObject({
  phase: z.string(),
  message: z.string(),
  file: z.string().nullable(),
  service: z.string().nullable(),
  http_status: z.int().nullable(),
  body: z.string().nullable(),
})
export type IngestionError = z.infer<typeof IngestionError>

export const IngestionPhaseRecord = z.looseObject({
  name: IngestionPhase,
  status: z.enum(['pending', 'running', 'completed', 'failed', 'cancelled', 'skipped']),
  started_at: z.string().nullable(),
  ended_at: z.string().nullable(),
  duration_ms: z.number().nullable(),
  counts: z.record(z.string(), z.number()),
  note: z.string().nullable(),
  error: z.string().nullable(),
})
export type IngestionPhaseRecord = z.infer<typeof IngestionPhaseRecord>

/** A durable ingestion job as `/api/rag/ingestions/{id}` shows it. */
export const IngestionRecord = z.looseObject({
  id: z.string(),
  consumer: Identifier,
  profile: Identifier,
  revision: z.string(),
  idempotency_key: z.string(),
  status: IngestionStatus,
  phases: z.array(IngestionPhaseRecord),
  counts: z.record(z.string(), z.number()),
  errors: z.array(IngestionError),
  content_digest: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  cancel_requested: z.boolean(),
  corpus: z.looseObject({ source: z.string(), path: z.string() }),
  profile_snapshot: z.looseObject({ revision: z.string() }),
})
export type IngestionRecord = z.infer<typeof IngestionRecord>
