import { z } from 'zod'
import { count } from '../../common.ts'
import { runDataset } from './parts.ts'
import { ArtifactDamage } from './runs.ts'

/** One step of keeping the index up with its folders. */
export const IndexChange = z.strictObject({
  revision: count,
  runs: z.array(
    z.strictObject({
      ...runDataset,
      rows_added: count,
      /** Something else than new rows: other artifacts, or the whole dataset run was read again. */
      replaced: z.boolean(),
    }),
  ),
  removed: z.array(z.strictObject(runDataset)),
  /** Files that became unusable in this step. */
  damaged: z.array(z.strictObject({ path: z.string(), damage: ArtifactDamage })),
  /** More changed than one message holds: request everything again. */
  truncated: z.boolean(),
})
export type IndexChange = z.infer<typeof IndexChange>

export const IndexProblem = z.strictObject({
  /** Null when it concerns the index itself. */
  path: z.string().nullable(),
  code: z.enum([
    'missing_file',
    'not_indexed',
    'outdated',
    'hash_differs',
    'rows_differ',
    'counts_differ',
    'damaged_file',
    'damaged_index',
  ]),
  message: z.string(),
})
export type IndexProblem = z.infer<typeof IndexProblem>

/** Describes what `verify` found; the next sync repairs a problem with code `outdated` or `not_indexed`; `damaged_file` is repaired only in the file. */
export const IndexVerification = z.strictObject({
  ok: z.boolean(),
  files: count,
  rows: count,
  bytes: count,
  /** At most 100 of `problem_count`. */
  problems: z.array(IndexProblem),
  problem_count: count,
})
export type IndexVerification = z.infer<typeof IndexVerification>

export const IndexStatus = z.strictObject({
  revision: count,
  runs: count,
  cells: count,
  size_bytes: count,
  folders: z.array(z.string()),
  damaged: z.array(z.strictObject({ path: z.string(), damage: ArtifactDamage })),
})
export type IndexStatus = z.infer<typeof IndexStatus>
