import { z } from 'zod'
import type { ChatMessage } from '../../../../contract/http/chat.ts'
import { MAX_DRAFTS_A_CALL, type DraftQuestionsRequest, type RawDraft } from '../../../../contract/http/draft.ts'
import type { Prompt } from '../../../../contract/prompts.ts'
import { classOfHops, questionClass, type QuestionClass } from '../../../../contract/question-classes.ts'
import { BlockReader, groupBlock, textBlock } from './blocks.ts'
import { parseJsonReply, usableItems } from './json-reply.ts'
import type { JsonReply } from './json-reply.ts'
import { taskData, taskMessages } from './task-messages.ts'
import type { TaskMessages } from './task-messages.ts'

// Draft questions that passages answer. The reply is JSON: `{ questions }`.

const COMMON = [
  '- question: complete in itself; a reader who has never seen the passage understands it. Name people, places, products and',
  '  things in full. Never write "the document", "the text", "the passage" or "according to".',
  '- Write in the language of the passage.',
  '- answer: one sentence at most, with names, numbers and dates exactly as they are written.',
  '- Ask for different facts. Leave out what is trivial, such as titles or the order of sections.',
]

const ONE = [
  'Write questions that the text in <passage> answers, as a person would ask them who looks for that fact.',
  ...COMMON,
  '- quotes: one entry; document is the <document> of the passage; text is the one sentence that the answer is in, copied letter by',
  '  letter.',
]

const QUOTE_EACH =
  '- quotes: one entry for each passage that the answer needs; document is its <document>; text is the one sentence with its fact, copied letter by letter.'

const BRIDGE = [
  'Write questions that can be answered only by joining a fact from each of the two <passage> blocks.',
  ...COMMON,
  QUOTE_EACH,
]

const joining = (what: string): string[] => [what, ...COMMON, QUOTE_EACH]

/** Lists forms of each class. */
const FORMS: Readonly<Record<QuestionClass, readonly string[]>> = {
  one_fact: ONE,
  bridge: BRIDGE,
  comparison: joining(
    'Write questions that compare two things of one kind, one from each of the two <passage> blocks, by a trait that both passages state, such as which is older, larger or in the same place.',
  ),
  intersection: joining(
    'Write questions that ask for the one thing, person or place that meets two conditions, one stated in each of the two <passage> blocks.',
  ),
  time: joining(
    'Write questions about order, duration or change that need a date or time from each of the two <passage> blocks. Never ask for a single date that one passage states.',
  ),
  aggregate: joining(
    'Write questions whose answer counts, lists or sums up something over the <passage> blocks, such as how many of them share a trait, and needs at least three of them.',
  ),
  unanswerable: [
    'Write questions that a reader of the text in <passage> could ask next, about the people, places and things in it, whose answer the text does not hold.',
    '- question: complete in itself, with names in full. Never write "the document", "the text", "the passage" or "according to".',
    '- Write in the language of the passage. Ask for a definite fact, not for an opinion.',
    '- answer: one sentence that says which fact is missing.',
    '- quotes: an empty list.',
  ],
}

const REPLY =
  'Reply with one JSON object and nothing else: {"questions": [{"question": "…", "answer": "…", "quotes": [{"document": "…", "text": "…"}]}]}'

const draftPrompt = (form: readonly string[]): Prompt => ({
  name: 'draft',
  version: 3,
  source: 'this project; classes as in BenchmarkQED (AutoQ)',
  instructions: [...form, 'Write as many questions as <count> says.', REPLY],
})

/** A request without a class joins its passages. */
const classOf = ({ passages, question_class: named }: DraftQuestionsRequest): QuestionClass =>
  named ?? classOfHops(passages.length)

/** A draft task as chat messages for any chat model. */
export function renderDraftTask(task: DraftQuestionsRequest): TaskMessages {
  const { count, passages } = task
  const blocks = passages.map(({ document, title, text }) =>
    groupBlock('passage', [textBlock('document', document), textBlock('title', title), textBlock('text', text)]),
  )
  return taskMessages(draftPrompt(FORMS[classOf(task)]), [...blocks, textBlock('count', String(count))])
}

/** The task of rendered messages; null when they are anything else. */
export function parseDraftTask(messages: readonly ChatMessage[]): DraftQuestionsRequest | null {
  const data = taskData(messages)
  if (data === null) return null
  const reader = new BlockReader(data)
  const passages = reader.groups('passage', (group) => {
    const [document, title, text] = [group.text('document'), group.text('title'), group.text('text')]
    return document === null || title === null || text === null ? null : { document, title, text }
  })
  const count = Number(reader.text('count'))
  return passages === null || passages.length === 0 || !(count >= 1) || !reader.done() ? null : { count, passages }
}

const trimmed = z.string().trim()
const draft = z
  .object({
    question: trimmed,
    answer: z.union([z.string(), z.number()]).transform((answer) => String(answer).trim()),
    quotes: z.array(z.object({ document: trimmed.default(''), text: trimmed })),
  })
  .transform(({ question, answer, quotes }): RawDraft => ({ question, answer, quotes }))
const draftReply = z
  .object({ questions: z.array(z.unknown()) })
  .transform(({ questions }) => ({ questions: usableItems(questions, draft), written: questions.length }))
  .refine(({ questions, written }) => questions.length > 0 || written === 0, {
    path: ['questions'],
    message: 'no entry has a question, an answer and quotes',
  })

const text = (maxLength: number) => ({ type: 'string', minLength: 1, maxLength })
const object = (properties: Record<string, object>) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})

/** The reply as JSON schema, for models that can be held to one. */
export const draftReplySchema = (task: DraftQuestionsRequest): object => {
  const { count, passages } = task
  const { least } = questionClass(classOf(task))
  const quote = object({ document: { enum: passages.map(({ document }) => document) }, text: text(600) })
  const quotes = {
    type: 'array',
    minItems: Math.min(least, passages.length),
    maxItems: least === 0 ? 0 : passages.length,
    items: quote,
  }
  const question = object({ question: text(300), answer: text(400), quotes })
  return object({ questions: { type: 'array', minItems: 1, maxItems: count, items: question } })
}

/** The drafts of a reply. A model that writes more than it was asked for is cut off at `MAX_DRAFTS_A_CALL`. */
export function parseDraftReply(reply: string): JsonReply<RawDraft[]> {
  const parsed = parseJsonReply(reply, draftReply)
  return parsed.ok ? { ok: true, value: parsed.value.questions.slice(0, MAX_DRAFTS_A_CALL) } : parsed
}
