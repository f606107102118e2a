import { z } from 'zod'

/** A graded metric or a judge of a run that gave no value for any answer, and why. The rest of the run is scored without it. */
export const MissingColumn = z.strictObject({
  kind: z.enum(['metric', 'judge']),
  /** The metric's id, or the judge's name. */
  name: z.string(),
  /** In words; may hold those of a service. */
  cause: z.string(),
})
export type MissingColumn = z.infer<typeof MissingColumn>
