import { z } from 'zod'
import { count } from '../../common.ts'
import { Name } from './parts.ts'

export const TrendInput = z.strictObject({
  /** The run that others are compared with. */
  run_id: Name,
  dataset_id: Name,
})
export type TrendInput = z.infer<typeof TrendInput>

/** Why the means of two runs of a dataset cannot be joined by a line. */
export const TrendDifference = z.enum(['questions', 'corpus', 'corpus_unknown'])
export type TrendDifference = z.infer<typeof TrendDifference>

export const TrendRun = z.strictObject({
  run_id: Name,
  /** States when its latest row of the dataset was finished; null in historical snapshots. */
  at: z.iso.datetime().nullable(),
  questions: count,
  /** Questions that the run and the compared one both ask, in the same words with the same gold. */
  shared_questions: count,
  /** Digests of what was ingested; empty where the rows do not record it. */
  corpora: z.array(z.string()),
  model_sets: z.array(z.string()),
  /** Empty for a run of the same questions on the same documents. */
  differs: z.array(TrendDifference),
})
export type TrendRun = z.infer<typeof TrendRun>

/** Runs of one dataset through time, oldest first: those that compare with the asked run, itself included, and the others. At most 20 of each, the newest. */
export const RunTrend = z.strictObject({
  run_id: Name,
  dataset_id: Name,
  label: z.string(),
  comparable: z.array(TrendRun),
  apart: z.array(TrendRun),
  /** Runs of the dataset that are in neither list. */
  older: count,
})
export type RunTrend = z.infer<typeof RunTrend>
