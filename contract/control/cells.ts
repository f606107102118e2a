import { z } from 'zod'
import { BaseApproach } from '../approaches.ts'
import { count, EvaluationMetric, EvidenceCapability, Sha256 } from '../common.ts'
import { ApproachSummary, MetricState } from '../evidence/aggregate.ts'
import { AnswerMetric } from '../evidence/answer-scores.ts'
import { CanonicalRow, CellStatus } from '../evidence/canonical-row.ts'
import { EvaluationStatus } from '../evidence/evaluation-result.ts'
import { JudgedAnswer, PromptLeak } from '../evidence/judgments.ts'
import { RetrievalMetric } from '../evidence/retrieval-scores.ts'
import { Cost } from '../manifests/prices.ts'
import { CellCut, CellVerdict } from './run-index/cell.ts'
import { Name, runDataset } from './run-index/parts.ts'

/** Describes how one answer was prepared for the judges. Lists hold at most 20 items. */
export const CellJudging = z.strictObject({
  /** Holds what the judges saw of it; null where the file does not record it, as in older files. */
  shown: JudgedAnswer.nullable(),
  /** Texts that would name its approach, left out of this answer before any judge read it. */
  withheld: z.array(PromptLeak),
  /** Why no judge was shown the question; empty where they were. */
  blocked: z.array(PromptLeak),
})
export type CellJudging = z.infer<typeof CellJudging>

const Place = z.strictObject({ rank: z.int().min(1), of: z.int().min(1) })

/** States how far a gold fact came that no context holds. */
export const GoldPath = z.strictObject({
  /** `not_reranked`: a search returned it, and the last ranking did not read it. `not_handed_over`: it was ranked, and the contexts ended before it. */
  stage: z.enum(['not_retrieved', 'not_reranked', 'not_handed_over']),
  /** True when a passage that holds it was seen; false when only passages of its document were. */
  is_seen: z.boolean(),
  /** Its place in the results of a search; null where that is unknown. */
  search: Place.nullable(),
  /** Its place after the reranker; null without one. */
  reranker: Place.nullable(),
  /** Passages that the last ranking read; null without one. */
  reranked: count.nullable(),
})
export type GoldPath = z.infer<typeof GoldPath>

/** Cost of one answer and of grading it, at prices of today: rows hold tokens, no money. */
export const AnswerCost = z.strictObject({ answer: Cost, grading: Cost })
export type AnswerCost = z.infer<typeof AnswerCost>

/** One cell in full. Texts and lists that would not fit are cut, and `cuts` lists where; `cells.answerSlice` reads on. */
export const CellDetail = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('canonical'),
    row: CanonicalRow,
    cuts: z.array(CellCut),
    verdicts: z.array(CellVerdict),
    /** Null where no judge panel ran on the dataset run, or its file cannot be read. */
    judging: CellJudging.nullable(),
    /**
     * Rank, from 1, of the first context that holds each gold fact, by the rule of the retrieval metrics; null for a fact that none holds. Null for
     * all where it is unknown: the answer came without passages, or they are cut.
     */
    gold_ranks: z.array(z.int().min(1).nullable()).nullable(),
    /** States how far a gold fact came that no context holds, null for others; null for all where the trace does not show it. */
    gold_paths: z.array(GoldPath.nullable()).nullable(),
    cost: AnswerCost,
  }),
  z.strictObject({
    kind: z.literal('historical'),
    cell: z.record(z.string(), z.json()),
    cuts: z.array(CellCut),
    verdicts: z.array(CellVerdict),
  }),
])
export type CellDetail = z.infer<typeof CellDetail>

/** The same question in another alias of the same run; null fields where there is no row yet. */
export const OtherCell = z.strictObject({
  model: Name,
  base_model: BaseApproach.nullable(),
  row_id: Sha256.nullable(),
  status: CellStatus.nullable(),
  error_type: z.string().nullable(),
  evaluation: EvaluationStatus.nullable(),
  latency_ms: z.number().nullable(),
  scores: z.partialRecord(
    z.enum([...EvaluationMetric.options, ...RetrievalMetric.options, ...AnswerMetric.options]),
    z.number(),
  ),
  judge_mean: z.number().nullable(),
  /** Share of the gold facts that its contexts hold, at whatever rank; null where that is unknown. */
  found: z.number().min(0).max(1).nullable(),
})
export type OtherCell = z.infer<typeof OtherCell>

/** One metric of one alias: where each expected cell went. Reasons are null as long as the run is not summed up. */
export const CoverageMetric = z.strictObject({
  group: z.enum(['ragas', 'retrieval', 'answer']),
  metric: z.string(),
  state: MetricState,
  mean: z.number().nullable(),
  scored: count,
  expected: count,
  coverage: z.number().min(0).max(1).nullable(),
  errors: count,
  timeouts: count,
  unevaluable: count,
  disabled: count,
  not_run: count,
  missing: count,
  errors_by_reason: z.record(z.string(), count).nullable(),
  unevaluable_by_reason: z.record(z.string(), count).nullable(),
  unequal_coverage: z.boolean(),
  /** With unequal coverage, the mean over the questions that every scored approach has. */
  common: z.strictObject({ n: count, mean: z.number().nullable() }).nullable(),
})
export type CoverageMetric = z.infer<typeof CoverageMetric>

export const CoverageAlias = z.strictObject({
  model: Name,
  base_model: BaseApproach.nullable(),
  flavor: z.string().nullable(),
  evidence_capability: EvidenceCapability.nullable(),
  cells: z.strictObject({ ok: count, error: count, timeout: count, missing: count, expected: count }),
  failures_by_type: z.record(z.string(), count),
  /** Why it could not be called at all. */
  unavailable: z.string().nullable(),
  /** Answers by whether they refuse; null where no row records it, and as long as the run is not summed up. */
  refusals: ApproachSummary.shape.refusals.unwrap().nullable(),
  metrics: z.array(CoverageMetric),
})
export type CoverageAlias = z.infer<typeof CoverageAlias>

export const Coverage = z.strictObject({
  ...runDataset,
  /** summary: from the run's aggregate. live: from the rows so far, without reasons. */
  basis: z.enum(['summary', 'live']),
  aliases: z.array(CoverageAlias),
  /** Sentences about what cannot be compared, and why. */
  notes: z.array(z.string()),
})
export type Coverage = z.infer<typeof Coverage>
