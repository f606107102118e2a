import { z } from 'zod'
import { Identifier, SafeRelativePath, versioned } from '../common.ts'

/** Longest gold passage, in characters: about thirty printed pages. */
const MAX_GOLD_CHARACTERS = 100_000

/**
 * Describes what a correct answer rests on: a fact or a passage of any length, as a verbatim span of a corpus document, or the whole document where
 * `fact` is left out.
 */
export const GoldEvidence = z.strictObject({
  document: SafeRelativePath,
  fact: z.string().min(1).max(MAX_GOLD_CHARACTERS).optional(),
})
export type GoldEvidence = z.infer<typeof GoldEvidence>

/** More passages than a question of any public set combines. */
export const MAX_HOPS = 20

const Points = z.array(z.array(z.string().min(1)).min(1))

export const Question = z.strictObject({
  id: Identifier,
  query: z.string().min(1).max(8000),
  /** The right answer; for unanswerable questions, what is missing. Null when it is not given. */
  ground_truth: z.string().min(1).max(16_000).nullable().default(null),
  answerable: z.boolean().default(true),
  /** States how many passages, paragraphs of documents, must be found and combined. */
  hops: z.int().min(1).max(MAX_HOPS).nullable().default(null),
  gold: z.array(GoldEvidence).default([]),
  /** Holds what the question asks for, and a right answer therefore mentions: each inner list holds the accepted spellings of one point. */
  answer_keys: Points.default([]),
  /** Holds what has to be found on the way to the answer and is not asked for, spelled as the points are. No answer has to mention it, and no score reads it: it is for your own analysis of how far an approach came. */
  bridge_keys: Points.optional(),
  /** Plausible wrong answers: an answer that names one has no point. */
  forbidden_answers: z.array(z.string().min(1)).optional(),
  rationale: z.string().nullable().default(null),
  expect_winner: Identifier.nullable().default(null),
  tags: z.array(z.string()).default([]),
})
export type Question = z.infer<typeof Question>

const haveOwnIds = (items: readonly Question[]): boolean => new Set(items.map((item) => item.id)).size === items.length

/** Questions of a dataset that may have none yet. */
export const QuestionList = z.array(Question).max(10_000).refine(haveOwnIds, 'question ids must be unique')

export const Questions = z
  .array(Question)
  .min(1, 'at least one question is needed')
  .max(10_000)
  .refine(haveOwnIds, 'question ids must be unique')

/** `manifests/queries/*.yaml`: the questions of one dataset of the older layout, or those that replace a dataset's own. */
export const QueryFile = versioned({ dataset_id: Identifier, queries: Questions })
export type QueryFile = z.infer<typeof QueryFile>
