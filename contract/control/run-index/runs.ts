import { z } from 'zod'
import { BaseApproach } from '../../approaches.ts'
import { count, EvidenceCapability, Sha256 } from '../../common.ts'
import { Reproducibility } from '../../evidence/provenance.ts'
import { IndexMetric } from './metrics.ts'
import { Name, notFound } from './parts.ts'

export const IndexedRunKind = z.enum(['canonical', 'historical'])

/**
 * Describes how far the index has followed a file. applied: up to its last complete line. damaged: up to `damage.offset`, where the file has content that
 * cannot be used. copy: another file holds the same dataset run and is indexed instead. listed: only its name and hash are kept.
 */
export const ArtifactState = z.enum(['applied', 'damaged', 'copy', 'listed'])
export type ArtifactState = z.infer<typeof ArtifactState>

/** Describes where a file stops being usable; offset in bytes and line from 1 where the file has lines. */
export const ArtifactDamage = z.strictObject({
  offset: count.nullable(),
  line: z.int().min(1).nullable(),
  message: z.string(),
})
export type ArtifactDamage = z.infer<typeof ArtifactDamage>

export const IndexedArtifact = z.strictObject({
  path: z.string(),
  kind: z.enum(['evidence', 'evaluation', 'matrix', 'judgments']),
  state: ArtifactState,
  /** Of the bytes that the index covers. */
  sha256: Sha256.nullable(),
})
export type IndexedArtifact = z.infer<typeof IndexedArtifact>

const cellCounts = z.strictObject({ ok: count, error: count, timeout: count })

const runDatasetHead = {
  dataset_id: Name,
  label: z.string(),
  complexity_level: z.int().nullable(),
  questions: count,
  cells: cellCounts,
  /** As the aggregate records; null as long as there is none. */
  expected_cells: count.nullable(),
  /** A file of it cannot be used from some byte on. */
  damaged: z.boolean(),
}

export const RunHead = z.strictObject({
  run_id: Name,
  kind: IndexedRunKind,
  /** States when its latest row was finished; null in historical snapshots, which do not record it. */
  last_finished_at: z.iso.datetime().nullable(),
  aliases: count,
  /** In ladder order. */
  datasets: z.array(z.strictObject(runDatasetHead)),
})
export type RunHead = z.infer<typeof RunHead>

export const ListRunsInput = z.strictObject({
  /** Only the run of this name. */
  run_id: Name.optional(),
  limit: z.int().min(1).max(1000).default(100),
  /** `next_cursor` of the page before. */
  cursor: z.string().max(64).optional(),
})

/** Newest run first. */
export const RunList = z.strictObject({
  runs: z.array(RunHead),
  total: count,
  /** Names of all runs, on this page or not, that only published files hold: they came with the project. */
  samples: z.array(Name),
  next_cursor: z.string().nullable(),
})
export type RunList = z.infer<typeof RunList>

const IndexedAlias = z.strictObject({
  model: Name,
  base_model: BaseApproach.nullable(),
  flavor: z.string().nullable(),
  evidence_capability: EvidenceCapability.nullable(),
  cells: cellCounts,
  /** Why it could not be called at all; null when it could. */
  unavailable: z.string().nullable(),
})

const IndexedProvenance = z.strictObject({ sha256: Sha256, cells: count })

export const RunDatasetSummary = z.strictObject({
  ...runDatasetHead,
  aliases: z.array(IndexedAlias),
  /** Metrics that some cell has a value of. */
  metrics: z.array(IndexMetric),
  /** Holds how many rows record equal conditions; more than one where a setting was repaired, or in a run that cannot be summed up. */
  provenance: z.array(IndexedProvenance),
  /** The conditions of the run as its summary states them, with the setting of each model that its answers had. Null when they are too large for this answer; each row has its own. */
  conditions: Reproducibility.nullable(),
  artifacts: z.array(IndexedArtifact),
})
export type RunDatasetSummary = z.infer<typeof RunDatasetSummary>

export const RunSummary = z.strictObject({
  run_id: Name,
  kind: IndexedRunKind,
  datasets: z.array(RunDatasetSummary),
})
export type RunSummary = z.infer<typeof RunSummary>

export const RunSummaryOutcome = z.union([z.strictObject({ ok: z.literal(true), summary: RunSummary }), notFound])
export type RunSummaryOutcome = z.infer<typeof RunSummaryOutcome>
