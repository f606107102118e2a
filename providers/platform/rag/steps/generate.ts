import { tokensOfTexts } from '../../../../contract/evidence/context-budget.ts'
import { renderAnswerTask } from '../../models/prompts/answer-task.ts'
import { noAnswerText } from '../../../../core/model-remedies.ts'
import { withoutThinking } from '../../../../core/thinking.ts'
import type { ApproachAnswer, ApproachServices, Passage } from '../approach.ts'
import { RagError } from '../rag-error.ts'
import { sourcesOf } from '../response/sources.ts'
import { askWithThoseThatFit } from './fit-context.ts'

/**
 * One answer from the passages in their order, temperature 0; from the first half of them, and half of that, where they are too long for the model.
 * Throws when the model returns no text. A trial that asks for passages alone gets them all, with an empty answer.
 */
export async function answerFrom(
  question: string,
  passages: readonly Passage[],
  services: Pick<ApproachServices, 'models' | 'onText' | 'promptChanges' | 'trial'>,
  signal?: AbortSignal,
): Promise<ApproachAnswer> {
  if (services.trial?.isRetrievalOnly === true) return { answer: '', ...handedOver(passages) }
  return askWithThoseThatFit(passages, (fitting) => answerFromAll(question, fitting, services, signal))
}

async function answerFromAll(
  question: string,
  passages: readonly Passage[],
  { models, onText, promptChanges }: Pick<ApproachServices, 'models' | 'onText' | 'promptChanges'>,
  signal?: AbortSignal,
): Promise<ApproachAnswer> {
  const task = { question, passages: passages.map(({ chunk }) => ({ title: chunk.title, text: chunk.content })) }
  const asked = { messages: renderAnswerTask(task, promptChanges), temperature: 0 }
  const completion = await models.chat('light_gen', asked, signal, onText)
  const [choice] = completion.choices
  const answer = withoutThinking(choice?.message.content ?? '')
  if (answer === '') throw new RagError('model_answer_invalid', noAnswerText(choice?.finish_reason ?? null))
  return { answer, ...handedOver(passages) }
}

const handedOver = (passages: readonly Passage[]): Omit<ApproachAnswer, 'answer'> => ({
  sources: sourcesOf(passages),
  chunks: passages.length,
  contextTokens: tokensOfTexts(passages.map(({ chunk }) => chunk.content)),
})
