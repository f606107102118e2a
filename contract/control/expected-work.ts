import { z } from 'zod'
import { count, Identifier } from '../common.ts'
import { Cost } from '../manifests/prices.ts'

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
  /** Time of grading an answer in earlier rows; null where none records it. */
  grading_ms: z.number().nullable(),
})
export type WorkOfApproach = z.infer<typeof WorkOfApproach>

/** Time of the answers of a run, and model calls, from earlier rows or a calibration. */
export const ExpectedWork = z.strictObject({
  approaches: z.array(WorkOfApproach),
  /** True where the set has language models, which three calls would tell the pace of. */
  can_calibrate: z.boolean(),
  /** Null when some approach has neither rows nor a calibration. */
  estimated_ms: z.number().nullable(),
  /** Of answers and grades, in a plan also of ingestion and judges. Null when some approach has no row that counts them. Rules count as models, as in every table. */
  model_calls: count.nullable(),
  /** Rows that the estimate rests on. */
  rows: count,
})
export type ExpectedWork = z.infer<typeof ExpectedWork>

/** One kind of work of a run, as it is expected. Nulls are not known; `cost` is null where no model of the part is paid as well. */
export const PlannedPart = z.strictObject({
  part: z.enum(['ingestion', 'answers', 'grading', 'judging']),
  calls: count.nullable(),
  ms: z.number().min(0).nullable(),
  cost: Cost.nullable(),
  /** Earlier runs with these models on this machine, three calls of each model, or `kept`: the work was done before. */
  source: z.enum(['rows', 'calls', 'kept']).nullable(),
})
export type PlannedPart = z.infer<typeof PlannedPart>
