import { z } from 'zod'
import { Identifier } from '../common.ts'
import { Question } from '../manifests/queries.ts'

/** Also the name of a folder and of a file. */
const newId = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,62}$/, 'a small letter, then small letters, digits and "_", at most 63')

const newQuestion = z.strictObject({
  query: Question.shape.query,
  /** The right answer, where it is known: metrics that compare with it need it. */
  ground_truth: z.string().min(1).max(16_000).nullable().default(null),
})

/** A rung of one's own: an empty corpus folder, an ingestion profile, one question. It runs when it is chosen. */
export const CreateDatasetInput = z.strictObject({
  id: newId,
  label: z.string().trim().min(1).max(120),
  description: z.string().max(1000).default(''),
  question: newQuestion,
})
export type CreateDatasetInput = z.input<typeof CreateDatasetInput>

export const AddQuestionInput = z.strictObject({ dataset_id: Identifier, ...newQuestion.shape })
export type AddQuestionInput = z.input<typeof AddQuestionInput>

export const AddedQuestion = z.strictObject({ question_id: Identifier, questions: z.int().min(1) })
export type AddedQuestion = z.infer<typeof AddedQuestion>
