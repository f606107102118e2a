import { z } from 'zod'
import { KEYWORD_BASELINE, TEXT_BASELINES } from '../approaches.ts'
import { TraceLevel } from '../evidence/trace.ts'
import { count, EvaluationMetric, Identifier, PrimaryMetric } from '../common.ts'
import { ContextBudget } from '../evidence/context-budget.ts'
import { CellErrorType, MAX_REPEATS } from '../evidence/canonical-row.ts'
import { MissingColumn } from '../evidence/missing-column.ts'
import { ClusterSummary } from '../evidence/statistics.ts'
import { LadderStep, RetryFailed, RunPlan } from '../evidence/run-event.ts'
import { JudgeEndpoint, JudgeModelName, MAX_CONCURRENCY, MAX_ROTATIONS } from '../manifests/evaluation.ts'
import { PhaseProgress } from '../http/ingestion.ts'
import { Cost } from '../manifests/prices.ts'
import { InputProblem } from './control-error.ts'
import { ExpectedWork, PlannedPart } from './expected-work.ts'

/** Most that a run may be allowed to cost, in the currency of the person's prices. */
export const MAX_BUDGET = 1_000_000

const time = z.iso.datetime()
const wholeNumber = (from: number, to: number) => {
  const expected = `expected a whole number from ${from} to ${to}`
  return z.int(expected).min(from, expected).max(to, expected)
}

/** A file or folder that a cold reset deletes. */
export const Deletion = z.strictObject({
  what: z.enum([
    'evidence',
    /** Index, answers that wait for their evaluation, run identity, torn bytes. */
    'beside_evidence',
    'summary',
    'matrix',
    'judgments',
    'human_round',
    'votes',
    'collections',
  ]),
  path: z.string(),
  size_bytes: count,
  /** Finished rows of an evidence file; null for everything else. */
  rows: count.nullable(),
})
export type Deletion = z.infer<typeof Deletion>

/** Everything that a cold reset of one dataset run deletes. */
export const DeletionList = z.strictObject({
  dataset_id: Identifier,
  items: z.array(Deletion).max(200),
  /** Collections of an external platform are not deleted. */
  keeps_external_collections: z.boolean(),
})
export type DeletionList = z.infer<typeof DeletionList>

/** Describes what is, or would be, published of one dataset. */
export const PublishedScope = z.strictObject({
  run_id: Identifier,
  models: z.array(Identifier),
  questions: count,
  repeats: count,
  cells: count,
  judged: z.boolean(),
})
export type PublishedScope = z.infer<typeof PublishedScope>

/** Describes what publishing one dataset of a run replaces in docs/results. */
export const PublicationChange = z.strictObject({
  dataset_id: Identifier,
  /** Null when nothing is published yet. */
  current: z.strictObject({ ...PublishedScope.shape, readable: z.boolean() }).nullable(),
  next: PublishedScope,
  /** Holds what the published results have and the new ones would not, in words. */
  lost: z.array(z.string()),
  /** Why it is refused; null when it can be confirmed. */
  refusal: z.string().nullable(),
})
export type PublicationChange = z.infer<typeof PublicationChange>

const JudgeChoice = z.strictObject({
  /** JUDGE_MODELS or the manifest decide when absent. */
  enabled: z.boolean().optional(),
  models: z.array(JudgeModelName).max(16).optional(),
  endpoint: JudgeEndpoint.optional(),
  rotations: wholeNumber(1, MAX_ROTATIONS).optional(),
  reference: z.boolean().optional(),
})

/**
 * Describes what a run does. A field that is absent takes the setting of the person, else the environment variable, else the manifest's value. The
 * command line and the panel both build one of these; `prepareRun` is the only reader.
 */
