import { z } from 'zod'
import { count, Sha256 } from '../../common.ts'
import { CanonicalRow } from '../../evidence/canonical-row.ts'
import { Name, notFound } from './parts.ts'

export const CellInput = z.strictObject({ run_id: Name, row_id: Sha256 })
export type CellInput = z.infer<typeof CellInput>

/** Members and indexes from the root of a row to a value in it. */
export const ValuePath = z.array(z.union([z.string(), z.int().min(0)])).max(32)
export type ValuePath = z.infer<typeof ValuePath>

/** Something in a row that was too long for one answer and is only there up to `kept`; `answerSlice` reads on in a text. */
export const CellCut = z.strictObject({
  path: ValuePath,
  /** text: UTF-16 units. list: items. members: of an object. */
  kind: z.enum(['text', 'list', 'members']),
  kept: count,
  total: count,
})
export type CellCut = z.infer<typeof CellCut>

export const CellVerdict = z.strictObject({
  judge: z.string(),
  score: z.number().nullable(),
  best: z.boolean(),
  /** At most 4,000 characters. */
  reason: z.string().nullable(),
})
export type CellVerdict = z.infer<typeof CellVerdict>

/** Why a row that the index knows cannot be shown: its file is gone, or its bytes have changed; the next sync settles it. */
const rowGone = z.strictObject({
  ok: z.literal(false),
  code: z.enum(['file_missing', 'file_changed']),
  message: z.string(),
})

export const CellOutcome = z.union([
  z.strictObject({
    ok: z.literal(true),
    kind: z.literal('canonical'),
    row: CanonicalRow,
    cuts: z.array(CellCut),
    verdicts: z.array(CellVerdict),
  }),
  /** The cell of a snapshot, unchanged. */
  z.strictObject({
    ok: z.literal(true),
    kind: z.literal('historical'),
    cell: z.record(z.string(), z.json()),
    cuts: z.array(CellCut),
    verdicts: z.array(CellVerdict),
  }),
  notFound,
  rowGone,
])
export type CellOutcome = z.infer<typeof CellOutcome>

export const AnswerSliceInput = z.strictObject({
  ...CellInput.shape,
  path: ValuePath.default(['evidence', 'answer']),
  /** UTF-16 units. */
  offset: count.default(0),
  limit: z.int().min(2).max(150_000).default(65_536),
})
export type AnswerSliceInput = z.input<typeof AnswerSliceInput>

export const AnswerSliceOutcome = z.union([
  /** `next_offset` is null at the end; a pair of surrogates is never cut in two. */
  z.strictObject({ ok: z.literal(true), text: z.string(), total: count, next_offset: count.nullable() }),
  z.strictObject({ ok: z.literal(false), code: z.literal('not_a_text'), message: z.string() }),
  notFound,
  rowGone,
])
export type AnswerSliceOutcome = z.infer<typeof AnswerSliceOutcome>

/** Cells whose answers are shown side by side. */
export const AnswerStartsInput = z.strictObject({ run_id: Name, row_ids: z.array(Sha256).min(1).max(200) })
export type AnswerStartsInput = z.infer<typeof AnswerStartsInput>

/** The beginning of each answer on one line, at most 240 characters, by row; rows without an answer, or that cannot be read, are left out. */
export const AnswerStarts = z.strictObject({ starts: z.record(z.string(), z.string()) })
export type AnswerStarts = z.infer<typeof AnswerStarts>
