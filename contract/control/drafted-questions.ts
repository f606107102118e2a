import { z } from 'zod'
import { count, Identifier, SafeRelativePath, versioned } from '../common.ts'
import { Cost } from '../manifests/prices.ts'
import { Question } from '../manifests/queries.ts'
import { QuestionClass } from '../question-classes.ts'
import { OwnDataset } from './own-datasets.ts'
import { PlannedDifference } from './run-job.ts'

// Questions that a model drafts from the documents of an own dataset (decision 090). They are kept beside the dataset, and become questions of it only
// when a person accepts them.

const one = { dataset_id: Identifier }

/** A draft that was checked: its gold passages are in their documents. */
export const DraftedQuestion = z.strictObject({
  id: Identifier,
  question: Question.omit({ id: true }),
  /** The model that wrote it. */
  model: z.string(),
  /** Made by rules, not by a language model. */
  rules: z.boolean(),
  /** A quoted passage was not in its document and was replaced by the nearest one. */
  repaired: z.boolean(),
  /** Absent from drafts of earlier versions. */
  question_class: QuestionClass.optional(),
  /** Rank by which keyword search (BM25) has found all gold passages among the paragraphs of the corpus: the higher, the harder. Null below 100, and without gold. */
  bm25_rank: z.int().min(1).nullable().optional(),
  /** Of an unanswerable one: the paragraph that keyword search ranks first. A person decides whether it answers the question after all. */
  nearest: z.strictObject({ document: SafeRelativePath, text: z.string() }).optional(),
  drafted_at: z.iso.datetime(),
})
export type DraftedQuestion = z.infer<typeof DraftedQuestion>

/** `datasets/<id>/drafts.json`. */
export const DraftsFile = versioned({ drafts: z.array(DraftedQuestion) })

/** Most questions that are asked for at once. */
export const MAX_DRAFTS = 200

const wanted = {
  ...one,
  count: z.int().min(1).max(MAX_DRAFTS),
  /** Facts that must be joined: 2 takes passages of two documents. */
  hops: z.int().min(1).max(2).default(1),
  /** Classes of the questions, an equal share of each, in the place of `hops`. */
  classes: z.array(QuestionClass).min(1).max(QuestionClass.options.length).optional(),
  /** Only these; all unless given. */
  documents: z.array(SafeRelativePath).min(1).max(1000).optional(),
}
export const DraftPlanInput = z.strictObject(wanted)
export type DraftPlanInput = z.input<typeof DraftPlanInput>

/** Describes what drafting would do. Calls nothing. */
export const DraftPlan = z.strictObject({
  /** Calls of the model, at most. */
  calls: z.int().min(1),
  /** Documents that passages are taken from, and those that are left out because only a converter reads them. */
  documents: count,
  unread_documents: count,
  /** Null for a platform elsewhere, whose models are its own. */
  model: z.string().nullable(),
  model_set: z.string().nullable(),
  rules: z.boolean(),
  /** The passages are sent to another machine. */
  leaves_machine: z.boolean(),
  /** About so many, by the length of the passages. */
  input_tokens: count,
  output_tokens: count,
  /** Null where nothing is paid for. */
  cost: Cost.nullable(),
})
export type DraftPlan = z.infer<typeof DraftPlan>

export const DraftInput = z.strictObject({
  ...wanted,
  /** The plan's calls as the person saw them. Needed where passages leave this machine. */
  confirmed_calls: z.int().min(1).optional(),
})

/** Describes what drafting does; `done` comes last. Drafts are kept call by call: a client that leaves stops it and loses none. */
export const DraftStep = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('progress'), calls: count, of: count, drafted: count, dropped: count }),
  z.strictObject({
    type: z.literal('done'),
    calls: count,
    drafted: count,
    repaired: count,
    /** Drafts that were not kept, by the reason in words. */
    dropped: z.array(z.strictObject({ count, reason: z.string() })),
    /** Null where the model did not report them. */
    usage: z.strictObject({ input_tokens: count, output_tokens: count }).nullable(),
  }),
])
export type DraftStep = z.infer<typeof DraftStep>

export const DraftList = z.strictObject({ drafts: z.array(DraftedQuestion) })
export type DraftList = z.infer<typeof DraftList>

/** Asks what the questions of a dataset decide together with these drafts, on the primary metric. */
export const DraftPowerInput = z.strictObject({ ...one, draft_ids: z.array(Identifier).max(1000) })

export const DraftPower = z.strictObject({
  /** Questions of the dataset, and drafts that were asked about. */
  questions: count,
  drafts: count,
  planned_difference: PlannedDifference,
})
export type DraftPower = z.infer<typeof DraftPower>

/** Each becomes a question, as it is or as the person changed it. */
export const AcceptDraftsInput = z.strictObject({
  ...one,
  revision: OwnDataset.shape.revision,
  drafts: z
    .array(z.strictObject({ id: Identifier, question: Question.omit({ id: true }).optional() }))
    .min(1)
    .max(1000),
})

export const RejectDraftsInput = z.strictObject({ ...one, draft_ids: z.array(Identifier).min(1).max(1000) })
