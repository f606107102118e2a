import { z } from 'zod'
import type { ChatMessage } from '../../../../contract/http/chat.ts'
import type { Prompt } from '../../../../contract/prompts.ts'
import { BlockReader, textBlock } from './blocks.ts'
import { parseJsonReply, usableItems } from './json-reply.ts'
import type { JsonReply } from './json-reply.ts'
import { taskData, taskMessages } from './task-messages.ts'
import type { TaskMessages } from './task-messages.ts'

/** Split a question into search keywords. The reply is JSON: `{ high_level, low_level }`. */
export type KeywordsTask = { question: string }

/** `high_level`: themes and kinds of relation. `low_level`: names, codes, numbers and concrete things. */
export type Keywords = { high_level: string[]; low_level: string[] }

export const KEYWORDS_PROMPT: Prompt = {
  name: 'keywords',
  version: 2,
  source: 'LightRAG (arXiv 2410.05779): high-level and low-level keywords of a question',
  instructions: [
    'List the keywords of the question in <search-question> for a search in a knowledge graph.',
    '- high_level: themes, kinds of event and kinds of relation, such as "ownership" or "causes of delay".',
    '- low_level: the names, places, codes, numbers and concrete things that the question mentions, spelled as it spells them.',
    'Take keywords from the question only; do not answer it. An empty list is allowed.',
    'Reply with one JSON object and nothing else: {"high_level": ["…"], "low_level": ["…"]}',
  ],
}

/** A keywords task as chat messages for any chat model. */
export function renderKeywordsTask(task: KeywordsTask): TaskMessages {
  return taskMessages(KEYWORDS_PROMPT, [textBlock('search-question', task.question)])
}

/** The task of rendered messages; null when they are anything else. */
export function parseKeywordsTask(messages: readonly ChatMessage[]): KeywordsTask | null {
  const data = taskData(messages)
  if (data === null) return null
  const reader = new BlockReader(data)
  const question = reader.text('search-question')
  return question === null || !reader.done() ? null : { question }
}

/** Nothing to search for: what small models copy of the form in the prompt, such as `…` or `<name>…</name>`. */
const isPlaceholder = (keyword: string): boolean => !/[\p{L}\p{N}]/u.test(keyword.replaceAll(/<\/?[a-z_-]+>/gi, ''))

const keywordList = z
  .array(z.unknown())
  .transform((list) => usableItems(list, z.union([z.string(), z.number()])).map((keyword) => String(keyword).trim()))
  .transform((keywords) => [...new Set(keywords.filter((keyword) => !isPlaceholder(keyword)))])

/** Both lists must be there, each may be empty. */
const keywordsReply = z.object({ high_level: keywordList, low_level: keywordList })

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
