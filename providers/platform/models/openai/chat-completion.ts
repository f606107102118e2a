import { randomUUID } from 'node:crypto'
import type { ChatCompletion } from '../../../../contract/http/chat.ts'

/** A finished answer in chat-completions form; token counts are the caller's estimate. */
export function chatCompletion(
  model: string,
  content: string,
  usage: { promptTokens: number; completionTokens: number },
  finishReason = 'stop',
): ChatCompletion {
  return {
    id: `chatcmpl-${randomUUID()}`,
    object: 'chat.completion',
    created: Math.floor(Date.now() / 1000),
    model,
    choices: [{ index: 0, finish_reason: finishReason, message: { role: 'assistant', content } }],
    usage: {
      prompt_tokens: usage.promptTokens,
      completion_tokens: usage.completionTokens,
      total_tokens: usage.promptTokens + usage.completionTokens,
    },
  }
}
