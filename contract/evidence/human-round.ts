import { z } from 'zod'
import { Identifier, Sha256 } from '../common.ts'
import { JudgeGrade } from './judgments.ts'
import { Agreement } from './statistics.ts'

export const Letter = z.string().regex(/^[A-Z]{1,2}$/, 'the letter of an answer')

/** Describes what a person votes on: no alias, no run name, nothing that reveals which approach answered. */
export const HumanRound = z.strictObject({
  schema_version: z.literal(1),
  round_id: Identifier,
  /** Hash of the seal file, published before anyone votes: the order cannot be changed afterwards. */
  commitment: z.strictObject({ algorithm: z.literal('sha256'), value: Sha256 }),
  scale: z.strictObject({ lowest: z.literal(1), highest: z.literal(5) }),
  sets: z.array(
    z.strictObject({
      set: Identifier,
      question: z.string(),
      /** Null when the round is voted on without ground truth. */
      reference: z.string().nullable(),
      /** Passages that hold what the answer needs; absent where the round is voted on without them. */
      passages: z.array(z.string()).optional(),
      /** Answers that are the same word for word are one. */
      answers: z.array(z.strictObject({ letter: Letter, text: z.string() })).min(1),
    }),
  ),
  /** Questions that are left out because their texts would reveal an approach. */
  blocked: z.int().min(0),
})
export type HumanRound = z.infer<typeof HumanRound>

/** The approach of each letter; withheld from the voter until the votes are in. The salt keeps the commitment from being guessed. */
export const HumanSeal = z.strictObject({
  schema_version: z.literal(1),
  salt: Sha256,
  run_id: Identifier,
  dataset_id: Identifier,
  sets: z.array(
    z.strictObject({
      set: Identifier,
      query_id: Identifier,
      /** `order[0]` is A. */
      order: z.array(Identifier).min(1),
      /** Approaches that gave the very text of one in `order`: they get its grade. */
      same: z.record(Identifier, z.array(Identifier)).optional(),
      /** Of the canonical JSON of the set as it was published. */
      sha256: Sha256,
    }),
  ),
})
export type HumanSeal = z.infer<typeof HumanSeal>

export const HumanVotes = z.strictObject({
  round_id: Identifier,
  rater: z.string().min(1, 'enter your name').max(128),
  votes: z.array(
    z.strictObject({
      set: Identifier,
      scores: z.record(Letter, JudgeGrade),
      best: Letter.nullable().default(null),
    }),
  ),
})
export type HumanVotes = z.infer<typeof HumanVotes>

/** A person and a judge on the answers that both graded. */
export const HumanAgreement = z.strictObject({
  judge: z.string(),
  /** Cohen's kappa with quadratic weights; a judge's mean over rotations counts as its nearest grade, halves upwards. */
  kappa: Agreement,
  best: z.strictObject({ same: z.int().min(0), compared: z.int().min(0) }),
})
export type HumanAgreement = z.infer<typeof HumanAgreement>

/** `-human.json`: a person's votes after the seal was opened. */
export const HumanJudgments = z.strictObject({
  schema_version: z.literal(1),
  round_id: Identifier,
  run_id: Identifier,
  dataset_id: Identifier,
  rater: z.string(),
  commitment: Sha256,
  /** Of the canonical JSON of the votes that opened the seal. */
  votes_sha256: Sha256,
  sets: z.strictObject({ voted: z.int().min(0), offered: z.int().min(0) }),
  queries: z.array(
    z.strictObject({
      query_id: Identifier,
      scores: z.record(Identifier, JudgeGrade),
      best: Identifier.nullable(),
      /** Others whose answer was the same text as the best one. */
      also_best: z.array(Identifier).optional(),
    }),
  ),
  approaches: z.array(
    z.strictObject({
      model: Identifier,
      mean: z.number().nullable(),
      questions: z.int().min(0),
      votes: z.int().min(0),
    }),
  ),
  agreement: z.array(HumanAgreement),
})
export type HumanJudgments = z.infer<typeof HumanJudgments>
