import { z } from 'zod'
import { BaseApproach, EvaluationMetric, EvidenceCapability, Sha256 } from '../common.ts'
import { JudgeSection } from '../evidence/aggregate.ts'
import { AnswerMetric } from '../evidence/answer-scores.ts'
import { CanonicalRow, CellErrorType, CellStatus } from '../evidence/canonical-row.ts'
import { EvaluationStatus } from '../evidence/evaluation-result.ts'
import { InconclusiveReason } from '../evidence/judgments.ts'
import { Reproducibility } from '../evidence/provenance.ts'
import { RetrievalMetric } from '../evidence/retrieval-scores.ts'

const count = z.int().min(0)
const counts = <Key extends z.core.$ZodRecordKey>(key: Key) => z.record(key, count)

/** No answer of the index is larger than this many bytes of JSON. */
export const MAX_ANSWER_BYTES = 1_000_000

/** A run's or dataset's name as its files say it: historical snapshots may use any text. */
const Name = z.string().min(1).max(512)

/** What cells can be compared by. judge_mean: 1 to 5. latency_ms: of answered cells, lower is better. All others 0 to 1. */
export const IndexMetric = z.enum([
  ...EvaluationMetric.options,
  ...RetrievalMetric.options,
  ...AnswerMetric.options,
  'judge_mean',
  'latency_ms',
])
export type IndexMetric = z.infer<typeof IndexMetric>

/**
 * Where one cell stands in one metric. ok: it has a value. not_run: the cell itself failed, or was never evaluated. missing: it has no row.
 * The order is also that of the index's codes.
 */
export const CellMetricState = z.enum(['missing', 'ok', 'not_evaluable', 'error', 'timeout', 'disabled', 'not_run'])
export type CellMetricState = z.infer<typeof CellMetricState>

export const IndexedRunKind = z.enum(['canonical', 'historical'])

/**
 * How far the index has followed a file. applied: up to its last complete line. damaged: up to `damage.offset`, where something stands that
 * cannot be used. copy: another file holds the same dataset run and is indexed instead. listed: only its name and hash are kept.
 */
export const ArtifactState = z.enum(['applied', 'damaged', 'copy', 'listed'])
export type ArtifactState = z.infer<typeof ArtifactState>

/** Where a file stops being usable; offset in bytes and line from 1 where the file has lines. */
export const ArtifactDamage = z.strictObject({
  offset: count.nullable(),
  line: z.int().min(1).nullable(),
  message: z.string(),
})
export type ArtifactDamage = z.infer<typeof ArtifactDamage>

export const IndexedArtifact = z.strictObject({
  path: z.string(),
  kind: z.enum(['evidence', 'evaluation', 'matrix', 'judgments']),
  state: ArtifactState,
  size_bytes: count,
  /** Milliseconds since 1970. */
  modified_ms: z.number(),
  /** Bytes that the index stands for; `sha256` is of them. */
  applied_bytes: count,
  sha256: Sha256.nullable(),
  damage: ArtifactDamage.nullable(),
  /** For a copy: whether its bytes differ from those that are indexed. */
  differs: z.boolean().nullable(),
})
export type IndexedArtifact = z.infer<typeof IndexedArtifact>

const cellCounts = z.strictObject({ ok: count, error: count, timeout: count })

const runDatasetHead = {
  dataset_id: Name,
  label: z.string(),
  complexity_level: z.int().nullable(),
  questions: count,
  cells: cellCounts,
  /** As the aggregate says; null as long as there is none. */
  expected_cells: count.nullable(),
  /** A file of it cannot be used from some byte on. */
  damaged: z.boolean(),
}

export const RunHead = z.strictObject({
  run_id: Name,
  kind: IndexedRunKind,
  /** When its first and its latest row were finished; null in historical snapshots, which do not tell. */
  first_finished_at: z.iso.datetime().nullable(),
  last_finished_at: z.iso.datetime().nullable(),
  aliases: count,
  /** In ladder order. */
  datasets: z.array(z.strictObject(runDatasetHead)),
})
export type RunHead = z.infer<typeof RunHead>

export const ListRunsInput = z.strictObject({
  limit: z.int().min(1).max(1000).default(100),
  /** `next_cursor` of the page before. */
  cursor: z.string().max(64).optional(),
})

