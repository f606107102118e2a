import { z } from 'zod'
import { Identifier } from '../common.ts'

/**
 * winner: one approach is decidedly better than every other one. ahead: the highest is decidedly better than some. others: pairs are decided, but
 * none for the highest. undecided: no pair is. not_comparable: nothing could have been decided.
 */
export const VerdictKind = z.enum(['winner', 'ahead', 'others', 'undecided', 'not_comparable'])
export type VerdictKind = z.infer<typeof VerdictKind>

/** What a dataset run decides on its primary metric. The sentences are the ones that terminal and reports show. */
export const Verdict = z.strictObject({
  dataset: Identifier,
  label: z.string(),
  kind: VerdictKind,
  /** Name of the primary metric; null where the run has none. */
  metric: z.string().nullable(),
  /** Approaches with the highest mean; empty when nothing is comparable. */
  highest: z.array(Identifier),
  /** What the first of them is decidedly better than, and what it cannot be distinguished from. */
  better_than: z.array(Identifier),
  open_with: z.array(Identifier),
  sentences: z.array(z.string()),
})
export type Verdict = z.infer<typeof Verdict>
