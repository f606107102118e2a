import { z } from 'zod'
import { BaseApproach } from '../approaches.ts'
import { Identifier } from '../common.ts'
import { IngestionProvenance } from './provenance.ts'
import { ServerMetrics } from './rag-extension.ts'

const cellHead = {
  query_id: Identifier,
  model: Identifier,
  /** Absent for the first answer to a question, which is the one that judges read. */
  repeat: z.int().min(2).optional(),
  base_model: BaseApproach,
  flavor: Identifier.nullable(),
  requires_reingest: z.boolean(),
  /** Seconds, one decimal. */
  latency_s: z.number().min(0),
}

export const MatrixCell = z.discriminatedUnion('ok', [
  z.strictObject({
    ...cellHead,
    ok: z.literal(true),
    raw: z.string(),
    answer: z.string(),
    sources: z.array(z.strictObject({ title: z.string(), score: z.number().nullable() })),
    metrics: ServerMetrics.nullable(),
    approach_metadata: z.record(z.string(), z.json()).optional(),
  }),
  z.strictObject({ ...cellHead, ok: z.literal(false), error: z.string() }),
])
export type MatrixCell = z.infer<typeof MatrixCell>

/** `-matrix.json`: the answers in a plain table, also what the judges read. */
export const Matrix = z.strictObject({
  schema_version: z.literal(1),
  run_id: Identifier,
  dataset_id: Identifier,
  models: z.array(Identifier),
  queries: z.array(
    z.strictObject({
      id: Identifier,
      query: z.string(),
      ground_truth: z.string().nullable(),
      rationale: z.string().nullable(),
      expect_winner: z.string().nullable(),
    }),
  ),
  /** Absent in historical snapshots. */
  ingestion: IngestionProvenance.nullable().optional(),
  cells: z.array(MatrixCell),
})
export type Matrix = z.infer<typeof Matrix>

/** Historical snapshots carry fewer fields; what is there is read, nothing is added. */
export const HistoricalMatrix = z.looseObject({
  cells: z.array(z.looseObject({ query_id: z.string(), model: z.string(), ok: z.boolean() })),
})
export type HistoricalMatrix = z.infer<typeof HistoricalMatrix>

const optionalNumber = z.number().min(0).optional().catch(undefined)

/** Describes what an old cell may have besides its key; fields of another type count as absent. */
export const HistoricalCell = z.looseObject({
  query_id: z.string(),
  model: z.string(),
  ok: z.boolean(),
  base_model: z.string().optional().catch(undefined),
  flavor: z.string().nullish().catch(undefined),
  latency_s: optionalNumber,
  metrics: z
    .looseObject({
      seconds: optionalNumber,
      chunks: optionalNumber,
      llm_calls: optionalNumber,
      cloud_calls: optionalNumber,
    })
    .nullish()
    .catch(undefined),
  evaluation: z
    .looseObject({ scores: z.record(z.string(), z.unknown()) })
    .nullish()
    .catch(undefined),
})
