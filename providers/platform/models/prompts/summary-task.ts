import type { Prompt } from '../../../../contract/prompts.ts'
import { textBlock } from './blocks.ts'
import { taskMessages } from './task-messages.ts'
import type { TaskMessages } from './task-messages.ts'

const SUMMARY_PROMPT: Prompt = {
  name: 'summary',
  version: 1,
  source:
    'LightRAG (arXiv 2410.05779): descriptions of one entity or relation are joined by the model above a threshold',
  instructions: [
    'The descriptions in <descriptions>, one a line, are of the same thing, named in <name>. Join them into one description.',
    '- Keep every fact, with names, numbers, dates and codes exactly as they are written. Leave out what is said twice.',
    '- Where descriptions contradict each other, say both.',
    '- Write plain sentences in the third person that name the thing, at most 400 words. Reply with the description alone.',
  ],
}

/** The task as chat messages. The reply is plain text. */
export const renderSummaryTask = (name: string, descriptions: readonly string[]): TaskMessages =>
  taskMessages(SUMMARY_PROMPT, [textBlock('name', name), textBlock('descriptions', descriptions.join('\n'))])
