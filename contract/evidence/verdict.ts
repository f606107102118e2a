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

/** A verdict with its first statement apart from the rest, for a page that shows it first. Never stored: it follows from the same figures. */
export const ReadVerdict = Verdict.extend({
  /** Who is ahead of whom by how much, with the interval, or that nothing is decided. */
  headline: z.string(),
  /** `98 scored questions`; null where nothing compares. */
  questions: z.string().nullable(),
  /** What the sentences report beside that. */
  details: z.array(z.string()),
})
export type ReadVerdict = z.infer<typeof ReadVerdict>
