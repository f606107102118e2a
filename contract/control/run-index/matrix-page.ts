import { z } from 'zod'
import { BaseApproach } from '../../approaches.ts'
import { count, EvidenceCapability, Sha256 } from '../../common.ts'
import { CellStatus } from '../../evidence/canonical-row.ts'
import { EvaluationStatus } from '../../evidence/evaluation-result.ts'
import { InconclusiveReason } from '../../evidence/judgments.ts'
import { CellMetricState, IndexMetric } from './metrics.ts'
import { aliasList, counts, Name, notFound, runDataset } from './parts.ts'

export const MatrixSort = z.discriminatedUnion('by', [
  /** The order of the questions file once there is an aggregate; before that, the order of the rows. */
  z.strictObject({ by: z.literal('position'), descending: z.boolean().default(false) }),
  z.strictObject({ by: z.literal('question_id'), descending: z.boolean().default(false) }),
  z.strictObject({ by: z.literal('hops'), descending: z.boolean().default(false) }),
  /** The metric's value of one alias. */
  z.strictObject({ by: z.literal('value'), alias: Name, descending: z.boolean().default(false) }),
  /** Mean over the shown aliases. */
  z.strictObject({ by: z.literal('mean'), descending: z.boolean().default(false) }),
  /** Largest minus smallest value among the shown aliases. */
  z.strictObject({ by: z.literal('spread'), descending: z.boolean().default(true) }),
])
export type MatrixSort = z.input<typeof MatrixSort>

/** Questions that meet all conditions; a condition on cells is met when one shown cell meets it. */
export const MatrixFilters = z.strictObject({
  states: z.array(CellMetricState).min(1).optional(),
  /** Null: questions whose author did not count the hops. */
  hops: z.array(z.int().nullable()).min(1).max(32).optional(),
  answerable: z.boolean().optional(),
  /** The alias that has the best value alone; for judge_mean the panel's winner. Null: no such alias. */
  winner: Name.nullable().optional(),
  /** Value of this alias, or of any shown one, between the bounds, both included. */
  score: z
    .strictObject({ alias: Name.optional(), min: z.number().optional(), max: z.number().optional() })
    .refine(({ min, max }) => min !== undefined || max !== undefined, 'min or max is required')
    .optional(),
  /** Largest minus smallest value among the shown aliases is at least this. */
  min_spread: z.number().min(0).optional(),
  /** The panel came to no winner, for one of these reasons. */
  inconclusive: z.array(InconclusiveReason).min(1).optional(),
  /** Words that occur in the question or in a shown answer; all of them, the last may be a prefix; "quoted words" in this order. */
  text: z.string().max(400).optional(),
})
export type MatrixFilters = z.infer<typeof MatrixFilters>

export const MatrixPageInput = z.strictObject({
  ...runDataset,
  /** Columns, in this order; all of the dataset run when absent. */
  aliases: aliasList.optional(),
  metric: IndexMetric,
  sort: MatrixSort.default({ by: 'position', descending: false }),
  filters: MatrixFilters.default({}),
  offset: count.default(0),
  limit: z.int().min(1).max(500).default(100),
})
export type MatrixPageInput = z.input<typeof MatrixPageInput>

/** The small fields of one cell; everything else is a call of `cell` away. */
export const MatrixPageCell = z.strictObject({
  row_id: Sha256,
  status: CellStatus,
  error_type: z.string().nullable(),
  evaluation: EvaluationStatus.nullable(),
  state: CellMetricState,
  value: z.number().nullable(),
  /** Why there is no value, in the evaluator's or runner's word. */
  reason: z.string().nullable(),
  latency_ms: z.number().nullable(),
  /** Tokens of its model calls together; null where the gateway reported none. */
  total_tokens: count.nullable(),
  judge_mean: z.number().nullable(),
  /** UTF-16 units; null without an answer. */
  answer_chars: count.nullable(),
})
export type MatrixPageCell = z.infer<typeof MatrixPageCell>

export const MatrixPageRow = z.strictObject({
  question_id: Name,
  /** Which of the answers to the question the row holds, from 1. */
  repeat: z.int().min(1),
  /** At most 400 characters; null where only the aggregate names the question. */
  query: z.string().nullable(),
  hops: z.int().nullable(),
  answerable: z.boolean().nullable(),
  expect_winner: z.string().nullable(),
  /** The panel's. */
  observed_winner: z.string().nullable(),
  /** In the order of `aliases`; null: no row. */
  cells: z.array(MatrixPageCell.nullable()),
})
export type MatrixPageRow = z.infer<typeof MatrixPageRow>

export const MatrixPage = z.strictObject({
  /** Grows with every change of the index: pages of one revision fit together. */
  revision: count,
  aliases: z.array(Name),
  /** Questions that pass the filters, and all of the dataset run. */
  matching: count,
  questions: count,
  offset: count,
  /** May be fewer than asked for, where more would not fit into an answer. */
  rows: z.array(MatrixPageRow),
})
export type MatrixPage = z.infer<typeof MatrixPage>
export const MatrixPageOutcome = z.union([z.strictObject({ ok: z.literal(true), page: MatrixPage }), notFound])
export type MatrixPageOutcome = z.infer<typeof MatrixPageOutcome>

export const ColumnHeadsInput = z.strictObject({ ...runDataset, aliases: aliasList.optional(), metric: IndexMetric })
export type ColumnHeadsInput = z.infer<typeof ColumnHeadsInput>

/**
 * One metric of one alias: a mean never without its n. Means are over questions, of the mean over the answers to each; `n` and `expected` are cells,
 * except in `common`, where they are questions.
 */
export const ColumnHead = z.strictObject({
  model: Name,
  base_model: BaseApproach.nullable(),
  flavor: z.string().nullable(),
  evidence_capability: EvidenceCapability.nullable(),
  mean: z.number().nullable(),
  n: count,
  expected: count,
  /** n / expected; null when nothing was expected. */
  coverage: z.number().min(0).max(1).nullable(),
  states: counts(CellMetricState),
  /** Over the `n` questions that every shown alias with values has; null when this alias has none. */
  common: z.strictObject({ n: count, mean: z.number().nullable() }).nullable(),
  /** Of all its answers, as in reports. */
  median_latency_ms: z.number().nullable(),
  unavailable: z.string().nullable(),
})
export type ColumnHead = z.infer<typeof ColumnHead>

export const ColumnHeads = z.strictObject({
  metric: IndexMetric,
  better: z.enum(['higher', 'lower']),
  questions: count,
  /** The aliases have values for different questions: their means do not compare, `common` does. */
  unequal_coverage: z.boolean(),
  heads: z.array(ColumnHead),
})
export type ColumnHeads = z.infer<typeof ColumnHeads>
export const ColumnHeadsOutcome = z.union([z.strictObject({ ok: z.literal(true), heads: ColumnHeads }), notFound])
export type ColumnHeadsOutcome = z.infer<typeof ColumnHeadsOutcome>
