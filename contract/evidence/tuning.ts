import { z } from 'zod'
import { Identifier, Sha256 } from '../common.ts'
import { ContextTokens } from './context-budget.ts'
import { ANSWER_METRICS, RETRIEVAL_METRICS } from '../metrics/metrics.ts'

// The records of a tuning. Its journal begins with the plan and has a line for each finished trial and for the confirmation, so that a tuning that was stopped goes on
// with what is done. The ledger of the project has a line for each split of a dataset and for each opening of a holdout.

/** Values of the parameters that are tuned, by name. */
export const SettingValues = z.record(z.string(), z.json())
export type SettingValues = z.infer<typeof SettingValues>

export const SearchMethod = z.enum(['grid', 'random', 'halving'])
export type SearchMethod = z.infer<typeof SearchMethod>

/** Metrics that are computed without a model that grades: of the contexts, and of answers against what their questions declare. */
export const TunedMetric = z.enum([...RETRIEVAL_METRICS, ...ANSWER_METRICS])
export type TunedMetric = z.infer<typeof TunedMetric>

/** Parameters that say how the documents are cut. */
export const CHUNK_PARAMETERS = ['chunk_size', 'overlap'] as const

/** With a fixed budget of tokens these change nothing: the budget says how many passages are handed over. */
export const DECIDED_BY_BUDGET: readonly string[] = ['k', 'top_n', 'max_contexts', 'max_context_chunks']

/** Name of a tuning and of its folder. */
export const TuningName = Identifier.max(100)

const QuestionIds = z.array(Identifier)

/** Identifies a question in the ledger, so that a later edit is noticed: digests of its words, without case and punctuation, and of its gold evidence with its reference answer. */
export const QuestionDigests = z.strictObject({ text: z.string(), evidence: z.string() })
export type QuestionDigests = z.infer<typeof QuestionDigests>

/** By id; absent in lines of versions that kept ids alone. */
const DigestsById = z.record(Identifier, QuestionDigests).optional()

/**
 * A question that is not the one which the ledger has first under its id. text: other words for the same evidence. evidence: the same words, with other gold evidence or another reference.
 * replaced: both are others, so that it is another question.
 */
export const EditedQuestion = z.strictObject({ id: Identifier, change: z.enum(['text', 'evidence', 'replaced']) })
export type EditedQuestion = z.infer<typeof EditedQuestion>

/** All that a tuning depends on; one that is resumed must have an equal one. */
export const TuningPlan = z.strictObject({
  dataset: Identifier,
  alias: Identifier,
  metric: TunedMetric,
  context_budget: ContextTokens,
  /** True where each question is answered too. */
  answers: z.boolean(),
  search: SearchMethod,
  seed: z.string(),
  /** Names of the parameters that are tuned. */
  tuned: z.array(z.string()),
  /** The first is the alias as it is. */
  settings: z.array(SettingValues).min(2),
  /** All parameters of the alias as it is. */
  parameters: z.record(z.string(), z.json()),
  /** Questions of each round, in the order in which they are asked; all settings are asked those of the first. */
  rounds: z.array(QuestionIds.min(1)).min(1),
  holdout: QuestionIds,
  /** SHA-256 of the questions with their gold evidence. */
  questions_sha256: Sha256,
  /** Digest of the documents. */
  corpus_digest: z.string(),
  /** Names of the models of the platform, by role; of those that a tuning without answers asks. */
  models: z.record(z.string(), z.string()),
})
export type TuningPlan = z.infer<typeof TuningPlan>

/** Holds the figures of one round, or of the holdout, with one setting. */
export const TrialFigures = z.strictObject({
  /** Scores in the order of the questions; null where a question failed or cannot be scored. */
  scores: z.array(z.number().nullable()),
  /** Tokens handed over and seconds of the platform without embedding, question by question; null where it failed. */
  tokens: z.array(z.number().nullable()),
  seconds: z.array(z.number().nullable()),
  /** Questions that failed, and why the first did. */
  failed: z.int().min(0),
  failure: z.string().nullable(),
  calls: z.strictObject({
    questions: z.int().min(0),
    embedded: z.int().min(0),
    reranked: z.int().min(0),
    chats: z.int().min(0),
  }),
  wall_ms: z.number().min(0),
})
export type TrialFigures = z.infer<typeof TrialFigures>

export const TuningLine = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('plan'), at: z.string(), plan: TuningPlan }),
  z.strictObject({
    kind: z.literal('trial'),
    at: z.string(),
    setting: z.int().min(0),
    round: z.int().min(0),
    figures: TrialFigures,
  }),
  z.strictObject({
    kind: z.literal('holdout'),
    at: z.string(),
    setting: z.int().min(0),
    figures: TrialFigures,
  }),
])
export type TuningLine = z.infer<typeof TuningLine>

/** Sets the chunks; the default of a profile counts as its values. */
const TunedChunks = z.strictObject({ chunk_size: z.number(), overlap: z.number() })

export const LedgerLine = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('split'),
    at: z.string(),
    dataset: Identifier,
    seed: z.string(),
    share: z.number(),
    development: QuestionIds,
    holdout: QuestionIds,
    digests: DigestsById,
  }),
  z.strictObject({
    kind: z.literal('opening'),
    at: z.string(),
    dataset: Identifier,
    tuning: Identifier,
    alias: Identifier,
    winner: SettingValues,
    metric: z.string(),
    questions: QuestionIds,
    digests: DigestsById,
  }),
  /** Settings that a tuning chose: an approach that has them later was tuned on the questions of development. */
  z.strictObject({
    kind: z.literal('winner'),
    at: z.string(),
    dataset: Identifier,
    tuning: Identifier,
    /** The alias that was tuned, and its approach. */
    alias: Identifier,
    base: z.string(),
    /** All parameters of the approach with the winner's values; of an own approach its settings and its k. */
    parameters: SettingValues,
    chunks: TunedChunks,
    /** Settings that were tried besides the alias as it is. */
    settings: z.int().min(1),
    /** States its result; null while it is sealed. */
    state: z.string().nullable(),
    /** Aliases that had these settings before: no one chose them by this tuning. */
    existing: z.array(Identifier),
  }),
])
export type LedgerLine = z.infer<typeof LedgerLine>

/** An approach of a run whose settings a tuning chose on the run's dataset. */
export const TunedApproach = z.strictObject({
  model: Identifier,
  tuning: Identifier,
  /** Settings that the tuning tried. */
  settings: z.int().min(1),
  /** Questions of the run that were used for the choice, and those of the holdout. */
  development: z.int().min(0),
  holdout: z.int().min(0),
  /** Counts how often tunings opened the dataset's holdout before the run. */
  openings: z.int().min(0),
  /** States the result of the holdout; null while it is sealed. */
  state: z.string().nullable(),
  /** Questions of the run that were edited after the ledger had them; absent where none was. */
  edited: z.array(EditedQuestion).min(1).optional(),
})
export type TunedApproach = z.infer<typeof TunedApproach>