/** Newest run first. */
export const RunList = z.strictObject({ runs: z.array(RunHead), total: count, next_cursor: z.string().nullable() })
export type RunList = z.infer<typeof RunList>

export const IndexedAlias = z.strictObject({
  model: Name,
  base_model: BaseApproach.nullable(),
  flavor: z.string().nullable(),
  evidence_capability: EvidenceCapability.nullable(),
  cells: cellCounts,
  /** Mean over answered cells; null without one. */
  mean_latency_ms: z.number().nullable(),
  /** Why it could not be called at all; null when it could. */
  unavailable: z.string().nullable(),
})
export type IndexedAlias = z.infer<typeof IndexedAlias>

export const IndexedProvenance = z.strictObject({
  sha256: Sha256,
  cells: count,
  /** Null when it is too large for this answer; it stands in each row. */
  reproducibility: Reproducibility.nullable(),
})

export const RunDatasetSummary = z.strictObject({
  ...runDatasetHead,
  first_finished_at: z.iso.datetime().nullable(),
  last_finished_at: z.iso.datetime().nullable(),
  evaluation: counts(EvaluationStatus),
  failures_by_type: z.partialRecord(CellErrorType, count),
  aliases: z.array(IndexedAlias),
  /** Metrics that some cell has a value of. */
  metrics: z.array(IndexMetric),
  /** Null as long as there are no judgments. */
  judge_panel: JudgeSection.nullable(),
  /** What the rows were made under; more than one in a run that cannot be summed up. */
  provenance: z.array(IndexedProvenance),
  artifacts: z.array(IndexedArtifact),
})
export type RunDatasetSummary = z.infer<typeof RunDatasetSummary>

export const RunSummary = z.strictObject({
  run_id: Name,
  kind: IndexedRunKind,
  datasets: z.array(RunDatasetSummary),
})
export type RunSummary = z.infer<typeof RunSummary>

const notFound = z.strictObject({ ok: z.literal(false), code: z.literal('not_found'), message: z.string() })
export const RunSummaryOutcome = z.union([z.strictObject({ ok: z.literal(true), summary: RunSummary }), notFound])
export type RunSummaryOutcome = z.infer<typeof RunSummaryOutcome>

const aliasList = z.array(Name).min(1).max(64)
const runDataset = { run_id: Name, dataset_id: Name }

export const MatrixSort = z.discriminatedUnion('by', [
  /** As in the query file, once the aggregate tells; till then as rows came in. */
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
  /** State of the cell in the metric. */
  states: z.array(CellMetricState).min(1).optional(),
  statuses: z.array(CellStatus).min(1).optional(),
  error_types: z.array(CellErrorType).min(1).optional(),
  /** Null stands for questions whose author did not count the hops. */
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
  /** Words that stand in the question or in a shown answer; all of them, the last may be a beginning; "quoted words" in this order. */
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
  judge_mean: z.number().nullable(),
  /** UTF-16 units; null without an answer. */
  answer_chars: count.nullable(),
})
export type MatrixPageCell = z.infer<typeof MatrixPageCell>

