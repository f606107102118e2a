import { z } from 'zod'
import { BaseApproach } from '../approaches.ts'
import { Crc32, count, EvaluationMetric, EvidenceCapability, Identifier } from '../common.ts'
import { METRIC_CLASSES } from '../metrics/metric.ts'
import { AnswerMetric } from './answer-scores.ts'
import { CellErrorType, ContextText, RowDataset } from './canonical-row.ts'
import { ContextHealth, DocumentHealth, ExtractionHealth } from './derivation.ts'
import { EvaluationStatus, UnseenEvidence } from './evaluation-result.ts'
import { MissingColumn } from './missing-column.ts'
import { MeasuredLevel } from './measured-level.ts'
import { PanelStatistics } from './judgments.ts'
import { ProtocolCard } from './protocol.ts'
import { IngestionProvenance, Reproducibility } from './provenance.ts'
import { ModelUsage } from './model-usage.ts'
import { RetrievalMetric } from './retrieval-scores.ts'
import { ClusterSummary, MetricComparison, VarianceComponents } from './statistics.ts'
import { TunedApproach } from './tuning.ts'
import { FormerVerdict, Verdict } from './verdict.ts'

const share = z.number().min(0).max(1)
const counts = z.record(z.string(), z.int().min(1))

/**
 * Describes how a quantity is spread over the `n` cells that have it; every figure is null when none has it. The mean is over questions, of the mean
 * over repetitions, as that of a metric; all else is of single cells: a repeated question has several. Quantiles interpolate linearly
 * between the two nearest order statistics (type 7 of Hyndman and Fan 1996); `stdev` is the sample's (n − 1), null below two values.
 */
export const Distribution = z.strictObject({
  n: count,
  mean: z.number().nullable(),
  median: z.number().nullable(),
  stdev: z.number().nullable(),
  p95: z.number().nullable(),
  min: z.number().nullable(),
  max: z.number().nullable(),
  sum: z.number().nullable(),
})
export type Distribution = z.infer<typeof Distribution>

/**
 * State of one metric for one approach. ok: every cell is scored, apart from questions on which no approach can be scored. partial: some are.
 * Otherwise nothing is scored, and the state is the first of these that some cell has: error (of the evaluator), timeout (of the
 * evaluator), not_evaluable, disabled, not_run (the cell failed or has no row).
 */
export const MetricState = z.enum(['ok', 'partial', 'not_evaluable', 'error', 'timeout', 'disabled', 'not_run'])
export type MetricState = z.infer<typeof MetricState>

const countsAddUp = (metric: {
  expected: number
  eligible: number
  scored: number
  errors: number
  timeouts: number
  unevaluable: number
  disabled: number
  not_run: number
  missing: number
}): boolean =>
  metric.eligible === metric.scored + metric.errors + metric.timeouts &&
  metric.expected === metric.eligible + metric.unevaluable + metric.disabled + metric.not_run + metric.missing

/**
 * One metric of one approach: its mean, and where the cells without a score went. Missing is never 0. With repetitions, mean, median and
 * deviation are of the questions' means over their repetitions; the counts are of cells.
 */
export const MetricSummary = z
  .strictObject({
    state: MetricState,
    mean: z.number().nullable(),
    median: z.number().nullable(),
    /** Of the sample (n − 1); null below two scores. */
    stdev: z.number().nullable(),
    scored: count,
    /** Cells with an answer and the evidence that the metric needs: scored, or failed by the evaluator. */
    eligible: count,
    /** One per question and repetition. */
    expected: count,
    /** scored / expected; null when nothing was expected. */
    coverage: share.nullable(),
    /** Evaluator failures other than timeouts. */
    errors: count,
    timeouts: count,
    errors_by_reason: counts,
    unevaluable: count,
    unevaluable_by_reason: counts,
    /** The metric was not asked for, or no evaluator was there. */
    disabled: count,
    /** The cell itself failed, or was never evaluated. */
    not_run: count,
    /** No row yet. */
    missing: count,
    /** True when the approaches that have scores have them for different questions: their means do not compare. */
    unequal_coverage: z.boolean(),
    /** With unequal coverage, the mean over the `n` questions that every scored approach has; null when this approach has no score. */
    common: z.strictObject({ n: count, mean: z.number().nullable() }).nullable(),
  })
  .refine(countsAddUp, 'the counts do not add up to the expected cells')
