import { z } from 'zod'
import { count, Identifier } from '../common.ts'

/** States what one answer of an approach takes, by earlier rows of the same model set on this machine, else by a calibration; nulls where there is neither. */
export const WorkOfApproach = z.strictObject({
  alias: Identifier,
  rows: count,
  /** True where it comes from three calls of each model on this machine, because there is no such row. */
  calibrated: z.boolean(),
  latency_ms: z.number().nullable(),
  /** Calls of models for an answer, and for its grades. */
  answer_calls: z.number().nullable(),
  grading_calls: z.number().nullable(),
})
export type WorkOfApproach = z.infer<typeof WorkOfApproach>

/** Time and model calls of the cells of a run, from earlier rows or a calibration. Ingestion and judges are not part of it. */
export const ExpectedWork = z.strictObject({
  approaches: z.array(WorkOfApproach),
  /** True where the set has language models, which three calls would tell the pace of. */
  can_calibrate: z.boolean(),
  /** Null when some approach has neither rows nor a calibration. */
  estimated_ms: z.number().nullable(),
  /** Null when some approach has no row that counts them. Rules count as models, as in every table. */
  model_calls: count.nullable(),
  /** Rows that the estimate rests on. */
  rows: count,
})
export type ExpectedWork = z.infer<typeof ExpectedWork>
