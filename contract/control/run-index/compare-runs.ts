import { z } from 'zod'
import { count, Sha256 } from '../../common.ts'
import { CellMetricState, IndexMetric } from './metrics.ts'
import { Name, aliasList } from './parts.ts'

export const CompareRunsInput = z.strictObject({
  /** The first is what the others are compared with. */
  run_ids: z.array(Name).min(1).max(100),
  metric: IndexMetric,
  dataset_id: Name.optional(),
  aliases: aliasList.optional(),
  /** Values that differ by no more are equal. */
  tolerance: z.number().min(0).default(1e-9),
  /** States how many of the changed cells are listed, largest change first. */
  limit: z.int().min(0).max(500).default(100),
})
export type CompareRunsInput = z.input<typeof CompareRunsInput>

/**
 * An alias in one of the compared runs; means over its own questions and over those that all of the compared runs share, of the mean over the answers
 * to each question. `n` counts answers.
 */
const ComparedRun = z.strictObject({
  run_id: Name,
  n: count,
  mean: z.number().nullable(),
  common_mean: z.number().nullable(),
  /** Cells in which it differs from the first run. */
  changed: count,
})

export const ComparedAlias = z.strictObject({
  dataset_id: Name,
  model: Name,
  /** Questions with a value in every run that has this alias; a question whose text or gold was changed is another question. */
  common: count,
  /** Runs that have cells of this alias, in the order asked for. */
  runs: z.array(ComparedRun),
})
export type ComparedAlias = z.infer<typeof ComparedAlias>

export const ChangedCell = z.strictObject({
  dataset_id: Name,
  question_id: Name,
  /** Null where the rows do not record it. */
  query: z.string().nullable(),
  /** Which of the answers to the question, from 1. */
  repeat: z.int().min(1),
  model: Name,
  /** Largest difference between two runs; null when they only differ in having a value. */
  spread: z.number().nullable(),
  /** By place in `run_ids`. */
  values: z.array(z.number().nullable()),
  states: z.array(CellMetricState),
  /** Null where the run has no row of the cell. */
  row_ids: z.array(Sha256.nullable()),
})
export type ChangedCell = z.infer<typeof ChangedCell>

export const RunComparison = z.strictObject({
  metric: IndexMetric,
  better: z.enum(['higher', 'lower']),
  run_ids: z.array(Name),
  /** Of the asked ones, those that the index does not have. */
  unknown_run_ids: z.array(Name),
  aliases: z.array(ComparedAlias),
  changed: z.strictObject({ total: count, cells: z.array(ChangedCell) }),
})
export type RunComparison = z.infer<typeof RunComparison>
