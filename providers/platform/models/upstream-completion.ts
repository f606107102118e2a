import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { ToolCall } from '../../../contract/index.ts'
import type { ChatCompletion, TokenUsage } from '../../../contract/index.ts'

const tokens = z.int().min(0).catch(0)
const Usage = z.looseObject({ prompt_tokens: tokens, completion_tokens: tokens })

const Choice = z.looseObject({
  index: z.int().optional(),
  finish_reason: z.string().nullable().optional(),
  message: z.looseObject({ content: z.string().nullable().optional(), tool_calls: z.array(ToolCall).nullish() }),
})

/**
 * A chat completion as compatible services really send it, read into the contract's form: what an answer cannot do without is
 * required (`choices`, `message`), the rest is filled in. Fields that only some services send are kept.
 */
export const UpstreamCompletion = z
  .looseObject({
    id: z.string().optional(),
    created: z.number().optional(),
    model: z.string().optional(),
    choices: z.array(Choice).min(1),
    usage: Usage.nullish(),
  })
  .transform((value): ChatCompletion => {
    const { usage, ...rest } = value
    return {
      ...rest,
      id: value.id ?? `chatcmpl-${randomUUID()}`,
      object: 'chat.completion',
      created: Math.floor(value.created ?? Date.now() / 1000),
      model: value.model ?? '',
      choices: value.choices.map(completeChoice),
      ...(usage === null || usage === undefined ? {} : { usage: completeUsage(usage) }),
      // Evidence is a plugin's to give; a model service's field of that name has not been checked.
      rag_extension: undefined,
    }
  })

function completeChoice(choice: z.output<typeof Choice>, position: number): ChatCompletion['choices'][number] {
  const { tool_calls: toolCalls, ...message } = choice.message
  return {
    ...choice,
    index: choice.index ?? position,
    finish_reason: choice.finish_reason ?? null,
    message: {
      ...message,
      role: 'assistant',
      content: message.content ?? null,
      ...(toolCalls === null || toolCalls === undefined || toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
    },
  }
}

function completeUsage(usage: z.output<typeof Usage>): TokenUsage {
  return { ...usage, total_tokens: usage.prompt_tokens + usage.completion_tokens }
}
