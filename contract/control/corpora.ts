import { z } from 'zod'
import { count, Identifier, SafeRelativePath } from '../common.ts'
import { GraphPicture } from '../http/graph-picture.ts'
import { MAX_PROMPT_CHARACTERS } from '../http/speech-prompt.ts'
import { Question } from '../manifests/queries.ts'

export const CorpusDocument = z.strictObject({
  /** Below the corpus folder: what sources and gold evidence call the document. */
  path: SafeRelativePath,
  title: z.string(),
  size_bytes: count,
  /** False for documents that only a converter can read. */
  is_text: z.boolean(),
  /** Gold facts that name it, and the questions they belong to. */
  gold_facts: count,
  questions: count,
})
export type CorpusDocument = z.infer<typeof CorpusDocument>

export const CorpusDocumentsInput = z.strictObject({
  dataset_id: Identifier,
  offset: count.default(0),
  limit: z.int().min(1).max(1000).default(500),
  /** Words that the path holds, in any case and order; empty: all documents. */
  text: z.string().max(200).default(''),
})
export type CorpusDocumentsInput = z.input<typeof CorpusDocumentsInput>

export const CorpusDocuments = z.strictObject({
  /** All documents of the dataset. */
  total: count,
  /** Those that hold the words; one page of them follows. */
  matching: count,
  offset: count,
  documents: z.array(CorpusDocument),
})
export type CorpusDocuments = z.infer<typeof CorpusDocuments>

export const CorpusDocumentInput = z.strictObject({
  dataset_id: Identifier,
  path: SafeRelativePath,
  /** UTF-16 units. */
  offset: count.default(0),
  limit: z.int().min(2).max(200_000).default(100_000),
})

/** A text for a dataset's corpus, such as a converted document. It becomes part of what the next run ingests. */
export const AddDocumentInput = z.strictObject({
  dataset_id: Identifier,
  /** File name without its ending: `.md` is appended. */
  name: z
    .string()
    .regex(
      /^[\p{L}\p{N}_][\p{L}\p{N}_ .-]{0,118}[\p{L}\p{N}_]$|^[\p{L}\p{N}_]$/u,
      'letters, digits, blanks, "_", "-" and "." only',
    ),
  /** Markdown. */
  text: z.string().min(1).max(1_000_000),
})
export type AddDocumentInput = z.infer<typeof AddDocumentInput>

export const AddedDocument = z.strictObject({ path: SafeRelativePath, size_bytes: count })
export type AddedDocument = z.infer<typeof AddedDocument>

/** A gold fact and its position in the document; offsets in UTF-16 units of the whole text. */
export const GoldSpan = z.strictObject({ start: count, end: count, question_id: Identifier, fact: z.string() })
export type GoldSpan = z.infer<typeof GoldSpan>

/** A slice of a document's text; no text for documents that only a converter can read. */
export const CorpusDocumentText = z.discriminatedUnion('is_text', [
  z.strictObject({
    is_text: z.literal(true),
    path: SafeRelativePath,
    text: z.string(),
    total: count,
    next_offset: count.nullable(),
    /** All of the document, whatever slice was asked for. */
    gold: z.array(GoldSpan),
    /** Gold facts that name the document but do not occur in it. */
    lost_gold: z.array(z.strictObject({ question_id: Identifier, fact: z.string() })),
  }),
  z.strictObject({ is_text: z.literal(false), path: SafeRelativePath, size_bytes: count, reason: z.string() }),
])
export type CorpusDocumentText = z.infer<typeof CorpusDocumentText>

export const DatasetQuestionsInput = z.strictObject({
  dataset_id: Identifier,
  offset: count.default(0),
  limit: z.int().min(1).max(500).default(100),
  question_id: Identifier.optional(),
})

/** A question with each of its gold facts located; an empty list of spans: the fact does not occur in the document, or the document is not text. */
const LocatedQuestion = z.strictObject({
  question: Question,
  gold: z.array(
    z.strictObject({
      document: SafeRelativePath,
      /** Null when the whole document is the gold evidence. */
      fact: z.string().nullable(),
      /** True when the document is text, in which facts are looked for before it is converted. */
      is_text: z.boolean(),
      spans: z.array(z.strictObject({ start: count, end: count })),
    }),
  ),
})

export const DatasetQuestions = z.strictObject({ total: count, offset: count, questions: z.array(LocatedQuestion) })
export type DatasetQuestions = z.infer<typeof DatasetQuestions>

export const SpeechPromptInput = z.strictObject({ dataset_id: Identifier })
/** Describes what a recognizer may get of a dataset: its documents' texts, none of its questions. */
export const SpeechPrompt = z.strictObject({ prompt: z.string().max(MAX_PROMPT_CHARACTERS) })

export const DatasetGraphInput = z.strictObject({
  dataset_id: Identifier,
  /** Nodes, best connected first. */
  limit: z.int().min(1).max(1500).default(300),
})

/**
 * The graph, or why there is none. not_ingested: no platform has built this dataset's graph yet. busy: a run holds the platform with another
 * dataset. unavailable: the platform could not be asked.
 */
export const DatasetGraph = z.discriminatedUnion('ok', [
  z.strictObject({ ok: z.literal(true), picture: GraphPicture }),
  z.strictObject({
    ok: z.literal(false),
    reason: z.enum(['not_ingested', 'busy', 'unavailable']),
    message: z.string(),
  }),
])
export type DatasetGraph = z.infer<typeof DatasetGraph>