export type MetricSummary = z.infer<typeof MetricSummary>

const HopMetric = z.strictObject({ n: count, expected: count, mean: z.number().nullable() })

/** Describes what models used for work that is no approach's own, and how long it took; null where that is unknown. */
export const SharedUse = z.strictObject({ models: z.array(ModelUsage).min(1), seconds: z.number().nullable() })
export type SharedUse = z.infer<typeof SharedUse>

/** The scores of the questions that join `hops` facts; null for questions whose author did not count them. Counts are of questions. */
export const HopSummary = z.strictObject({
  hops: z.int().nullable(),
  questions: count,
  ragas: z.partialRecord(EvaluationMetric, HopMetric),
  retrieval: z.partialRecord(RetrievalMetric, HopMetric),
  answer: z.partialRecord(AnswerMetric, HopMetric),
})
export type HopSummary = z.infer<typeof HopSummary>

/** Cost of an approach. Times, calls and tokens are of the cells that answered; attempts of all that were tried. */
export const OperationalSummary = z.strictObject({
  latency_ms: Distribution,
  queue_ms: Distribution,
  /** Time in which an answer waited for its turn at a model, which is not part of its latency; absent where no answer did. */
  waited_ms: Distribution.optional(),
  attempts: Distribution,
  /** Attempts after the first one, over all cells. */
  retries: count,
  prompt_tokens: Distribution,
  completion_tokens: Distribution,
  total_tokens: Distribution,
  server_seconds: Distribution,
  chunks: Distribution,
  llm_calls: Distribution,
  cloud_calls: Distribution,
  /** Time to the first token of the answer; absent where no cell reports it, so that artifacts of earlier rows keep their bytes. */
  first_token_s: Distribution.optional(),
  /** Measures the grading of an answer; absent where no cell records it. */
  grading_ms: Distribution.optional(),
})
export type OperationalSummary = z.infer<typeof OperationalSummary>

/** Describes what models used for the answers of an approach, and for grading them. */
const ApproachUsage = z.strictObject({
  answers: z.array(ModelUsage),
  grading: z.array(ModelUsage),
  /** Cells, failed ones included, that do not record what their answers used. */
  unknown_cells: count,
  /** Answers whose grading failed as a whole and used nothing; absent where there is none, so that artifacts of other runs keep their bytes. */
  ungraded_cells: count.optional(),
})

const approachHead = {
  model: Identifier,
  base_model: BaseApproach,
  flavor: Identifier.nullable(),
  evidence_capability: EvidenceCapability,
}

/** Retrieval scored from the first `tokens` of the stored contexts, over `n` questions. */
export const BudgetPoint = z.strictObject({
  tokens: z.int().min(1),
  n: z.int().min(1),
  /** Mean share of the gold facts. */
  found: share,
  /** Share of the questions of which all gold facts are found. */
  complete: share,
  /** Share of the answers that had as much text, to a tenth; above it the curve is flat because no more was handed over. */
  filled: share.nullable(),
})
export type BudgetPoint = z.infer<typeof BudgetPoint>