export const MatrixPageRow = z.strictObject({
  question_id: Name,
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

/** One metric of one alias: a mean never without its n. */
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
  /** Over the questions that every shown alias with values has; null when this alias has none. */
  common: z.strictObject({ n: count, mean: z.number().nullable() }).nullable(),
  mean_latency_ms: z.number().nullable(),
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

/** Why a row that the index knows cannot be shown: its file is gone, or other bytes stand there now; the next sync settles it. */
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
  /** The cell of a snapshot, as it stands there. */
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

export const SearchInput = z.strictObject({
  /** As in `MatrixFilters.text`. */
  text: z.string().max(400),
  run_id: Name.optional(),
  dataset_id: Name.optional(),
  limit: z.int().min(1).max(100).default(20),
})
export type SearchInput = z.input<typeof SearchInput>

export const SearchHit = z.strictObject({
  found_in: z.enum(['question', 'answer']),
  ...runDataset,
  question_id: Name,
  query: z.string().nullable(),
  /** Of an answer; null for a question, which is shown in the newest run that asked it. */
  model: Name.nullable(),
  row_id: Sha256.nullable(),
  /** Some 200 characters around the first found word. */
  excerpt: z.string(),
})
export type SearchHit = z.infer<typeof SearchHit>

/** Best hits first, questions before answers; `more`: there are further ones. */
export const SearchResults = z.strictObject({ hits: z.array(SearchHit), more: z.boolean() })
export type SearchResults = z.infer<typeof SearchResults>

export const CompareRunsInput = z.strictObject({
  /** The first is what the others are compared with. */
  run_ids: z.array(Name).min(1).max(100),
  metric: IndexMetric,
  dataset_id: Name.optional(),
  aliases: aliasList.optional(),
  /** Values that differ by no more are equal. */
  tolerance: z.number().min(0).default(1e-9),
  /** How many of the changed cells are listed, largest change first. */
  limit: z.int().min(0).max(500).default(100),
})
export type CompareRunsInput = z.input<typeof CompareRunsInput>

/** An alias in one of the compared runs; means over its own questions and over those that all of the compared runs share. */
export const ComparedRun = z.strictObject({
  run_id: Name,
  n: count,
  mean: z.number().nullable(),
  common_mean: z.number().nullable(),
  /** Cells in which it differs from the first run. */
  changed: count,
})

export const ComparedAlias = z.strictObject({
  dataset_id: Name,
  model: Name,
  /** Questions with a value in every run that has this alias; a question whose text or gold was changed is another question. */
  common: count,
  /** Runs that have cells of this alias, in the order asked for. */
  runs: z.array(ComparedRun),
})
export type ComparedAlias = z.infer<typeof ComparedAlias>

export const ChangedCell = z.strictObject({
  dataset_id: Name,
  question_id: Name,
  model: Name,
  /** Largest difference between two runs; null when they only differ in having a value. */
  spread: z.number().nullable(),
  /** By place in `run_ids`. */
  values: z.array(z.number().nullable()),
  states: z.array(CellMetricState),
})
export type ChangedCell = z.infer<typeof ChangedCell>

export const RunComparison = z.strictObject({
  metric: IndexMetric,
  better: z.enum(['higher', 'lower']),
  run_ids: z.array(Name),
  /** Of the asked ones, those that the index does not have. */
  unknown_run_ids: z.array(Name),
  aliases: z.array(ComparedAlias),
  changed: z.strictObject({ total: count, cells: z.array(ChangedCell) }),
})
export type RunComparison = z.infer<typeof RunComparison>

/** One step of keeping the index up with its folders. */
export const IndexChange = z.strictObject({
  revision: count,
  runs: z.array(
    z.strictObject({
      ...runDataset,
      rows_added: count,
      /** Something else than new rows: other artifacts, or the whole dataset run was read anew. */
      replaced: z.boolean(),
    }),
  ),
  removed: z.array(z.strictObject(runDataset)),
  /** Files that became unusable in this step. */
  damaged: z.array(z.strictObject({ path: z.string(), damage: ArtifactDamage })),
  /** More changed than one message holds: ask for everything anew. */
  truncated: z.boolean(),
})
export type IndexChange = z.infer<typeof IndexChange>

export const IndexProblem = z.strictObject({
  /** Null when it concerns the index itself. */
  path: z.string().nullable(),
  code: z.enum([
    'missing_file',
    'not_indexed',
    'behind',
    'hash_differs',
    'rows_differ',
    'counts_differ',
    'damaged_file',
    'damaged_index',
  ]),
  message: z.string(),
})
export type IndexProblem = z.infer<typeof IndexProblem>

/** What `verify` found; a problem with code `behind` or `not_indexed` is mended by the next sync, `damaged_file` only in the file. */
export const IndexVerification = z.strictObject({
  ok: z.boolean(),
  files: count,
  rows: count,
  bytes: count,
  /** At most 100 of `problem_count`. */
  problems: z.array(IndexProblem),
  problem_count: count,
})
export type IndexVerification = z.infer<typeof IndexVerification>

export const IndexStatus = z.strictObject({
  revision: count,
  schema_version: z.int(),
  journal_mode: z.string(),
  runs: count,
  cells: count,
  size_bytes: count,
  folders: z.array(z.string()),
  damaged: z.array(z.strictObject({ path: z.string(), damage: ArtifactDamage })),
})
export type IndexStatus = z.infer<typeof IndexStatus>
