import { z } from 'zod'
import type { ChatMessage } from '../../../../contract/http/chat.ts'
import { BlockReader, textBlock } from './blocks.ts'
import { parseJsonReply } from './json-reply.ts'
import type { JsonReply } from './json-reply.ts'
import { taskData, taskMessages } from './task-messages.ts'
import type { TaskMessages } from './task-messages.ts'

/** Split a question into search keywords. The reply is JSON: `{ high_level, low_level }`. */
export type KeywordsTask = { question: string }

/** `high_level`: themes and kinds of relation. `low_level`: names, codes, numbers and concrete things. */
export type Keywords = { high_level: string[]; low_level: string[] }

const MARK = 'Task: split a question into keywords (v1)'

const INSTRUCTIONS = [
  'List the keywords of the question in <question> for a search in a knowledge graph.',
  '- high_level: themes, kinds of event and kinds of relation, such as "ownership" or "causes of delay".',
  '- low_level: the names, places, codes, numbers and concrete things that the question mentions, spelled as it spells them.',
  'Take keywords from the question only; do not answer it. An empty list is allowed.',
  'Reply with one JSON object and nothing else: {"high_level": ["…"], "low_level": ["…"]}',
]

/** A keywords task as chat messages for any chat model. */
export function renderKeywordsTask(task: KeywordsTask): TaskMessages {
  return taskMessages(MARK, INSTRUCTIONS, [textBlock('question', task.question)])
}

/** The task of rendered messages; null when they are anything else. */
export function parseKeywordsTask(messages: readonly ChatMessage[]): KeywordsTask | null {
  const data = taskData(MARK, messages)
  if (data === null) return null
  const reader = new BlockReader(data)
  const question = reader.text('question')
  return question === null || !reader.done() ? null : { question }
}

const keywordList = z
  .array(z.union([z.string(), z.number()]).transform((keyword) => String(keyword).trim()))
  .transform((keywords) => [...new Set(keywords.filter((keyword) => keyword !== ''))])

const keywordsReply = z.object({ high_level: keywordList.default([]), low_level: keywordList.default([]) })

const boundedList = { type: 'array', maxItems: 8, items: { type: 'string', minLength: 1, maxLength: 60 } }

/** The reply as JSON schema, for models that can be held to one. */
export const KEYWORDS_REPLY_SCHEMA = {
  type: 'object',
  properties: { high_level: boundedList, low_level: boundedList },
  required: ['high_level', 'low_level'],
  additionalProperties: false,
}

/** The model's keywords, trimmed and without repetitions. */
export function parseKeywordsReply(reply: string): JsonReply<Keywords> {
  return parseJsonReply(reply, keywordsReply)
}
