import { z } from 'zod'
import { MOST_PASSAGES, QuestionClass } from '../question-classes.ts'

/** Most drafts that one request asks for. */
export const MAX_DRAFTS_A_CALL = 10
/** Longest text of a passage, in characters. */
const MAX_DRAFT_PASSAGE = 20_000

/** A part of a document that questions are drafted from. */
export const DraftPassage = z.strictObject({
  document: z.string().min(1).max(1024),
  title: z.string().max(1024),
  text: z.string().min(1).max(MAX_DRAFT_PASSAGE),
})
export type DraftPassage = z.infer<typeof DraftPassage>

/** `POST /api/questions/draft`: one call of the model that writes answers, for questions of one class; without a class, two passages ask for questions that need both. */
export const DraftQuestionsRequest = z.strictObject({
  count: z.int().min(1).max(MAX_DRAFTS_A_CALL),
  passages: z.array(DraftPassage).min(1).max(MOST_PASSAGES),
  question_class: QuestionClass.optional(),
})
export type DraftQuestionsRequest = z.infer<typeof DraftQuestionsRequest>

/** A question as a model wrote it; nothing of it was checked. */
export const RawDraft = z.strictObject({
  question: z.string(),
  answer: z.string(),
  /** Passages that the answer rests on, as the model quotes them. */
  quotes: z.array(z.strictObject({ document: z.string(), text: z.string() })),
})
export type RawDraft = z.infer<typeof RawDraft>

export const DraftQuestionsResponse = z.strictObject({
  model: z.string(),
  /** Made by rules, not by a language model. */
  rules: z.boolean(),
  drafts: z.array(RawDraft),
  /** Why the reply could not be read; null where it could. */
  problem: z.string().nullable(),
  /** Null where the model does not report them. */
  usage: z.strictObject({ input_tokens: z.int().min(0), output_tokens: z.int().min(0) }).nullable(),
})
export type DraftQuestionsResponse = z.infer<typeof DraftQuestionsResponse>
