// A person's own approaches as the panel lists, writes, tests and allows them. Decision 226.
import { z } from 'zod'
import { count, Identifier, Sha256 } from '../common.ts'

/** One file `approaches/NAME.yaml` of the project. */
export const OwnApproachView = z.strictObject({
  name: z.string(),
  /** Relative to the project folder. */
  file: z.string(),
  /** Null for a file that cannot be used. */
  kind: z.enum(['chat', 'retriever', 'command']).nullable(),
  /** The address or the command, as one line; null for a file that cannot be used. */
  called: z.string().nullable(),
  /** The content of the file, which is what a person allows. */
  text: z.string(),
  digest: Sha256.nullable(),
  /** True where this person has allowed the content as it is now. Nothing else is run or called. */
  allowed: z.boolean(),
  /** Why the file cannot be used, as `field: what`. */
  problems: z.array(z.string()),
})
export type OwnApproachView = z.infer<typeof OwnApproachView>

/** An approach as a form has it: the fields of its file, checked when it is saved or tested. */
export const OwnApproachDraft = z.record(z.string().max(100), z.json())
export type OwnApproachDraft = z.infer<typeof OwnApproachDraft>

export const SaveOwnApproachInput = z.strictObject({ name: Identifier, approach: OwnApproachDraft })

export const TestOwnApproachInput = z.strictObject({
  /** A stored approach, which must be allowed, or one that is not saved yet. */
  target: z.union([z.strictObject({ name: Identifier }), z.strictObject({ approach: OwnApproachDraft })]),
  /** Null: a question about a sample document. */
  question: z.string().min(1).max(4000).nullable().default(null),
})

/** Allows the content that the person was shown; a file that has changed since is refused. */
export const AllowOwnApproachInput = z.strictObject({ name: Identifier, digest: Sha256 })

/** Holds an own approach's reply to one question, and what a run cannot measure of it. */
export const OwnTrial = z.strictObject({
  question: z.string(),
  /** True where the program got one sample document first. */
  got_sample: z.boolean(),
  /** Why there is no answer; null where there is one. */
  problem: z.string().nullable(),
  /** Null of a retriever, whose passages the model of the run answers from. */
  answer: z.string().nullable(),
  /** Null where none are reported. The first five. */
  passages: z
    .array(
      z.strictObject({
        text: z.string(),
        title: z.string(),
        document: z.string().nullable(),
        score: z.number().nullable(),
      }),
    )
    .nullable(),
  passage_count: count.nullable(),
  /** Tokens of all passages. */
  text_tokens: count.nullable(),
  usage: z.strictObject({ prompt: count, completion: count }).nullable(),
  latency_ms: z.number(),
  /** Names what a run cannot measure, a sentence each. */
  not_evaluable: z.array(z.string()),
  /** Paths of the reply of a service with their first value, to choose those of a mapping from. */
  paths: z.array(z.strictObject({ path: z.string(), value: z.string() })),
  /** The end of what a program wrote to stderr. */
  log: z.string(),
})
export type OwnTrial = z.infer<typeof OwnTrial>
