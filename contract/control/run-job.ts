import { z } from 'zod'
import { EvaluationMetric, Identifier, PrimaryMetric } from '../common.ts'
import { CellErrorType, MAX_REPEATS } from '../evidence/canonical-row.ts'
import { LadderStep, RetryFailed, RunPlan } from '../evidence/run-event.ts'
import { JudgeEndpoint, JudgeModelName, MAX_CONCURRENCY, MAX_ROTATIONS } from '../manifests/evaluation.ts'
import { Cost } from '../manifests/prices.ts'
import { InputProblem } from './control-error.ts'

/** Most that a run may be allowed to cost, in the currency of the person's prices. */
export const MAX_BUDGET = 1_000_000

const count = z.int().min(0)
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

/** What is, or would be, published of one dataset. */
export const PublishedScope = z.strictObject({
  run_id: Identifier,
  models: z.array(Identifier),
  questions: count,
  repeats: count,
  cells: count,
  judged: z.boolean(),
})
export type PublishedScope = z.infer<typeof PublishedScope>

/** What publishing one dataset of a run replaces in docs/results. */
export const PublicationChange = z.strictObject({
  dataset_id: Identifier,
  /** Null when nothing is published yet. */
  current: z.strictObject({ ...PublishedScope.shape, readable: z.boolean() }).nullable(),
  next: PublishedScope,
  /** What the published results have and the new ones would not, in words. */
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
 * What a run does. A field that is absent takes the setting of the person, else the environment variable, else the manifest's value. The
 * command line and the panel both build one of these; `prepareRun` is the only reader.
 */
export const RunRequest = z.strictObject({
  /** Name of the run; MATRIX_RUN_ID or made from the time of day when absent. An existing name resumes that run. */
  run_id: Identifier.optional(),
  /** MATRIX_DATASET_ID, else every rung, when absent. */
  dataset_ids: z.array(Identifier).min(1).max(100).optional(),
  /** Exactly these aliases: approaches and flavors alike. Without this, `flavors` and `all_aliases`: MATRIX_MODELS, MATRIX_FLAVORS, else the six canonical. */
  models: z.array(Identifier).min(1).max(64).optional(),
  /** Flavors by alias, by their own name, by approach, or `all`; excludes `models`. */
  flavors: z.array(Identifier).min(1).max(64).optional(),
  /** Every declared alias; excludes `models` and `flavors`. */
  all_aliases: z.boolean().optional(),
  /** An empty list leaves the answers unscored by the evaluator. */
  metrics: z.array(EvaluationMetric).max(8).optional(),
  /** The metric that decides about the run; the manifest's, else the first that the run has, when absent. */
  primary_metric: PrimaryMetric.optional(),
  judge: JudgeChoice.optional(),
  /** Answers to ask each approach for per question; MATRIX_REPEATS, else 1, when absent. */
  repeats: wholeNumber(1, MAX_REPEATS).optional(),
  /** Cells in flight; the person's setting, MATRIX_CONCURRENCY, else the manifest, when absent. */
  concurrency: wholeNumber(1, MAX_CONCURRENCY).optional(),
  /** Failed cells of a stored run to try again; MATRIX_RETRY_FAILED, else `access`, when absent. */
  retry_failed: RetryFailed.optional(),
  /** Set of `manifests/models.yaml` for the embedded platform. */
  model_set: Identifier.optional(),
  /** Most that the cells of the run may cost, answers and grading, in the currency of the person's prices; unlimited when absent. */
  budget: z.number().positive().max(MAX_BUDGET).optional(),
  /** Deletes this run's working artifacts and the platform's collections first. */
  cold_reset: z.boolean().default(false),
  /** Copies validated artifacts to `docs/results/`. */
  publish: z.boolean().default(false),
  /** Asks the judges about the stored answers of a finished run; makes no cell. */
  judge_only: z.boolean().optional(),
  /** What the person agreed to delete, as `experiment.plan` listed it; the reset deletes nothing else. */
  confirmed_deletions: z.array(DeletionList).max(100).optional(),
  /** What the person agreed to replace, as `experiment.plan` listed it. */
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

/** Where the run is now, counted in cells of the current dataset. */
export const RunProgress = z.strictObject({
  dataset_id: Identifier.nullable(),
  step: LadderStep.nullable(),
  total: count,
  done: count,
  reused: count,
  failed: count,
  /** Null before the first cell that was made. */
  cells_per_second: z.number().nullable(),
  left_ms: z.number().nullable(),
  judge: z.strictObject({ name: z.string(), done: count, total: count, failed: count }).nullable(),
})
export type RunProgress = z.infer<typeof RunProgress>

/** Cells of a dataset run or of a whole run. done: stored rows, failed ones included. */
export const CellCounts = z.strictObject({ total: count, done: count, failed: count })
export type CellCounts = z.infer<typeof CellCounts>

/** One step of one dataset as it was last seen; `started_at` is null for a skipped step. */
export const RunStep = z.strictObject({
  step: LadderStep,
  state: z.enum(['running', 'done', 'skipped', 'failed']),
  started_at: time.nullable(),
  duration_ms: z.number().nullable(),
  /** What the step reported, why it was skipped, or why it failed. */
  note: z.string().nullable(),
  /** Code of a failed step's error. */
  code: z.string().nullable(),
})
export type RunStep = z.infer<typeof RunStep>

/** The last known steps and counts of one dataset of a run; kept in the run's journal. */
export const DatasetSteps = z.strictObject({
  dataset_id: Identifier,
  cells: z.strictObject({ ...CellCounts.shape, reused: count }),
  steps: z.array(RunStep),
})
export type DatasetSteps = z.infer<typeof DatasetSteps>

/** The last known steps of a run, whether or not it is under way. */
export const RunSteps = z.strictObject({ run_id: Identifier, datasets: z.array(DatasetSteps) })
export type RunSteps = z.infer<typeof RunSteps>

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
  /** Over all datasets, as last known; null before the run has started. */
  cells: CellCounts.nullable().default(null),
  /** The run whose failed cells this one makes again, and which of them. */
  retry_of: z.strictObject({ run_id: Identifier, classes: z.array(FailureClass) }).nullable(),
  /** Whether `runs.resume` takes it now. */
  resumable: z.boolean(),
})
export type RunJob = z.infer<typeof RunJob>

/** About the smallest difference of shares that the questions of a dataset decide, before anything ran. Null where they decide nothing. */
export const PlannedDifference = z.strictObject({
  /** Pairs of approaches in the run. */
  pairs: count,
  /** Of two approaches that are compared alone. */
  alone: z.number().nullable(),
  /** Of each pair, when all are compared. */
  among: z.number().nullable(),
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
  /** From the mean latencies of earlier runs; null when some alias has none. */
  estimated_ms: z.number().nullable(),
  /** Of the cells to run, from the usage of earlier runs with the same set; null where the set has no paid model. */
  expected_cost: Cost.nullable(),
  /** Aliases without an earlier latency. */
  unknown_latency: z.array(Identifier),
  planned_difference: PlannedDifference,
})
export type DatasetPlan = z.infer<typeof DatasetPlan>

/** What a request would do, before anything is called or written. */
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
    /** What the metrics will not be able to measure. */
    notices: z.array(z.string()),
    /** What the cold reset would delete; one list for each dataset, none without a cold reset. */
    deletions: z.array(DeletionList),
    /** What publishing would replace; one for each dataset, none when nothing is published. */
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

/** Torn bytes that were moved aside, by evidence file; every finished row stays. */
export const RunRecovered = z.strictObject({
  run_id: Identifier,
  files: z.array(z.strictObject({ file: z.string(), rows: count, moved_bytes: count, moved_to: z.string() })),
})
export type RunRecovered = z.infer<typeof RunRecovered>

export const RunStarted = z.strictObject({ run_id: Identifier })
export type RunStarted = z.infer<typeof RunStarted>

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
