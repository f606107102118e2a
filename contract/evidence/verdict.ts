import { z } from 'zod'
import { count, Identifier } from '../common.ts'
import { MissingColumn } from './missing-column.ts'

/**
 * Describes what the tests of a dataset run show on its primary metric.
 * winner: one approach is better than every other one. tied: some approach is worse than another, and several share the top, or the top is open
 * against some. ceiling, floor: all approaches have the best, or the worst, possible value. equivalent: every pair is equivalent within the margin.
 * open: pairs were tested and none is decided. too_few: no pair could be tested. partly_failed: an approach failed a tenth of its answers or more.
 * unlike_text: some approach leads, but handed over other amounts of text than those below it, and no hybrid of its amount was compared.
 * tuned: some approach leads, but its settings were chosen on some of the run's questions.
 * not_comparable: there is no second approach, no common question or no metric.
 */
export const VerdictKind = z.enum([
  'winner',
  'tied',
  'ceiling',
  'floor',
  'equivalent',
  'open',
  'too_few',
  'partly_failed',
  'unlike_text',
  'tuned',
  'not_comparable',
])
export type VerdictKind = z.infer<typeof VerdictKind>

/** Describes what to do next. The label is for a button, the text for a report; `page` is where the panel does it, for the run and dataset of the verdict. */
export const NextStep = z.strictObject({
  kind: z.enum([
    'read_differences',
    'plan_questions',
    'add_questions',
    'add_gold',
    'check_dataset',
    'retry_failures',
    'new_run',
    'wait',
  ]),
  label: z.string(),
  text: z.string(),
  page: z.enum(['/matrix', '/datasets', '/coverage', '/launch', '/ladder']),
  run_id: Identifier,
  dataset_id: Identifier,
})
export type NextStep = z.infer<typeof NextStep>

/** Describes what an approach did besides the primary metric. Null: no row records it. */
export const ApproachBehaviour = z.strictObject({
  model: Identifier,
  /** On the primary metric; null where it has no score. */
  mean: z.number().nullable(),
  /** Answers asked for, and what became of them. */
  expected: count,
  failed: count,
  timeouts: count,
  /** Scored answers to unanswerable questions, and those of them that claimed an answer. */
  unanswerable: z.strictObject({ scored: count, answered: count }).nullable(),
  /** Answers to answerable questions that refuse. */
  refused: count.nullable(),
  /** Medians and means per answer. */
  latency_ms: z.number().nullable(),
  llm_calls: z.number().nullable(),
  total_tokens: z.number().nullable(),
  /** Median tokens of the text that answers were written from. */
  context_tokens: z.number().nullable(),
})
export type ApproachBehaviour = z.infer<typeof ApproachBehaviour>

/** Describes what a dataset run shows on its primary metric. Every surface shows these sentences and no others about it. */
export const Verdict = z.strictObject({
  dataset: Identifier,
  label: z.string(),
  kind: VerdictKind,
  /** Name of the primary metric; null where the run has none. */
  metric: z.string().nullable(),
  /** Scored questions; null where nothing compares. */
  questions: count.nullable(),
  /**
   * Approaches that no test found worse than another one: those within the margin of equivalence of the highest mean, the cheapest first, then the fastest; then those
   * further behind. Empty where no pair was tested.
   */
  top: z.array(Identifier),
  /** The others, which a test found worse than some approach. */
  worse: z.array(Identifier),
  /** At most 14 words. */
  headline: z.string(),
  why: z.string(),
  recommendation: z.string().nullable(),
  next: NextStep,
  /** Behaviour, failures, amounts of text and changes of order, a sentence each. */
  notes: z.array(z.string()),
  /** Graded metrics and judges without a single value; absent where there is none. */
  missing: z.array(MissingColumn).optional(),
  behaviour: z.array(ApproachBehaviour),
  /** All of it for a text: headline with dataset, why, recommendation, notes, next step. */
  sentences: z.array(z.string()),
})
export type Verdict = z.infer<typeof Verdict>

/** The verdict in aggregates of before, which is kept as it was written. Every surface makes its verdict from the figures. */
export const FormerVerdict = z.strictObject({
  dataset: Identifier,
  label: z.string(),
  kind: z.enum(['winner', 'ahead', 'others', 'undecided', 'not_comparable']),
  metric: z.string().nullable(),
  highest: z.array(Identifier),
  better_than: z.array(Identifier),
  open_with: z.array(Identifier),
  sentences: z.array(z.string()),
})
