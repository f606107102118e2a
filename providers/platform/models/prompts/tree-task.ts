import type { Prompt } from '../../../../contract/prompts.ts'
import { groupBlock, textBlock } from './blocks.ts'
import { taskMessages } from './task-messages.ts'
import type { TaskMessages } from './task-messages.ts'

export const TREE_PROMPT: Prompt = {
  name: 'cluster summary',
  version: 1,
  source:
    'RAPTOR (Sarthi et al. 2024, arXiv 2401.18059): the texts of a cluster in one summary, with the details that matter',
  instructions: [
    'Write a summary of the texts in the <member> blocks, which are about related things.',
    '- At most 120 words of plain text, in the language of the texts.',
    '- Name the people, places, things, numbers and dates that matter, exactly as they are written, and what connects the texts.',
    '- State only what the texts say. Reply with the summary alone.',
  ],
}

/** The task as chat messages for any chat model. The reply is plain text. */
export const renderTreeTask = (members: readonly { title: string; text: string }[]): TaskMessages =>
  taskMessages(
    TREE_PROMPT,
    members.map(({ title, text }) => groupBlock('member', [textBlock('title', title), textBlock('text', text)])),
  )
