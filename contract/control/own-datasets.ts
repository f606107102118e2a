import { z } from 'zod'
import { count, Identifier, SafeRelativePath } from '../common.ts'
import { MeasuredLevel } from '../evidence/measured-level.ts'
import { ChunkerSettings } from '../manifests/consumer.ts'
import { Question } from '../manifests/queries.ts'
import { PlannedDifference } from './run-job.ts'

// A person's own datasets (decision 090): `datasets/<id>/` of the project folder. Datasets of the project are refused: they are copied to be edited.

/** SHA-256 of the dataset's file as the caller saw it: a change is refused when the file is another one by now. */
const revision = z.string().regex(/^[0-9a-f]{64}$/, 'the revision of the dataset')

const one = { dataset_id: Identifier }
export const OwnInput = z.strictObject(one)

export const OwnDataset = z.strictObject({
  ...one,
  label: z.string(),
  description: z.string(),
  licence: z.string().nullable(),
  complexity_level: count,
  chunker: ChunkerSettings,
  /** States how many; `datasets.ownQuestions` has them. */
  questions: count,
  /** Of all questions. */
  tags: z.array(z.string()),
  revision,
  documents: count,
  bytes: count,
})
export type OwnDataset = z.infer<typeof OwnDataset>

/** A part of the questions of an own dataset, in the order of its file. */
export const OwnQuestionsInput = z.strictObject({
  ...one,
  offset: count.default(0),
  limit: z.int().min(1).max(200).default(100),
  /** Words that are in the id, the question, the expected answer or a tag. */
  text: z.string().max(200).default(''),
  /** Only this one. */
  question_id: Identifier.optional(),
})
export type OwnQuestionsInput = z.input<typeof OwnQuestionsInput>

export const OwnQuestions = z.strictObject({ matching: count, offset: count, questions: z.array(Question) })
export type OwnQuestions = z.infer<typeof OwnQuestions>

const label = z.string().trim().min(1).max(120)

export const CreateDatasetInput = z.strictObject({
  /** Also the name of a folder. */
  id: z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,62}$/, 'a lower-case letter, then lower-case letters, digits and "_", at most 63'),
  label,
  description: z.string().max(1000).default(''),
  /** Any dataset: its documents, questions and profile are copied. */
  copy_of: Identifier.optional(),
})
export type CreateDatasetInput = z.input<typeof CreateDatasetInput>

/** Fields that are absent stay as they are. */
export const UpdateDatasetInput = z.strictObject({
  ...one,
  revision,
  label: label.optional(),
  description: z.string().max(1000).optional(),
  licence: z.string().min(1).max(200).optional(),
  complexity_level: z.int().min(0).max(99).optional(),
  chunker: ChunkerSettings.optional(),
})

export const TrashEntry = z.strictObject({
  trash_id: z.string(),
  ...one,
  label: z.string(),
  removed_at: z.iso.datetime(),
})

/** Largest file that can be added by one call: 32 MiB. */
export const MAX_FILE_BYTES = 32 * 1024 * 1024

/** A file as it is; ingestion reads it as it reads every document. */
export const AddFileInput = z.strictObject({
  ...one,
  /** Path below the documents' folder. */
  name: z.string().min(1).max(1024),
  base64: z.base64().max(Math.ceil(MAX_FILE_BYTES / 3) * 4, 'at most 32 MiB'),
})

export const DocumentInput = z.strictObject({ ...one, path: SafeRelativePath })

/** Without an id the question is a new one. */
export const SaveQuestionInput = z.strictObject({ ...one, revision, question: Question.partial({ id: true }) })

/** The dataset after the change, and the id that the question has. */
export const QuestionSaved = z.strictObject({ dataset: OwnDataset, question_id: Identifier })

export const RemoveQuestionInput = z.strictObject({ ...one, revision, question_id: Identifier })

/** Lines of each kind that a preview shows. */
export const PREVIEWED_LINES = 200

/** Longest text of questions that is read at once. */
export const MAX_QUESTIONS_CHARACTERS = 20_000_000

const QuestionsFormat = z.enum(['csv', 'tsv', 'jsonl', 'json', 'txt'])

const questionsText = z.string().min(1).max(MAX_QUESTIONS_CHARACTERS)

export const ReadQuestionsInput = z.strictObject({
  ...one,
  /** Null: by its first characters. */
  format: QuestionsFormat.nullable().default(null),
  text: questionsText,
})

/**
 * Describes what a text would add; writes nothing. Each line has a question with an id of its own, or why it is invalid. Of the lines that are right, and of those
 * that are not, at most the first `PREVIEWED_LINES`.
 */
export const ReadQuestionsResult = z.strictObject({
  format: QuestionsFormat,
  /** Lines that would be added, and lines with a problem, in all. */
  fine: count,
  refused: count,
  lines: z.array(z.strictObject({ line: z.int(), question: Question.nullable(), problems: z.array(z.string()) })),
})
export type ReadQuestionsResult = z.infer<typeof ReadQuestionsResult>

/** A passage of a document for the question of a line. */
const LinePassage = z.strictObject({ line: z.int(), document: SafeRelativePath, fact: z.string().min(1) })
export type LinePassage = z.infer<typeof LinePassage>

/** Describes which passages hold the expected answers word for word; a person confirms or refuses each. */
export const FoundPassages = z.strictObject({
  /** At most one for each previewed line whose question names no gold fact. */
  passages: z.array(LinePassage),
  /**
   * Lines whose answer was looked up without a passage to propose. `answer_absent`: no document has its words in this order. `passage_unclear`: a
   * document has them, in no sentence or line that shares a word with the question and is short enough for a fact.
   */
  without: z.array(z.strictObject({ line: z.int(), reason: z.enum(['answer_absent', 'passage_unclear']) })),
  /** Documents that were not looked through: recordings, and those that no reader could read. */
  unread: z.array(z.string()),
})
export type FoundPassages = z.infer<typeof FoundPassages>

/** Adds the lines of a text that are right, as `readQuestions` shows them, with the passages that a person confirmed as gold facts. */
export const ImportQuestionsInput = z.strictObject({
  ...one,
  revision,
  format: QuestionsFormat.nullable().default(null),
  text: questionsText,
  confirmed: z.array(LinePassage).max(PREVIEWED_LINES).default([]),
})

/** Describes what would keep a run from giving a result. */
export const DatasetCheck = z.strictObject({
  problems: z.array(
    z.strictObject({
      /** `documents`, `questions`, a question's id, or a document's path. */
      place: z.string(),
      kind: z.enum(['dataset', 'question', 'document']),
      message: z.string(),
      remedy: z.string(),
    }),
  ),
  /** Holds what the readers left out of documents in the last ingestion, or could not read as it is; and questions whose answer keys are in the question, or in several gold facts. */
  warnings: z.array(z.strictObject({ place: z.string(), message: z.string() })),
  questions: count,
  documents: count,
  /** Between two approaches. */
  planned_difference: PlannedDifference,
  /** The level that the dataset declares. */
  complexity_level: count,
  measured_level: MeasuredLevel,
})
export type DatasetCheck = z.infer<typeof DatasetCheck>
