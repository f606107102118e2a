import { hash } from 'node:crypto'
import { z } from 'zod'
import { canonicalJson } from '../../../core/canonical-json.ts'
import type { Derivation } from '../../../contract/evidence/derivation.ts'
import {
  INGESTION_PHASES,
  IngestionError,
  IngestionPhaseRecord,
  IngestionRecord,
  IngestionStatus,
} from '../../../contract/http/ingestion.ts'
import { IngestionProfile } from '../../../contract/manifests/consumer.ts'

/** The part of a job that its worker writes. */
export const JobProgress = z.object({
  phases: z.array(IngestionPhaseRecord),
  errors: z.array(IngestionError),
  warnings: z.array(z.string()).optional(),
})
export type JobProgress = z.infer<typeof JobProgress>

/** Describes what a submission fixes: the job is run by this, whatever the registry holds later. */
export const JobOrder = z.object({
  revision: z.string(),
  /** Empty until the run has read a corpus that was too large to be read in the request. */
  contentDigest: z.string(),
  corpusPath: z.string(),
  profile: IngestionProfile,
  /** False: the graph phases are left out until a submission asks for them. */
  graph: z.boolean().default(true),
})
export type JobOrder = z.infer<typeof JobOrder>

/** A job as the database has it. Times in milliseconds since 1970. */
export interface Job {
  seq: number
  id: string
  consumer: string
  collection: string
  idempotencyKey: string
  status: IngestionStatus
  cancelRequested: boolean
  executions: number
  createdMs: number
  updatedMs: number
  order: JobOrder
  progress: JobProgress
}

export type NewJob = Pick<Job, 'id' | 'consumer' | 'collection' | 'idempotencyKey' | 'order'>

/** All phases still to come, no errors. */
export const freshProgress = (): JobProgress => ({
  phases: INGESTION_PHASES.map((name) => ({
    name,
    status: 'pending',
    started_at: null,
    ended_at: null,
    duration_ms: null,
    counts: {},
    note: null,
    error: null,
  })),
  errors: [],
})

/** An error of a job without a file or service. */
export const jobError = (phase: string, message: string): IngestionError => ({
  phase,
  message,
  file: null,
  service: null,
  http_status: null,
  body: null,
})

export const isTerminal = (status: IngestionStatus): boolean => status !== 'pending' && status !== 'running'

/** A job in the shape of `/api/rag/ingestions/{id}`; `collection`, `executions` and `graph` are additive. */
export function toRecord(job: Job): IngestionRecord {
  const { revision, contentDigest, corpusPath, profile, graph } = job.order
  return {
    id: job.id,
    consumer: job.consumer,
    profile: profile.name,
    revision,
    idempotency_key: job.idempotencyKey,
    status: job.status,
    phases: job.progress.phases,
    counts: Object.assign({}, ...job.progress.phases.map(({ counts }) => counts)) as Record<string, number>,
    errors: job.progress.errors,
    warnings: job.progress.warnings ?? [],
    content_digest: contentDigest,
    created_at: new Date(job.createdMs).toISOString(),
    updated_at: new Date(job.updatedMs).toISOString(),
    cancel_requested: job.cancelRequested,
    corpus: { source: profile.corpus.source, path: corpusPath },
    profile_snapshot: { revision, ...profile },
    collection: job.collection,
    executions: job.executions,
    graph,
  }
}

/** Revision of a profile: SHA-256 of its normalized form, defaults filled in and keys sorted. */
export function profileRevision(profile: IngestionProfile): string {
  return hash('sha256', canonicalJson(IngestionProfile.parse(profile)))
}

/** Equal for submissions of the same work: consumer, profile revision and corpus content. */
export function idempotencyKey(consumer: string, revision: string, contentDigest: string): string {
  return hash('sha256', canonicalJson({ consumer, revision, content_digest: contentDigest }))
}

/** Version of the code that cuts documents into chunks and embeds them by rules; raised when either gives something else for the same input. */
export const CHUNKS_CODE = 'chunks 1'

/** Returns what makes a profile's chunks and vectors. The rest of a profile, such as its types of entities, changes neither. */
export const chunksDerivation = (
  { chunker, parser_order: parsers }: IngestionProfile,
  contentDigest: string,
  embedding: string,
): Derivation => ({
  artefact: 'chunks',
  input: contentDigest,
  code: CHUNKS_CODE,
  embedding,
  chunking: chunker,
  parsers,
})

/** Digest that a collection carries: equal for equal records. */
export const collectionDigest = (derivation: Derivation): string => hash('sha256', canonicalJson(derivation))
