import { z } from 'zod'
import { count, Identifier } from '../common.ts'
import { HumanJudgments, HumanRound, Letter } from '../evidence/human-round.ts'
import {
  BlockedPrompt,
  JudgedQuery,
  JudgeFailure,
  JudgeGrade,
  JudgePanelRuntime,
  PanelApproach,
  PanelStatistics,
} from '../evidence/judgments.ts'
import { Name } from './run-index/parts.ts'

/** Judges that need no endpoint: rules, no language models. */
export const BUILTIN_JUDGES = ['builtin-lexical-support', 'builtin-semantic-match'] as const

/** The stored answers of one dataset run. */
export const JudgingInput = z.strictObject({ run_id: Identifier, dataset_id: Identifier })
export type JudgingInput = z.infer<typeof JudgingInput>

/**
 * State of a person's blind round on a dataset run. none: not started. open: it takes votes, and no answer of the control API shows a grade
 * of the judges. closed: revealed. under_way: the run still makes its answers, so that no round can start.
 */
export const RoundState = z.strictObject({
  round: z.enum(['none', 'open', 'closed']),
  voted: count,
  under_way: z.boolean(),
})
export type RoundState = z.infer<typeof RoundState>

export const BeginRoundInput = z.strictObject({
  ...JudgingInput.shape,
  /** Shows the reference answer and the gold passages beside the answers. */
  reference: z.boolean().default(true),
  /** Limits a round to so many questions, drawn at random; all when absent. */
  questions: z.int().min(1).max(100_000).optional(),
})
export type BeginRoundInput = z.input<typeof BeginRoundInput>

export const BlindSetsInput = z.strictObject({
  ...JudgingInput.shape,
  offset: count.default(0),
  limit: z.int().min(1).max(50).default(10),
})
export type BlindSetsInput = z.input<typeof BlindSetsInput>

/** A person's vote on one set, by letters. */
export const BlindVote = z.strictObject({
  set: Identifier,
  /** A grade for each letter of the set. */
  scores: z.record(Letter, JudgeGrade),
  best: Letter.nullable().default(null),
  note: z.string().max(4000).default(''),
})
export type BlindVote = z.infer<typeof BlindVote>

/** Letters, questions and answers, without any name of an approach. May hold fewer sets than asked for. */
export const BlindSets = z.strictObject({
  round_id: Identifier,
  /** Hash of the sealed order, fixed before the first vote. */
  commitment: z.string(),
  /** Once the round is revealed it takes no more votes. */
  revealed: z.boolean(),
  total: count,
  voted: count,
  /** Questions left out because their texts would reveal an approach. */
  blocked: count,
  offset: count,
  sets: z.array(HumanRound.shape.sets.element),
  /** Votes on the sets of this page. */
  votes: z.array(BlindVote),
  /** First set without a vote; null when all have one. */
  next_unvoted: count.nullable(),
})
export type BlindSets = z.infer<typeof BlindSets>

export const VoteInput = z.strictObject({ ...JudgingInput.shape, round_id: Identifier, vote: BlindVote })
export type VoteInput = z.input<typeof VoteInput>

export const VoteKept = z.strictObject({ voted: count, total: count })
export type VoteKept = z.infer<typeof VoteKept>

export const RevealInput = z.strictObject({
  ...JudgingInput.shape,
  /** States how the voter wants to be called in the result. */
  rater: z.string().trim().min(1).max(128).default('person'),
})
export type RevealInput = z.input<typeof RevealInput>

/** The round is open: logged with its time. `human` is null without a vote. */
export const Revealed = z.strictObject({
  /** Without the queries, which `judges.results` pages through. */
  human: HumanJudgments.omit({ queries: true }).nullable(),
})
export type Revealed = z.infer<typeof Revealed>

export const JudgeResultsInput = z.strictObject({
  ...JudgingInput.shape,
  offset: count.default(0),
  limit: z.int().min(1).max(200).default(50),
})
export type JudgeResultsInput = z.input<typeof JudgeResultsInput>

/** The panel's verdicts; not while a round is open. */
export const JudgeResults = z.strictObject({
  /** none: no panel has judged this dataset run. */
  status: z.enum(['none', 'ok', 'partial', 'error', 'unusable']),
  /** Why the judgments cannot be used. */
  message: z.string().nullable(),
  judges: z.array(z.string()),
  runtime: JudgePanelRuntime.nullable(),
  approaches: z.array(PanelApproach),
  panel: PanelStatistics.nullable(),
  /** At most 100 each. */
  blocked: z.array(BlockedPrompt),
  /** Questions that were judged, with texts that name an approach left out of their answers. At most 100. */
  withheld: z.array(BlockedPrompt),
  errors: z.array(JudgeFailure),
  human: HumanJudgments.omit({ queries: true }).nullable(),
  total: count,
  offset: count,
  /** With a person's grades of the same question, where there are any. May be fewer than asked for. */
  queries: z.array(
    z.strictObject({
      query: JudgedQuery,
      human: z.strictObject({ scores: z.record(Name, JudgeGrade), best: Name.nullable(), note: z.string() }).nullable(),
    }),
  ),
})
export type JudgeResults = z.infer<typeof JudgeResults>
