import { z } from 'zod'
import { Identifier, Sha256 } from '../common.ts'
import { PhaseProgress } from '../http/ingestion.ts'
import { CellErrorType, CellStatus } from './canonical-row.ts'
import { EvaluationStatus } from './evaluation-result.ts'
import { MissingColumn } from './missing-column.ts'
import { ModelUsage } from './model-usage.ts'

/** The twelve steps of the ladder procedure, in order. */
export const LADDER_STEPS = [
  'validate',
  'cold_reset',
  'start',
  'ingest',
  'contextualize',
  'cells',
  'evaluate',
  'check_cells',
  'judge',
  'summarize',
  'check_artifacts',
  'publish',
] as const
/** Which failed cells a run of a stored id tries again: those whose access was refused (HTTP 401, 402, 403, 404, a used-up credit) or that had no connection, all, or none. */
export const RetryFailed = z.enum(['access', 'all', 'none'])
export type RetryFailed = z.infer<typeof RetryFailed>

export const LadderStep = z.enum(LADDER_STEPS)
export type LadderStep = z.infer<typeof LadderStep>

/** A difference that forbids reusing stored rows. `path` is the field, such as `reproducibility.seed`. */
export const PlanConflict = z.strictObject({
  /** The row, or the first of them; null when the run was begun under other conditions and has no row yet. */
  row_id: Sha256.nullable(),
  path: z.string(),
  stored: z.string(),
  current: z.string(),
  /** States how many rows of the file were stored so; absent when it is the one row. */
  rows: z.int().min(0).optional(),
  /** Of a setting of a model: the name of the model. */
  model: z.string().optional(),
  /** Files in which the difference is, as far as that is known. */
  files: z.array(z.string()).optional(),
})
export type PlanConflict = z.infer<typeof PlanConflict>

/** Stored rows that conflict: rows of one file may differ in several fields, so the largest count, and each row that differs alone. */
export function conflictingRows(conflicts: readonly PlanConflict[]): number {
  const alone = conflicts.filter(({ rows }) => rows === undefined)
  return Math.max(alone.length, ...conflicts.map(({ rows }) => rows ?? 0))
}

/** Describes what a run will do, known before the first call. Counts of cells. */
export const RunPlan = z.strictObject({
  dataset_id: Identifier,
  total: z.int(),
  reuse: z.int(),
  run: z.int(),
  /** Stored cells that failed: `access` (access refused, or no connection), or anything else. Absent when no cell failed. */
  failed: z.strictObject({ access: z.int().min(0), other: z.int().min(0) }).optional(),
  /** Of `run`: cells that failed and are tried again. Absent when there are none. */
  retry: z.int().min(1).optional(),
  /** Answers that were kept when an earlier run stopped between answer and evaluation: no model call needed. */
  resume_answered: z.int(),
  conflicts: z.array(PlanConflict),
  unavailable: z.array(z.strictObject({ model: Identifier, reason: z.string() })),
  /** Tokens of text for every answer; null where approaches run as they are declared. Absent once the run has begun. */
  context_budget: z.int().nullable().optional(),
})
export type RunPlan = z.infer<typeof RunPlan>

const at = { dataset_id: Identifier }

/** All events of a run: one stream for the terminal, `--json`, the log and the panel. */
export const RunEvent = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('run.started'),
    run_id: Identifier,
    dataset_ids: z.array(Identifier),
    models: z.array(Identifier),
    /** Selected cells of each dataset, known before its plan is. */
    cells: z.record(Identifier, z.int().min(0)).optional(),
  }),
  z.strictObject({
    type: z.literal('service.changed'),
    service: z.string(),
    state: z.string(),
    detail: z.string().nullable(),
  }),
  z.strictObject({ type: z.literal('step.started'), ...at, step: LadderStep }),
  z.strictObject({
    type: z.literal('step.finished'),
    ...at,
    step: LadderStep,
    duration_ms: z.number(),
    note: z.string().nullable(),
    /** Graded metrics or judges that the step found without a single value; absent where there is none. */
    missing: z.array(MissingColumn).min(1).optional(),
  }),
  z.strictObject({ type: z.literal('step.skipped'), ...at, step: LadderStep, reason: z.string() }),
  z.strictObject({ type: z.literal('step.failed'), ...at, step: LadderStep, code: z.string(), message: z.string() }),
  z.strictObject({
    type: z.literal('ingestion.progressed'),
    ...at,
    job_id: z.string(),
    phase: z.string(),
    status: z.string(),
    counts: z.record(z.string(), z.number()),
    /** States how far a phase under way has come, where the platform reports it. */
    progress: PhaseProgress.optional(),
    /** True when an earlier run did this work and nothing has changed since: the reported work was not done now. */
    unchanged: z.boolean().optional(),
  }),
  z.strictObject({ type: z.literal('plan.ready'), plan: RunPlan }),
  z.strictObject({
    type: z.literal('cell.started'),
    ...at,
    row_id: Sha256,
    question_id: Identifier,
    model: Identifier,
  }),
  z.strictObject({
    type: z.literal('cell.finished'),
    ...at,
    row_id: Sha256,
    question_id: Identifier,
    model: Identifier,
    status: CellStatus,
    error_type: CellErrorType.nullable(),
    /** The message of the row's error on one line, shortened; absent in events of earlier versions. */
    error_message: z.string().nullable().optional(),
    evaluation: EvaluationStatus,
    latency_ms: z.number(),
    /** True when another runner finished this cell and its durable row was taken over. */
    reused: z.boolean(),
  }),
  /** Only where a run was asked to explain itself (`--verbose`, RAG_LADDER_LOG=debug). */
  z.strictObject({
    type: z.literal('cell.explained'),
    ...at,
    row_id: Sha256,
    question_id: Identifier,
    model: Identifier,
    action: z.enum(['reused', 'retried', 'skipped']),
    /** Why, in words. */
    reason: z.string(),
  }),
  z.strictObject({
    type: z.literal('usage.reported'),
    ...at,
    /** Calls at the platform since it was started for this dataset, by model role and by alias. */
    model_calls: z.record(z.string(), z.int().min(0)),
    alias_calls: z.record(z.string(), z.int().min(0)),
    /** Holds what each model used meanwhile, ingestion and grading included; rules are left out. */
    model_usage: z.array(ModelUsage).optional(),
  }),
  /** Verdicts of all judges so far; `failed` counts those that are missing. */
  z.strictObject({
    type: z.literal('judge.progressed'),
    ...at,
    judge: z.string(),
    done: z.int().min(0),
    total: z.int().min(0),
    failed: z.int().min(0),
  }),
  z.strictObject({ type: z.literal('artifact.written'), ...at, file: z.string() }),
  z.strictObject({ type: z.literal('notice'), level: z.enum(['info', 'warning', 'error']), message: z.string() }),
  z.strictObject({
    type: z.literal('run.finished'),
    run_id: Identifier,
    outcome: z.enum(['completed', 'failed', 'interrupted']),
    duration_ms: z.number(),
  }),
])
export type RunEvent = z.infer<typeof RunEvent>