export const ApproachSummary = z.strictObject({
  ...approachHead,
  /** False for rows of an earlier selection in the same evidence. */
  selected: z.boolean(),
  cells: z.strictObject({
    expected: count,
    ok: count,
    error: count,
    timeout: count,
    missing: count,
    failures_by_type: z.partialRecord(CellErrorType, z.int().min(1)),
  }),
  operational: OperationalSummary,
  evaluation: z.strictObject({
    statuses: z.record(EvaluationStatus, count),
    evaluator_models: z.array(z.string()),
    embeddings_models: z.array(z.string()),
    /** Evaluated cells of which the evaluator did not see everything, by what was left out; absent when it saw all. */
    unseen: z.partialRecord(UnseenEvidence, z.int().min(1)).optional(),
  }),
  /** Answers that refuse, that answer, and that could not be classified; a state beside the scores. Absent where no row has it. */
  refusals: z.strictObject({ refused: count, answered: count, unknown: count, decided_by_model: count }).optional(),
  /** Cells by the text of their sources that contexts and faithfulness were scored on; absent where no row has it. */
  context_texts: z.partialRecord(ContextText, z.int().min(1)).optional(),
  /** Answers that a limit of tokens cut; absent where none was. */
  cut_answers: z.int().min(1).optional(),
  /** Answers that an agent wrote without one search that worked; absent where there was none. */
  unsearched_answers: z.int().min(1).optional(),
  /** Failures under another setting of a model than the run has now, which no run has tried again; absent where there is none. */
  outdated_failures: z.int().min(1).optional(),
  /** Answers that repeat their prompt and hold no text of their own; absent where there was none. */
  repeated_prompts: z.int().min(1).optional(),
  /**
   * Of the `n` questions whose rows record it: mean number of contexts, and mean share of the gold facts that any of them holds. 0 where nothing
   * was retrieved. Absent where no row records it.
   */
  all_contexts: z.strictObject({ n: z.int().min(1), contexts: z.number(), recall: share }).optional(),
  /**
   * Tokens of the text that the `n` answers with a known amount were written from, and everything that counted them; null where none is known, and
   * in files of before.
   */
  context_tokens: z
    .strictObject({ median: z.number(), mean: z.number(), n: z.int().min(1), by: z.array(z.string()) })
    .nullable()
    .default(null),
  /** Facts found in the first tokens of the contexts; null where no row has gold facts and contexts, and in files of before. */
  budget_curve: z.array(BudgetPoint).nullable().default(null),
  /** Holds what models used over all cells; absent where no row names one, as with rules. */
  usage: ApproachUsage.optional(),
  ragas: z.partialRecord(EvaluationMetric, MetricSummary),
  retrieval: z.partialRecord(RetrievalMetric, MetricSummary),
  answer: z.partialRecord(AnswerMetric, MetricSummary),
  by_hops: z.array(HopSummary),
})
export type ApproachSummary = z.infer<typeof ApproachSummary>

export const JudgedApproach = z.strictObject({
  model: Identifier,
  /** 1 to 5: the mean over questions of the mean over the judges that scored it. */
  mean: z.number().nullable(),
  n: count,
  expected: count,
  coverage: share.nullable(),
  /** Single scores that the mean rests on. */
  scores: count,
  /** Best-answer votes: they only order approaches whose means are equal. */
  votes: count,
  /** 1 is best; shared when mean and votes are equal; null without a mean. */
  rank: z.int().min(1).nullable(),
})
export type JudgedApproach = z.infer<typeof JudgedApproach>

/** The judge join. Whatever is wrong with the judgments stays in here: every other section is made without them. */
export const JudgeSection = z.discriminatedUnion('status', [
  z.strictObject({ status: z.literal('disabled') }),
  z.strictObject({ status: z.literal('pending'), judges: z.array(z.string()) }),
  z.strictObject({
    status: z.literal('error'),
    reason: z.enum(['missing', 'unreadable', 'malformed', 'not_an_object', 'invalid', 'other_run', 'panel_failed']),
    message: z.string(),
    missing: z.array(MissingColumn).optional(),
  }),
  z.strictObject({
    status: z.enum(['ok', 'partial']),
    judges: z.array(z.string()),
    /** Judges of the panel that gave no verdict at all; absent where there is none. */
    missing: z.array(MissingColumn).optional(),
    questions: z.strictObject({ judged: count, expected: count }),
    approaches: z.array(JudgedApproach),
    /** The only approach on rank 1. */
    winner: Identifier.nullable(),
    /** States how far the panel can be trusted, as its own artifact records; null where that does not. */
    panel: PanelStatistics.nullable().default(null),
  }),
])
export type JudgeSection = z.infer<typeof JudgeSection>

export const MetricClass = z.enum(METRIC_CLASSES)
export type MetricClass = z.infer<typeof MetricClass>

/** One metric of one dataset run with the intervals of all means and the comparison of every two selected approaches. */
export const ComparedMetric = z.strictObject({
  metric_class: MetricClass,
  ...MetricComparison.shape,
  /** States where each approach's variance comes from; null when there is one score per question. */
  variance: z.array(z.strictObject({ model: Identifier, components: VarianceComponents })).nullable(),
})
export type ComparedMetric = z.infer<typeof ComparedMetric>

