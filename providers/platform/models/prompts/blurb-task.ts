import type { ChatMessage } from '../../../../contract/http/chat.ts'
import type { Prompt } from '../../../../contract/prompts.ts'
import { BlockReader, textBlock } from './blocks.ts'
import { taskData, taskMessages } from './task-messages.ts'
import type { TaskMessages } from './task-messages.ts'

/** State in one or two sentences where a chunk is in its document. The reply is plain text. */
export interface BlurbTask {
  documentTitle: string
  /** The headings above the chunk, outermost first. */
  headings: string[]
  /** The text of its section before the chunk. */
  before: string
  document: string
  chunk: string
}

export const CONTEXT_PROMPT: Prompt = {
  name: 'context',
  version: 3,
  source: 'Contextual Retrieval (Anthropic, 2024-09-19): the whole document first, then the chunk',
  instructions: [
    'The document in <document> was cut into chunks for search; one of them is in <chunk>.',
    'Write one or two plain sentences that situate the chunk in the document, so that a search for its subject finds it.',
    'The headings above it are in <headings>, one a line; what its section says before it is in <before>.',
    '- Name the document, the section, and the person, place or thing that the pronouns and short names of the chunk refer to.',
    '- Say what the chunk is about in words that a person would search for; do not repeat its sentences.',
    '- State only what the document says. Reply with the sentences alone.',
  ],
}

/** A blurb task as chat messages for any chat model. */
export function renderBlurbTask(task: BlurbTask): TaskMessages {
  return taskMessages(CONTEXT_PROMPT, [
    // What all chunks of a document share comes first, so that the prompt cache of a service serves it.
    textBlock('title', task.documentTitle),
    textBlock('document', task.document),
    textBlock('headings', task.headings.join('\n')),
    textBlock('before', task.before),
    textBlock('chunk', task.chunk),
  ])
}

/** The task of rendered messages; null when they are anything else. */
export function parseBlurbTask(messages: readonly ChatMessage[]): BlurbTask | null {
  const data = taskData(messages)
  if (data === null) return null
  const reader = new BlockReader(data)
  const documentTitle = reader.text('title')
  const document = reader.text('document')
  const headings = reader.text('headings')
  const before = reader.text('before')
  const chunk = reader.text('chunk')
  if (documentTitle === null || headings === null || before === null || document === null || chunk === null) return null
  if (!reader.done()) return null
  return { documentTitle, headings: headings === '' ? [] : headings.split('\n'), before, document, chunk }
}
