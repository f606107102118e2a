import type { Prompt } from '../../../../contract/prompts.ts'
import { textBlock } from './blocks.ts'
import { taskMessages } from './task-messages.ts'
import type { TaskMessages } from './task-messages.ts'

export const HYPOTHETICAL_PROMPT: Prompt = {
  name: 'hypothetical passage',
  version: 1,
  source: 'HyDE (Gao et al. 2022, arXiv 2212.10496): a passage that could answer the question',
  instructions: [
    'Write a passage that could answer the question in <asked>, as a document about the subject would put it.',
    '- Two to four sentences of plain text, with the names and words that such a document would use.',
    '- Write in the language of the question. Where you do not know a fact, write what is likely: the passage is compared',
    '  with documents to find similar ones, and no person reads it.',
    '- Reply with the passage alone, without an introduction.',
  ],
}

/** The task as chat messages for any chat model. The reply is plain text. */
export const renderHypotheticalTask = (question: string): TaskMessages =>
  taskMessages(HYPOTHETICAL_PROMPT, [textBlock('asked', question)])
