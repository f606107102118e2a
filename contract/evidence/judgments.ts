import { z } from 'zod'
import { Crc32, count, Identifier, Sha256 } from '../common.ts'
import { ModelUsage } from './model-usage.ts'
import { IngestionProvenance } from './provenance.ts'
import { Agreement, FlipRates, LeaveOneJudgeOut, LengthCorrelation, PositionEffect } from './statistics.ts'

const score = z.number().min(1).max(5)
/** A grade as a judge gives it; means of grades need not be whole. */
export const JudgeGrade = z.int().min(1).max(5)
const byAlias = <Value extends z.ZodType>(value: Value) => z.record(Identifier, value)
const reasons = byAlias(z.string())

/** One reply of a judge, letters resolved. `order[0]` was shown as A. */
export const JudgedRotation = z.looseObject({
  rotation: count,
  order: z.array(Identifier),
  scores: byAlias(JudgeGrade),
  best: Identifier.nullable(),
  reasons: reasons.optional(),
  /** Tries that the verdict took; 2 when the first reply could not be used. */
  attempts: z.int().min(1),
  /** Holds what the judge's model used; absent where rules judged, and in files of before. */
  usage: ModelUsage.optional(),
})
export type JudgedRotation = z.infer<typeof JudgedRotation>

/** One judge's verdict on one question, letters already resolved to aliases. */
export const JudgeVerdict = z.looseObject({
  /** Means over the rotations. */
  scores: byAlias(score),
  /** Named best in most rotations; null where the judge named none or several equally often. */
  best: Identifier.nullable(),
  /** Of the first rotation that has a verdict. */
  reasons: reasons.optional(),
  rotations: z.array(JudgedRotation).optional(),
})
export type JudgeVerdict = z.infer<typeof JudgeVerdict>

/**
 * Why a question has no winner. not_judged: no verdict. tie: mean and votes are equal. Files of before have too_few_judges and judges_disagree
 * here too, for what is now a disputed winner.
 */
export const InconclusiveReason = z.enum(['not_judged', 'too_few_judges', 'tie', 'judges_disagree'])
export type InconclusiveReason = z.infer<typeof InconclusiveReason>

/**
 * Why a question's winner is to be read with care. too_few_judges: one judge alone has a verdict. judges_disagree: at least half of the judges
 * put another answer two points or more above it.
 */
export const DisputeReason = z.enum(['too_few_judges', 'judges_disagree'])
export type DisputeReason = z.infer<typeof DisputeReason>

/** Describes what the judges saw of one stored answer. */
export const JudgedAnswer = z.strictObject({
  /** False for a failed cell, which is shown as an explicit "no answer". */
  answered: z.boolean(),
  /** As shown, in UTF-16 units. */
  characters: count,
  /** The stored answer is longer than judges are shown. */
  capped: z.boolean(),
  /** Characters were changed so that the answer cannot pass for a delimiter or a control sequence, or what names an approach was withheld. */
  neutralized: z.boolean(),
  /** Of the text as shown, UTF-8. */
  sha256: Sha256,
})
export type JudgedAnswer = z.infer<typeof JudgedAnswer>

export const JudgedQuery = z.looseObject({
  query_id: Identifier,
  query: z.string(),
  expect_winner: z.string().nullable().optional(),
  per_judge: z.record(z.string(), JudgeVerdict),
  /** Rounded to two decimals. */
  mean_by_approach: byAlias(score),
  votes: byAlias(count),
  /** Highest mean; votes only where means are equal. */
  observed_winner: Identifier.nullable(),
  /** Set exactly when there is no winner. */
  inconclusive: InconclusiveReason.nullable().optional(),
  /** Null for a winner that is not disputed, and where there is none; absent in files of before. */
  disputed: DisputeReason.nullable().optional(),
  answers: byAlias(JudgedAnswer).optional(),
})
export type JudgedQuery = z.infer<typeof JudgedQuery>

/** A text in a prompt that would reveal to a judge which approach answered. */
export const PromptLeak = z.strictObject({
  kind: z.enum(['alias', 'engine', 'source_marker', 'metrics_footer']),
  /** The text as found. */
  text: z.string(),
  /** `question`, `reference`, or the alias whose answer holds it. */
  found_in: z.string(),
})
export type PromptLeak = z.infer<typeof PromptLeak>

/** A question that no judge was shown, because its prompt would have leaked. */
export const BlockedPrompt = z.strictObject({ query_id: Identifier, leaks: z.array(PromptLeak).min(1) })
export type BlockedPrompt = z.infer<typeof BlockedPrompt>

export const JudgeErrorCode = z.enum([
  'timeout',
  'connection_failed',
  'http_error',
  'access_refused',
  'rate_limited',
  'invalid_response',
  'invalid_verdict',
  'prompt_blocked',
])
export type JudgeErrorCode = z.infer<typeof JudgeErrorCode>

/** A verdict that was not obtained in two attempts. */
export const JudgeFailure = z.strictObject({
  query_id: Identifier,
  judge: z.string(),
  rotation: count,
  code: JudgeErrorCode,
  message: z.string(),
  attempts: count,
  usage: ModelUsage.optional(),
})
export type JudgeFailure = z.infer<typeof JudgeFailure>

