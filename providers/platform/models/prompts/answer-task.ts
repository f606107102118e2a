import type { ChatMessage } from '../../../../contract/http/chat.ts'
import { ANSWER_PROMPT, NO_ANSWER } from '../../../../contract/prompts.ts'
import { BlockReader, groupBlock, textBlock } from './blocks.ts'
import { taskData, taskMessages } from './task-messages.ts'
import type { PromptChanges, TaskMessages } from './task-messages.ts'

/** A retrieved text with the title of the document it comes from; the prompt numbers them from 1. */
export type Passage = { title: string; text: string }

/** Answer a question from passages only. The reply is plain text. */
export type AnswerTask = { question: string; passages: Passage[] }

/** An answer task as chat messages for any chat model; `changes` are those of a flavor. */
export function renderAnswerTask(task: AnswerTask, changes?: PromptChanges): TaskMessages {
  const passages = task.passages.map((passage, at) =>
    groupBlock('passage', [
      textBlock('number', String(at + 1)),
      textBlock('title', passage.title),
      textBlock('text', passage.text),
    ]),
  )
  return taskMessages(ANSWER_PROMPT, [...passages, textBlock('question', task.question)], changes)
}

const readPassage = (reader: BlockReader): Passage | null => {
  // A caller of the gateway may leave the number out.
  reader.text('number')
  const title = reader.text('title')
  const text = reader.text('text')
  return title === null || text === null ? null : { title, text }
}

/** The task of rendered messages; null when they are anything else. */
export function parseAnswerTask(messages: readonly ChatMessage[]): AnswerTask | null {
  const data = taskData(messages)
  if (data === null) return null
  const reader = new BlockReader(data)
  const passages = reader.groups('passage', readPassage)
  const question = reader.text('question')
  return passages === null || question === null || !reader.done() ? null : { question, passages }
}

/** True when an answer is the refusal, with or without a word on what is missing. */
export function isNoAnswer(answer: string): boolean {
  return answer.trimStart().startsWith(NO_ANSWER)
}