export const RunRequest = z.strictObject({
  /** Name of the run; MATRIX_RUN_ID or made from the time of day when absent. An existing name resumes that run. */
  run_id: Identifier.optional(),
  /** MATRIX_DATASET_ID, else every rung, when absent. */
  dataset_ids: z.array(Identifier).min(1).max(100).optional(),
  /** Exactly these aliases: approaches and flavors alike. Without this, `flavors` and `all_aliases`: MATRIX_MODELS, MATRIX_FLAVORS, else the six canonical ones and the keyword baseline. */
  models: z.array(Identifier).min(1).max(64).optional(),
  /** Flavors by alias, by their own name, by approach, or `all`; excludes `models`. */
  flavors: z.array(Identifier).min(1).max(64).optional(),
  /** Every declared alias; excludes `models` and `flavors`. */
  all_aliases: z.boolean().optional(),
  /** Baselines beside the aliases that are selected in any of these ways. */
  baselines: z
    .array(z.enum([KEYWORD_BASELINE, ...TEXT_BASELINES]))
    .max(3)
    .optional(),
  /** An empty list leaves the answers unscored by the evaluator. */
  metrics: z.array(EvaluationMetric).max(8).optional(),
  /** The metric that decides about the run; the manifest's, else the first that the run has, when absent. */
  primary_metric: PrimaryMetric.optional(),
  /** Leaves answers that a limit of tokens cut out of all scores; the manifest's, when absent. */
  exclude_cut_answers: z.boolean().optional(),
  judge: JudgeChoice.optional(),
  /** Answers to ask each approach for per question; MATRIX_REPEATS, else 1, when absent. */
  repeats: wholeNumber(1, MAX_REPEATS).optional(),
  /** Cells in flight; the person's setting, MATRIX_CONCURRENCY, else the manifest, when absent. */
  concurrency: wholeNumber(1, MAX_CONCURRENCY).optional(),
  /** Tokens handed to the answerer; MATRIX_CONTEXT_BUDGET, else the manifest, else that of the stored run, else 2,000, when absent. */
  context_budget: ContextBudget.optional(),
  /** States how much each cell keeps of its calls; the manifest, else `full`, when absent. */
  trace: TraceLevel.optional(),
  /** Failed cells of a stored run to try again; MATRIX_RETRY_FAILED, else `access`, when absent. */
  retry_failed: RetryFailed.optional(),
  /** Set of `manifests/models.yaml` for the embedded platform. */
  model_set: Identifier.optional(),
  /** Most that the cells of the run may cost, answers and grading, in the currency of the person's prices; unlimited when absent. */
  budget: z.number().positive().max(MAX_BUDGET).optional(),
  /** Moves this run's working artifacts and the platform's collections to the trash first. */
  cold_reset: z.boolean().default(false),
  /** Copies validated artifacts to `docs/results/`. */
  publish: z.boolean().default(false),
  /** Asks the judges about the stored answers of a finished run; makes no cell. */
  judge_only: z.boolean().optional(),
  /** Scores the stored answers of this run again, as a run with its own name; calls no approach. */
  evaluate_from: Identifier.optional(),
  /** Holds what the person agreed to delete, as `experiment.plan` listed it; the reset deletes nothing else. */
  confirmed_deletions: z.array(DeletionList).max(100).optional(),
  /** Holds what the person agreed to replace, as `experiment.plan` listed it. */
  confirmed_publications: z.array(PublicationChange).max(100).optional(),
})
export type RunRequest = z.infer<typeof RunRequest>
/** `RunRequest` as a caller writes it, defaults left out. */
export type RunRequestInput = z.input<typeof RunRequest>

/** A request whose selection is settled, so that a later change of a variable cannot change what the run is. */
export const StoredRunRequest = RunRequest.required({ dataset_ids: true, models: true }).extend({
  repeats: wholeNumber(1, MAX_REPEATS).default(1),
})
export type StoredRunRequest = z.infer<typeof StoredRunRequest>

/**
 * queued → running → completed | failed. pausing: cells in flight finish, then paused. cancelling: cells in flight are aborted, then
 * cancelled. interrupted: the engine died under it. Paused, cancelled, failed and interrupted runs keep every finished cell and can be resumed.
 */
export const RunState = z.enum([
  'queued',
  'running',
  'pausing',
  'paused',
  'cancelling',
  'cancelled',
  'completed',
  'failed',
  'interrupted',
])
export type RunState = z.infer<typeof RunState>

/** A failure that ended a dataset's climb, or the whole run where `dataset_id` is null. */
export const RunFailure = z.strictObject({
  dataset_id: Identifier.nullable(),
  step: LadderStep.nullable(),
  code: z.string(),
  message: z.string(),
})
export type RunFailure = z.infer<typeof RunFailure>

/** Cells of a dataset run or of a whole run. done: stored rows, failed ones included. */
export const CellCounts = z.strictObject({ total: count, done: count, failed: count })
export type CellCounts = z.infer<typeof CellCounts>

/** Verdicts of the judge panel so far. */
const JudgeCounts = z.strictObject({ name: z.string(), done: count, total: count, failed: count })

