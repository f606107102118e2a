import type { Prompt } from '../../../../contract/prompts.ts'
import { textBlock } from './blocks.ts'
import { taskMessages } from './task-messages.ts'
import type { TaskMessages } from './task-messages.ts'

export const REPHRASE_PROMPT: Prompt = {
  name: 'rephrase',
  version: 1,
  source: 'RAG-Fusion (Rackauckas 2024, arXiv 2402.03367): further search queries for one question',
  instructions: [
    'Write other search queries for the question in <asked>, as many as <count> says.',
    '- Each asks for the same thing, or for a part of it, in other words that a document could use.',
    '- Keep names, numbers and codes as they are written. Write in the language of the question. Do not answer it.',
    '- Reply with one query on each line and nothing else.',
  ],
}

/** The task as chat messages for any chat model. The reply has one query on each line. */
export const renderRephraseTask = (question: string, count: number): TaskMessages =>
  taskMessages(REPHRASE_PROMPT, [textBlock('asked', question), textBlock('count', String(count))])

/** Matches what models put before a line of a list. */
const LIST_MARK = /^\s*(?:[-*•]|\(?\d{1,2}[.):])\s*/u
const QUOTES = /^["“'«]+|["”'»]+$/gu
/** A longer line is no query. */
const LONGEST = 300

/** A line of markup is what a small model repeats of its prompt, and one without a letter is no query. */
const isQuery = (line: string): boolean =>
  line.length <= LONGEST && !line.startsWith('<') && !line.endsWith(':') && /\p{L}/u.test(line)

const keyOf = (query: string): string =>
  query
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

/** The first `count` queries of a reply that differ from the question and from each other in more than case and punctuation; a line that introduces the list is none. */
export function parseRephrasings(reply: string, question: string, count: number): string[] {
  const known = new Set([keyOf(question), ''])
  const queries: string[] = []
  for (const line of reply.split(/\r?\n/)) {
    const query = line.replace(LIST_MARK, '').trim().replaceAll(QUOTES, '').trim()
    if (queries.length === count || !isQuery(query) || known.has(keyOf(query))) continue
    known.add(keyOf(query))
    queries.push(query)
  }
  return queries
}