/**
 * Which differences are decided: for each metric that any alias is scored on, in the order ragas, retrieval, answer, judge_panel (`score`),
 * operational (`latency_ms` of answered cells, where lower is better). Scores of a question are means over its repetitions.
 */
export const Comparisons = z.strictObject({
  /** Questions that share a gold document are resampled together. */
  clusters: ClusterSummary,
  metrics: z.array(ComparedMetric),
})
export type Comparisons = z.infer<typeof Comparisons>

/**
 * Looks at a run's result, each with another number of questions. A run that is resumed with more questions is looked at again, and its tests are
 * corrected for it. fixed: the questions belong to the project, and one look was planned; open: a person's own questions, which may grow.
 */
export const LookLedger = z.strictObject({
  plan: z.enum(['fixed', 'open']),
  seen: z.array(
    z.strictObject({
      /** States when its last answer was finished. */
      at: z.string(),
      questions: count,
      /** The primary metric; null where the run has none. */
      metric: z.string().nullable(),
    }),
  ),
})
export type LookLedger = z.infer<typeof LookLedger>

/**
 * `-evaluation.json`: what the evidence of one dataset run adds up to. A pure function of the rows, the selection and the judgments:
 * no clock, fixed key order, numbers that are not whole rounded once to six significant digits, so that a rerun gives equal bytes.
 */
export const Aggregate = z.strictObject({
  schema_version: z.literal(1),
  run_id: Identifier,
  dataset: RowDataset,
  ingestion: IngestionProvenance.nullable(),
  /** Holds what all rows share; null as long as there is no row. */
  reproducibility: Reproducibility.nullable(),
  /** Requested metrics of class `ragas`. */
  metrics: z.array(EvaluationMetric),
  /** Answers that each approach was asked for per question. */
  repeats: z.int().min(1).default(1),
  questions: z.array(
    z.strictObject({ id: Identifier, hops: z.int().nullable(), answerable: z.boolean(), has_gold: z.boolean() }),
  ),
  cells: z.strictObject({ expected: count, ok: count, error: count, timeout: count, missing: count }),
  approaches: z.array(ApproachSummary),
  /** Selected aliases that could not be called at all: a reason instead of figures. */
  unavailable: z.array(z.strictObject({ ...approachHead, reason: z.string() })),
  judge_panel: JudgeSection,
  /** Holds what was equal between the selected approaches; null without a row, with one approach, and in files of before. */
  protocol: ProtocolCard.nullable().default(null),
  /** Null as long as there is no row, and in files of before. */
  comparisons: Comparisons.nullable().default(null),
  /** Absent in files of before, and where only rows are known. */
  looks: LookLedger.optional(),
  /** Largest difference that counted as none, as a share of the scale; absent where it is a tenth. */
  equivalence_margin: z.number().optional(),
  /** States how the extraction went of the graph that was read, counted over its chunks; absent where no row records it. */
  extraction: ExtractionHealth.optional(),
  /** Chunks that were read without their context, because its call failed; absent where none was. */
  contexts: ContextHealth.optional(),
  /** Documents that the collection lacked, because a text of them could not be embedded; absent where it had all. */
  left_out: DocumentHealth.optional(),
  /** The machines that measured the times of its answers, as rows record them; absent where none does. */
  machines: z.array(z.string()).optional(),
  /** Holds what models used for reading the documents, where this run read them; absent where rules did or an earlier run, and where it is unknown. */
  ingestion_use: SharedUse.optional(),
  /** Holds what judges used; absent where rules judged, and in files of before. */
  judging_use: SharedUse.optional(),
  /** States how relational the dataset measured when it ran, beside its declared level; absent in files of before, and where only rows are known. */
  measured_level: MeasuredLevel.optional(),
  /** Approaches whose settings a tuning chose on this dataset; absent where there is none. */
  tuned: z.array(TunedApproach).optional(),
  /** Of this dataset run alone; reports of several rungs correct over all of them. Absent in files of before. */
  verdict: z.union([Verdict, FormerVerdict]).optional(),
  /** CRC-32, lower-case hex, of the file's text before this last field. Set on writing and taken off on reading; absent in files of before. */
  checksum: Crc32.optional(),
})
export type Aggregate = z.infer<typeof Aggregate>