/** Describes how a panel was set up: everything that its verdicts depend on besides the answers. */
export const JudgePanelRuntime = z.looseObject({
  /** Absent in files of earlier versions. */
  prompt_name: z.string().optional(),
  prompt_version: z.int().min(1),
  /** `platform-gateway`, `builtin` when no judge needs an endpoint, or an address without credentials. */
  endpoint: z.string(),
  /** Null when chat judges were sent none. */
  temperature: z.number().nullable(),
  /** Holds what chat judges were sent as `think`; null when nothing. */
  think: z.boolean().nullable(),
  rotations: z.int().min(1),
  /** True when chat judges were shown the ground truth. */
  reference: z.boolean(),
  answer_cap: count,
  judges: z.array(z.strictObject({ name: z.string(), family: z.string(), kind: z.enum(['chat', 'builtin']) })),
})
export type JudgePanelRuntime = z.infer<typeof JudgePanelRuntime>

/** Describes how one judge behaves, whatever it prefers. */
export const JudgeProfile = z.strictObject({
  judge: z.string(),
  verdicts: count,
  failures: count,
  mean_score: z.number().nullable(),
  position_effect: PositionEffect,
  flip_rates: FlipRates,
  length_correlation: LengthCorrelation,
})
export type JudgeProfile = z.infer<typeof JudgeProfile>

/** Describes how far the panel can be trusted. */
export const PanelStatistics = z.strictObject({
  judges: z.array(JudgeProfile),
  /** Ordinal; a rated thing is one answer in one rotation, or one answer where every judge grades it alike in each rotation. */
  alpha: Agreement,
  /** The same over questions that have an answer: on the others all judges read the same refusals. Absent in files of before. */
  alpha_answerable: Agreement.optional(),
  /** The same over answers that some judge graded above 1: agreement about what is plainly wrong is easy. Absent in files of before. */
  alpha_above_minimum: Agreement.optional(),
  leave_one_out: LeaveOneJudgeOut,
  /** Questions without a winner, by reason. */
  inconclusive: z.partialRecord(InconclusiveReason, count),
  /** Questions with a disputed winner, by reason; absent in files of before. */
  disputed: z.partialRecord(DisputeReason, count).optional(),
})
export type PanelStatistics = z.infer<typeof PanelStatistics>

/** An approach over all judged questions of the run. */
export const PanelApproach = z.strictObject({
  model: Identifier,
  /** Mean over questions of the mean over judges; null when nothing of it was judged. */
  mean: z.number().nullable(),
  questions: count,
  votes: count,
  /** Questions of which it is the observed winner. */
  wins: count,
})
export type PanelApproach = z.infer<typeof PanelApproach>

/** `-judgments.json`: the panel's verdicts on the stored answers of one dataset run. Older files have the first fields only. */
export const Judgments = z.looseObject({
  /** partial: some verdicts are missing. error: all are. */
  status: z.enum(['ok', 'partial', 'error']),
  dataset_id: Identifier,
  judges: z.array(z.string()),
  queries: z.array(JudgedQuery),
  ingestion: IngestionProvenance.nullable().optional(),
  run_id: Identifier.optional(),
  runtime: JudgePanelRuntime.optional(),
  approaches: z.array(PanelApproach).optional(),
  blocked: z.array(BlockedPrompt).optional(),
  /** Questions in whose answers something that identifies an approach was withheld from all judges; they were judged. */
  withheld: z.array(BlockedPrompt).optional(),
  errors: z.array(JudgeFailure).optional(),
  panel: PanelStatistics.optional(),
  /** CRC-32, lower-case hex, of the file's text before this last field. Set on writing and taken off on reading; absent in files of before. */
  checksum: Crc32.optional(),
})
export type Judgments = z.infer<typeof Judgments>

const oldScores = z.record(z.string(), z.unknown())

/**
 * Judgments of before these fields were fixed, and of other writers: `status`, `dataset_id` and `judges` may be missing, `runtime` and
 * `ingestion` have other members, a judge without a verdict is null or has no scores.
 */
export const HistoricalJudgments = z.looseObject({
  status: z.enum(['ok', 'partial', 'error']).optional().catch(undefined),
  dataset_id: Identifier.optional().catch(undefined),
  run_id: Identifier.optional().catch(undefined),
  judges: z.array(z.string()).optional().catch(undefined),
  ingestion: z.record(z.string(), z.unknown()).nullish().catch(undefined),
  queries: z.array(
    z.looseObject({
      query_id: Identifier,
      query: z.string().catch(''),
      expect_winner: z.string().nullish().catch(undefined),
      per_judge: z.record(
        z.string(),
        z
          .looseObject({
            scores: oldScores,
            best: z.string().nullish().catch(undefined),
            reasons: z.record(z.string(), z.unknown()).optional().catch(undefined),
          })
          .nullable()
          .catch(null),
      ),
      mean_by_approach: oldScores.optional().catch(undefined),
      votes: oldScores.optional().catch(undefined),
      observed_winner: z.string().nullish().catch(undefined),
    }),
  ),
})
export type HistoricalJudgments = z.infer<typeof HistoricalJudgments>