/** Describes where a run is now. Cells are counted over all its datasets; step and judges are those of the current one. */
export const RunProgress = z.strictObject({
  ...CellCounts.shape,
  dataset_id: Identifier.nullable(),
  /** Position of the dataset in the run, from 1; null while none has started. */
  dataset_number: count.nullable(),
  step: LadderStep.nullable(),
  /** Null unless cells are being made. */
  cells_per_second: z.number().nullable(),
  /** Time that the cells left will take at this rate; null where it is unknown, and when none is left. */
  left_ms: z.number().nullable(),
  judge: JudgeCounts.nullable(),
})
export type RunProgress = z.infer<typeof RunProgress>

/** One step of one dataset as it was last seen; `started_at` is null for a skipped step. */
export const RunStep = z.strictObject({
  step: LadderStep,
  state: z.enum(['running', 'done', 'skipped', 'failed']),
  started_at: time.nullable(),
  duration_ms: z.number().nullable(),
  /** Holds what the step reported, why it was skipped, or why it failed. */
  note: z.string().nullable(),
  /** Code of a failed step's error. */
  code: z.string().nullable(),
  /** Graded metrics or judges without a single value; absent where there is none. */
  missing: z.array(MissingColumn).optional(),
})
export type RunStep = z.infer<typeof RunStep>

/** Cells of one approach as they finished, with the last latencies of those that succeeded, in milliseconds. */
export const ApproachProgress = z.strictObject({
  alias: Identifier,
  ok: count,
  failed: count,
  latencies_ms: z.array(z.number()),
})
export type ApproachProgress = z.infer<typeof ApproachProgress>

/** One phase of an ingestion as it was last reported; `progress` where the platform reports it. */
export const PhaseState = z.strictObject({
  phase: z.string(),
  status: z.string(),
  counts: z.record(z.string(), z.number()),
  progress: PhaseProgress.optional(),
})
export type PhaseState = z.infer<typeof PhaseState>

/** States what the events of a run add up to for one of its datasets (core/evidence/run-fold.ts); kept in the run's journal. */
export const DatasetProgress = z.strictObject({
  dataset_id: Identifier,
  /** reused: of those done, the cells that this run did not make. */
  cells: z.strictObject({ ...CellCounts.shape, reused: count }),
  steps: z.array(RunStep),
  phases: z.array(PhaseState).default([]),
  /** Approaches that the run goes on without. */
  unavailable: RunPlan.shape.unavailable.default([]),
  approaches: z.array(ApproachProgress).default([]),
  /** States when the last cells finished, in milliseconds since 1970. */
  finished_at: z.array(z.number()).default([]),
  judge: JudgeCounts.nullable().default(null),
})
export type DatasetProgress = z.infer<typeof DatasetProgress>

/** A run as its events add up, whether or not it is under way; `seq` is the number of the newest event that is in it. */
export const RunView = z.strictObject({ run_id: Identifier, seq: count, datasets: z.array(DatasetProgress) })
export type RunView = z.infer<typeof RunView>

/** Classes of failed cells: by how the call failed, or by how the evaluation of a good answer did. */
export const FailureClass = z.enum([...CellErrorType.options, 'evaluation_error', 'evaluation_timeout'])
export type FailureClass = z.infer<typeof FailureClass>

/** A run as the engine controls it, kept in a journal that survives the engine. */
export const RunJob = z.strictObject({
  run_id: Identifier,
  state: RunState,
  request: StoredRunRequest,
  created_at: time,
  started_at: time.nullable(),
  finished_at: time.nullable(),
  /** Null unless it is under way. */
  progress: RunProgress.nullable(),
  failures: z.array(RunFailure),
  /** Graded metrics and judges without a single value, over all datasets; absent where there is none. */
  missing: z.array(MissingColumn).optional(),
  /** Over all datasets, as last known; null before the run has started. */
  cells: CellCounts.nullable().default(null),
  /** The run whose failed cells this one makes again, and which of them. */
  retry_of: z.strictObject({ run_id: Identifier, classes: z.array(FailureClass) }).nullable(),
  /** True when `runs.resume` takes it now. */
  resumable: z.boolean(),
})
export type RunJob = z.infer<typeof RunJob>

/**
 * The smallest true difference that a run's primary metric decides with 80 % power, as a share of its scale; found by simulating the test on the
 * dataset's own clusters before anything ran. Null where it decides nothing.
 */
