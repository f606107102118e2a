import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { ReceivedCompletion } from '../../../../core/received-completion.ts'
import type { ChatCompletion } from '../../../../contract/http/chat.ts'

/** A received completion in the contract's form: what the service left out is filled in, what it adds is kept. */
export function completeCompletion({ usage, ...received }: ReceivedCompletion): ChatCompletion {
  return {
    ...received,
    id: received.id ?? `chatcmpl-${randomUUID()}`,
    object: 'chat.completion',
    created: received.created ?? Math.floor(Date.now() / 1000),
    model: received.model ?? '',
    choices: received.choices.map((choice, position) => {
      const { tool_calls: calls, ...message } = choice.message
      return {
        ...choice,
        index: choice.index ?? position,
        message: {
          ...message,
          role: 'assistant' as const,
          content: message.content ?? null,
          ...(calls === null || calls === undefined || calls.length === 0 ? {} : { tool_calls: calls }),
        },
      }
    }),
    ...(usage === null ? {} : { usage }),
    rag_extension: undefined,
  }
}

/** A chat completion of a model service in the contract's form. Evidence is a plugin's to give: a field of that name is dropped unread. */
export const UpstreamCompletion = ReceivedCompletion.extend({
  rag_extension: z
    .unknown()
    .transform(() => null)
    .prefault(null),
}).transform((received) => completeCompletion(received))
