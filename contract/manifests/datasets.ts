import { z } from 'zod'
import { Identifier, SafeRelativePath, Sha256, versioned } from '../common.ts'

/** What the last publication of a dataset left in `docs/results/`; written by `publish`, no part of the configuration hash. */
export const PublishedRun = z.strictObject({
  run_id: Identifier,
  ingestion: z
    .strictObject({ job_id: z.string(), profile: Identifier, revision: z.string(), content_digest: z.string() })
    .nullable(),
  artifacts: z.array(z.strictObject({ file: SafeRelativePath, sha256: Sha256 })),
})
export type PublishedRun = z.infer<typeof PublishedRun>

export const Dataset = z.strictObject({
  id: Identifier,
  label: z.string().min(1),
  description: z.string(),
  /** The rung: 1 is flat text; higher is more relational. */
  complexity_level: z.int().min(0).max(99),
  corpus_path: SafeRelativePath,
  queries_file: SafeRelativePath,
  ingestion_profile: Identifier,
  published: PublishedRun.optional(),
})
export type Dataset = z.infer<typeof Dataset>

/** `manifests/datasets.yaml`: the ladder. */
export const DatasetCatalogue = versioned({
  datasets: z
    .array(Dataset)
    .min(1)
    .refine((items) => new Set(items.map((item) => item.id)).size === items.length, 'dataset ids must be unique'),
})
export type DatasetCatalogue = z.infer<typeof DatasetCatalogue>
