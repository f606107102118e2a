import { renderAnswerTask } from '../../models/prompts/answer-task.ts'
import type { ApproachAnswer, ApproachServices, Passage } from '../approach.ts'
import { RagError } from '../rag-error.ts'
import { sourcesOf } from '../response/sources.ts'

/** A reply without what some models think aloud before they answer: that is neither answer nor evidence. */
export function withoutThinking(reply: string): string {
  return reply.replace(/^\s*<think>[\s\S]*?<\/think>/, '').trim()
}

/** One answer from the passages in their order, temperature 0. Throws when the model returns no text. */
export async function answerFrom(
  question: string,
  passages: readonly Passage[],
  { models, onText, instructions }: Pick<ApproachServices, 'models' | 'onText' | 'instructions'>,
  signal?: AbortSignal,
): Promise<ApproachAnswer> {
  const task = { question, passages: passages.map(({ chunk }) => ({ title: chunk.title, text: chunk.content })) }
  const asked = { messages: renderAnswerTask(task, instructions), temperature: 0 }
  const completion = await models.chat('light_gen', asked, signal, onText)
  const answer = withoutThinking(completion.choices[0]?.message.content ?? '')
  if (answer === '') throw new RagError('model_answer_invalid', 'the answering model returned no text')
  return { answer, sources: sourcesOf(passages), chunks: passages.length }
}
