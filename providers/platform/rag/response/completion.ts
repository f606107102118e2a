import { randomUUID } from 'node:crypto'
import type { ChatCompletion, RagExtension } from '../../../../contract/index.ts'
import type { ApproachAnswer } from '../approach.ts'
import type { CallCounts } from '../call-meter.ts'
import { limitAnswer, type AnswerLimits } from './answer-limits.ts'
import { renderContent } from './render-content.ts'

/**
 * An approach's answer in chat-completions form with `rag_extension`. `usage` sums what the chat calls reported; when none did it
 * is left out, because unknown is not zero. Sources and metrics are rendered after the answer where the request's limits leave room.
 */
export function completionOf(
  alias: string,
  result: ApproachAnswer,
  calls: CallCounts,
  seconds: number,
  limits: AnswerLimits = {},
): ChatCompletion {
  const metrics = { seconds, chunks: result.chunks, llm_calls: calls.llmCalls, cloud_calls: calls.cloudCalls }
  const { answer, finishReason, allows } = limitAnswer(result.answer, limits)
  const rendered = renderContent(answer, result.sources, metrics)
  const extension: RagExtension = {
    schema_version: 1,
    answer,
    sources: result.sources,
    metrics,
    ...result.metadata,
  }
  return {
    id: `chatcmpl-${randomUUID()}`,
    object: 'chat.completion',
    created: Math.floor(Date.now() / 1000),
    model: alias,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: allows(rendered) ? rendered : answer },
        finish_reason: finishReason,
      },
    ],
    ...(calls.usage === null ? {} : { usage: calls.usage }),
    rag_extension: extension,
  }
}

/** The same completion as server-sent events: one chunk with the whole content and the evidence, then `[DONE]`. */
export function streamFrames(completion: ChatCompletion): string[] {
  const { choices, ...head } = completion
  const chunk = {
    ...head,
    object: 'chat.completion.chunk',
    choices: choices.map(({ index, message, finish_reason }) => ({
      index,
      delta: { role: message.role, content: message.content },
      finish_reason,
    })),
  }
  return [`data: ${JSON.stringify(chunk)}\n\n`, 'data: [DONE]\n\n']
}
