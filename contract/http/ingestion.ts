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
  /** False leaves out the graph phases, for approaches that do not read the graph; our platform's own addition. */
  graph: z.boolean().optional(),
  /** True makes a job again whose graph lacks documents that could not be extracted; our platform's own addition. */
  retry: z.boolean().optional(),
})
export type IngestionRequest = z.infer<typeof IngestionRequest>

/** Null for what a platform leaves out or sends as null. */
const orNull = <Schema extends z.ZodType>(schema: Schema) => schema.nullish().transform((value) => value ?? null)
const counts = z
  .record(z.string(), z.number())
  .nullish()
  .transform((value) => value ?? {})

export const IngestionAccepted = z.looseObject({
  ingestion_id: z.string(),
  job_id: orNull(z.string()),
  status: IngestionStatus,
  message: z
    .string()
    .nullish()
    .transform((message) => message ?? ''),
  task: orNull(z.string()),
  /** True when a completed job of the same corpus and profile exists, so that there is nothing to do. Platforms of earlier versions leave it out. */
  unchanged: z
    .boolean()
    .nullish()
    .transform((unchanged) => unchanged ?? undefined),
})
export type IngestionAccepted = z.infer<typeof IngestionAccepted>

export const IngestionError = z.looseObject({
  phase: z
    .string()
    .nullish()
    .transform((phase) => phase ?? 'unknown'),
  message: z.string(),
  file: orNull(z.string()),
  service: orNull(z.string()),
  http_status: orNull(z.int()),
  body: orNull(z.string()),
})
export type IngestionError = z.infer<typeof IngestionError>

/** Describes how far a phase has come that works through a known number of files, documents or chunks; our platform's own addition. */
export const PhaseProgress = z.looseObject({
  done: z.number(),
  total: z.number(),
  per_second: z.number().nullable(),
  /** At the rate so far. */
  seconds_left: z.number().nullable(),
})
export type PhaseProgress = z.infer<typeof PhaseProgress>

/** Most warnings that a record lists one by one. */
export const MOST_DOCUMENT_WARNINGS = 500

/** Describes what a reader left out of a document, or could not read as it is; our platform's own addition. */
export const DocumentWarning = z.looseObject({ file: z.string(), sha256: z.string(), message: z.string() })
export type DocumentWarning = z.infer<typeof DocumentWarning>

export const IngestionPhaseRecord = z.looseObject({
  /** Some platforms name the upload after the product that their graph engine is. */
  name: z.preprocess(
    (name) => (typeof name === 'string' && /^[a-z]+_upload$/.test(name) ? 'graph_upload' : name),
    IngestionPhase,
  ),
  status: z.enum(['pending', 'running', 'completed', 'failed', 'cancelled', 'skipped']),
  started_at: orNull(z.string()),
  ended_at: orNull(z.string()),
  duration_ms: orNull(z.number()),
  counts,
  document_warnings: z.array(DocumentWarning).optional(),
  progress: PhaseProgress.optional(),
  note: orNull(z.string()),
  error: orNull(z.string()),
})
export type IngestionPhaseRecord = z.infer<typeof IngestionPhaseRecord>

/**
 * A durable ingestion job as `/api/rag/ingestions/{id}` shows it. The specification promises id, profile, revision, digest and phases; a platform
 * may leave out the rest.
 */
export const IngestionRecord = z.looseObject({
  id: z.string(),
  consumer: orNull(Identifier),
  profile: Identifier,
  revision: z.string(),
  idempotency_key: orNull(z.string()),
  status: IngestionStatus,
  phases: z
    .array(IngestionPhaseRecord)
    .nullish()
    .transform((phases) => phases ?? []),
  counts,
  errors: z
    .array(IngestionError)
    .nullish()
    .transform((errors) => errors ?? []),
  /** Holds what a person must know of a job that did not fail; our platform's own addition. */
  warnings: z
    .array(z.string())
    .nullish()
    .transform((warnings) => warnings ?? []),
  content_digest: z.string(),
  created_at: orNull(z.string()),
  updated_at: orNull(z.string()),
  cancel_requested: z
    .boolean()
    .nullish()
    .transform((requested) => requested ?? false),
  corpus: orNull(z.looseObject({ source: z.string(), path: z.string() })),
  profile_snapshot: orNull(z.looseObject({ revision: z.string() })),
  /** False where the job left out the graph phases, as it was asked to; our platform's own addition. */
  graph: z.boolean().optional(),
  /** True makes a job again whose graph lacks documents that could not be extracted; our platform's own addition. */
  retry: z.boolean().optional(),
})
export type IngestionRecord = z.infer<typeof IngestionRecord>