export const PlannedDifference = z.strictObject({
  /** Pairs of approaches in the run. */
  pairs: count,
  /** Of two approaches that are compared alone. */
  alone: z.number().nullable(),
  /** Of each pair, when all are compared. */
  among: z.number().nullable(),
  /** The primary metric that the questions allow; null where they allow none. */
  metric: PrimaryMetric.nullable(),
  /** Questions that this metric can score, and the independent groups that they are in. */
  questions: count,
  groups: count,
  /** Names the basis of groups; null without a metric. */
  basis: ClusterSummary.shape.basis.nullable(),
  /** States how much a question's difference between two approaches scatters (standard deviation), and the earlier run that showed it; null where it is assumed. */
  spread: z.number().min(0),
  spread_run: Identifier.nullable(),
})
export type PlannedDifference = z.infer<typeof PlannedDifference>

/** The plan of one dataset; `conflicts` holds at most 100 of `conflict_count`. */
export const DatasetPlan = z.strictObject({
  ...RunPlan.shape,
  conflict_count: count,
  /** Calls of the evaluator at most; 0 without metrics. */
  evaluations: count,
  /** Verdicts that the panel is asked for. */
  verdicts: count,
  /** Time and model calls by earlier rows of the same model set on this machine. */
  work: ExpectedWork,
  /** Answers, and what comes on top of them: ingestion, grading and judging, where models do them. */
  parts: z.array(PlannedPart),
  /** Of all parts together; null where no model is paid. */
  expected_cost: Cost.nullable(),
  planned_difference: PlannedDifference,
})
export type DatasetPlan = z.infer<typeof DatasetPlan>

/** Describes what a request would do, before anything is called or written. */
export const PlanOutcome = z.discriminatedUnion('ok', [
  z.strictObject({
    ok: z.literal(true),
    run_id: Identifier,
    datasets: z.array(DatasetPlan),
    totals: z.strictObject({
      total: count,
      reuse: count,
      run: count,
      answered: count,
      conflicts: count,
      unavailable: count,
      evaluations: count,
      verdicts: count,
    }),
    estimated_minutes: z.number().nullable(),
    /** Calls of models by approaches and evaluator; null where some are unknown. */
    model_calls: count.nullable(),
    /** Holds what the metrics will not be able to measure. */
    notices: z.array(z.string()),
    /** Holds what the cold reset would delete; one list for each dataset, none without a cold reset. */
    deletions: z.array(DeletionList),
    /** Holds what publishing would replace; one for each dataset, none when nothing is published. */
    publications: z.array(PublicationChange),
    /** Why it would be refused if it were started now; empty when it would start. */
    blockers: z.array(z.strictObject({ code: z.string(), message: z.string() })),
  }),
  z.strictObject({ ok: z.literal(false), problems: z.array(InputProblem).min(1) }),
])
export type PlanOutcome = z.infer<typeof PlanOutcome>

/** Judges for the stored answers of a run. */
export const JudgeRunInput = z.strictObject({
  run_id: Identifier,
  /** Every dataset of the run when absent. */
  dataset_ids: z.array(Identifier).min(1).max(100).optional(),
  judge: JudgeChoice.omit({ enabled: true }),
})
export type JudgeRunInput = z.infer<typeof JudgeRunInput>

/** Scores for the stored answers of a run by another evaluator, as a new run. */
export const RescoreRunInput = z.strictObject({
  run_id: Identifier,
  /** Set whose evaluator scores; the person's own when absent. */
  model_set: Identifier.optional(),
  /** Name of the new run; `<run_id>-rescored<n>` when absent. */
  new_run_id: Identifier.optional(),
})
export type RescoreRunInput = z.infer<typeof RescoreRunInput>

/** Torn bytes that were moved aside, by evidence file; every finished row stays. */
export const RunRecovered = z.strictObject({
  run_id: Identifier,
  files: z.array(z.strictObject({ file: z.string(), rows: count, moved_bytes: count, moved_to: z.string() })),
})
export type RunRecovered = z.infer<typeof RunRecovered>

export const RunStarted = z.strictObject({ run_id: Identifier })

export const RetryFailuresInput = z.strictObject({
  run_id: Identifier,
  /** Classes to make again; all when absent. */
  classes: z.array(FailureClass).min(1).optional(),
  /** Name of the new run; `<run_id>-retry<n>` when absent. */
  new_run_id: Identifier.optional(),
})
export type RetryFailuresInput = z.infer<typeof RetryFailuresInput>

/** Failed cells by class, over all datasets of a run. */
export const FailureCounts = z.strictObject({
  run_id: Identifier,
  classes: z.array(z.strictObject({ class: FailureClass, cells: count })),
})
export type FailureCounts = z.infer<typeof FailureCounts>
