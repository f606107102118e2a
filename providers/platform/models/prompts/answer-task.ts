import type { ChatMessage } from '../../../../contract/http/chat.ts'
import { BlockReader, groupBlock, textBlock } from './blocks.ts'
import { taskData, taskMessages } from './task-messages.ts'
import type { TaskMessages } from './task-messages.ts'

/** A retrieved text with the title of the document it comes from. */
export type Passage = { title: string; text: string }

/** Answer a question from passages only. The reply is plain text. */
export type AnswerTask = { question: string; passages: Passage[] }

/** What a model writes first when the passages hold no answer. */
export const NO_ANSWER = 'The passages do not answer this question.'

const MARK = 'Task: answer from passages (v1)'

const INSTRUCTIONS = [
  'Answer the question in <question> from the passages in <passage> blocks and from nothing else.',
  '- Join facts from several passages where the question needs it; a fact in one passage may name the subject of another.',
  '- Be brief: one to four sentences of plain text, the answer first. No headings, no lists, no source numbers.',
  '- Keep names, numbers, dates and codes exactly as the passages write them.',
  '- Add nothing that the passages do not say. Where they contradict each other, say so.',
  `- When the passages do not answer the question, reply with this sentence: ${NO_ANSWER}`,
  '  You may add one sentence on what is missing. Do not guess.',
]

/** An answer task as chat messages for any chat model; `additional` are instructions of a flavor, after those of the task. */
export function renderAnswerTask(task: AnswerTask, additional?: string): TaskMessages {
  const passages = task.passages.map((passage) =>
    groupBlock('passage', [textBlock('title', passage.title), textBlock('text', passage.text)]),
  )
  return taskMessages(MARK, INSTRUCTIONS, [...passages, textBlock('question', task.question)], additional)
}

const readPassage = (reader: BlockReader): Passage | null => {
  const title = reader.text('title')
  const text = reader.text('text')
  return title === null || text === null ? null : { title, text }
}

/** The task of rendered messages; null when they are anything else. */
export function parseAnswerTask(messages: readonly ChatMessage[]): AnswerTask | null {
  const data = taskData(MARK, messages)
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
