import { z } from 'zod'
import { count, Identifier, PrimaryMetric, Sha256 } from '../common.ts'
import { MissingColumn } from '../evidence/missing-column.ts'
import { Verdict } from '../evidence/verdict.ts'
import { Name } from './run-index/parts.ts'
import { IndexedRunKind, ListRunsInput } from './run-index/runs.ts'
import { RunFailure, RunState } from './run-job.ts'

// Runs as a person manages them: the list with everything in it, notes, exports, and the trash. Notes and trash are in the state folder, never in the evidence.

const Tag = z.string().trim().min(1).max(40)

/** Describes what a person wrote about a run. */
export const RunNote = z.strictObject({
  /** Shown beside the run's id, which never changes; empty where the person gave none. */
  label: z.string().trim().max(80),
  starred: z.boolean(),
  tags: z.array(Tag).max(12),
  note: z.string().max(4000),
})
export type RunNote = z.infer<typeof RunNote>

/** Describes what a person wrote about a cell. */
export const CellNote = z.strictObject({ flagged: z.boolean(), note: z.string().max(4000) })
export type CellNote = z.infer<typeof CellNote>

/** A run's note, or the changed part of it. */
export const AnnotateRunInput = z.strictObject({ run_id: Name, ...RunNote.partial().shape })

export const AnnotateCellInput = z.strictObject({ run_id: Name, row_id: Sha256, ...CellNote.shape })

/** Cells with a flag or a note, by row id. */
export const CellNotes = z.strictObject({ cells: z.array(z.strictObject({ row_id: Sha256, ...CellNote.shape })) })
export type CellNotes = z.infer<typeof CellNotes>

/** Describes what the index knows of a run beyond its head. */
export const RunFacts = z.strictObject({
  run_id: Name,
  models: z.array(Name),
  /** Sets that its rows name; more than one in a run that cannot be summed up. */
  model_sets: z.array(z.string()),
  /** Declared before the first cell, else the first that the run has; null where it has none. */
  primary_metric: PrimaryMetric.nullable(),
  /** Sums each dataset up in a line; none of a dataset without a summary, or with one of an earlier form. */
  verdicts: z.array(z.strictObject({ dataset_id: Name, ...Verdict.pick({ kind: true, headline: true }).shape })),
  /** True when some of its files are working artifacts, not published ones. */
  has_working_files: z.boolean(),
})
export type RunFacts = z.infer<typeof RunFacts>

export const RunFactsInput = z.strictObject({ run_ids: z.array(Name).max(200) })

/** A run of the index, of the engine's journal, or of both. */
export const ListedRun = z.strictObject({
  ...RunFacts.omit({ has_working_files: true }).shape,
  /** Null before its first row. */
  kind: IndexedRunKind.nullable(),
  /** Null for a run that this engine did not make. */
  state: RunState.nullable(),
  failures: z.array(RunFailure).max(50),
  /** Graded metrics and judges without a single value; absent where there is none. */
  missing: z.array(MissingColumn).optional(),
  /** States when its last row was finished, else when it ended or was created; null in historical snapshots. */
  at: z.iso.datetime().nullable(),
  datasets: z.array(z.strictObject({ dataset_id: Name, label: z.string(), questions: count, damaged: z.boolean() })),
  cells: z.strictObject({ ok: count, failed: count }),
  /** It came with the project: only published files hold it, and this engine did not make it. */
  sample: z.boolean(),
  note: RunNote,
  /** Why it cannot be moved to the trash; null when it can. */
  kept: z.enum(['published', 'under_way']).nullable(),
})
export type ListedRun = z.infer<typeof ListedRun>

export const RunOverviewInput = ListRunsInput.extend({ limit: z.int().min(1).max(200).default(50) })

/** Newest first. Runs without a row are on the page of their time. */
export const RunOverview = z.strictObject({
  runs: z.array(ListedRun),
  total: count,
  next_cursor: z.string().nullable(),
})
export type RunOverview = z.infer<typeof RunOverview>

/** A run that was opened from a bundle. */
export const ImportedRun = z.strictObject({ run_id: Identifier, dataset_ids: z.array(Identifier) })
export type ImportedRun = z.infer<typeof ImportedRun>

/** An entry of the trash: a run that was removed, or what its cold reset replaced. */
export const RemovedRun = z.strictObject({
  trash_id: z.string().max(600),
  run_id: Identifier,
  removed_at: z.iso.datetime(),
  /** `collections`: what the embedded platform had made for a dataset of the run. */
  why: z.enum(['removed', 'cold_reset', 'collections']).default('removed'),
  files: count,
  size_bytes: count,
})
export type RemovedRun = z.infer<typeof RemovedRun>

export const ExportInput = z.strictObject({
  run_id: z.string().min(1).max(512),
  /** All datasets of the run when absent. */
  dataset_id: z.string().min(1).max(512).optional(),
})
export type ExportInput = z.infer<typeof ExportInput>

/** A file in pieces that fit into messages: put the texts together in order. `end` comes last and only when the file is whole. */
export const ExportChunk = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('begin'), file_name: z.string(), media_type: z.string() }),
  z.strictObject({ type: z.literal('text'), text: z.string() }),
  z.strictObject({ type: z.literal('end'), size_bytes: z.int().min(0), sha256: Sha256 }),
])
export type ExportChunk = z.infer<typeof ExportChunk>
