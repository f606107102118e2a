import { z } from 'zod'

/** A graded metric or a judge of a run that gave no value for any answer, or for some, and why. The rest of the run is scored without it. */
export const MissingColumn = z.strictObject({
  kind: z.enum(['metric', 'judge']),
  /** The metric's id, or the judge's name. */
  name: z.string(),
  /** In words; may hold those of a service. */
  cause: z.string(),
  /** Answers that the evaluator failed, of those that it could have scored; absent where it scored none. */
  answers: z.strictObject({ missing: z.int().min(1), of: z.int().min(1) }).optional(),
})
export type MissingColumn = z.infer<typeof MissingColumn>
