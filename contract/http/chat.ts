import { z } from 'zod'
import { TokenUsage } from '../evidence/canonical-row.ts'
import { ContextTokens } from '../evidence/context-budget.ts'
import { RagExtension } from '../evidence/rag-extension.ts'
import { Trial } from './trial.ts'

const textPart = z.looseObject({ type: z.literal('text'), text: z.string() })

export const ToolCall = z.looseObject({
  id: z.string(),
  type: z.literal('function'),
  /** `arguments` is JSON text as the model wrote it: it may be malformed. */
  function: z.looseObject({ name: z.string(), arguments: z.string() }),
})
export type ToolCall = z.infer<typeof ToolCall>

/** Clients send null for what they do not set: that is as if it were not there. `kept` fields may be null. */
const withoutNulls =
  (...kept: string[]) =>
  (value: unknown): unknown =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).filter(([name, field]) => field !== null || kept.includes(name)))
      : value

export const ChatMessage = z.preprocess(
  withoutNulls('content'),
  z.looseObject({
    role: z.enum(['system', 'developer', 'user', 'assistant', 'tool']),
    content: z.union([z.string(), z.array(z.looseObject({ type: z.string() })), z.null()]).optional(),
    tool_calls: z.array(ToolCall).optional(),
    tool_call_id: z.string().optional(),
  }),
)
export type ChatMessage = z.infer<typeof ChatMessage>

/** Cache controls of the gateway: `no-cache` reads no cached answer, `no-store` keeps none. */
const CacheControls = z.looseObject({ 'no-cache': z.boolean().optional(), 'no-store': z.boolean().optional() })

export const ChatRequest = z.preprocess(
  withoutNulls(),
  z.looseObject({
    model: z.string().min(1),
    messages: z.array(ChatMessage).min(1),
    stream: z.boolean().optional(),
    temperature: z.number().optional(),
    max_tokens: z.int().positive().optional(),
    max_completion_tokens: z.int().positive().optional(),
    stop: z.union([z.string(), z.array(z.string()).max(16)]).optional(),
    n: z.int().min(1).max(128).optional(),
    tools: z
      .array(z.looseObject({ type: z.literal('function'), function: z.looseObject({ name: z.string() }) }))
      .optional(),
    tool_choice: z.union([z.string(), z.looseObject({ type: z.string() })]).optional(),
    response_format: z.looseObject({ type: z.string() }).optional(),
    logprobs: z.boolean().optional(),
    think: z.union([z.boolean(), z.string()]).optional(),
    cache: CacheControls.optional(),
    /** Tokens of text that an approach hands to the model that writes its answer. */
    context_budget: ContextTokens.optional(),
    /** A question of a tuning. */
    trial: Trial.optional(),
  }),
)
export type ChatRequest = z.infer<typeof ChatRequest>

export const ChatCompletion = z.looseObject({
  id: z.string(),
  object: z.literal('chat.completion'),
  created: z.int(),
  model: z.string(),
  choices: z
    .array(
      z.looseObject({
        index: z.int(),
        finish_reason: z.string().nullable(),
        message: z.looseObject({
          role: z.literal('assistant'),
          content: z.string().nullable(),
          tool_calls: z.array(ToolCall).optional(),
        }),
      }),
    )
    .min(1),
  usage: TokenUsage.loose().optional(),
  rag_extension: RagExtension.optional(),
})
export type ChatCompletion = z.infer<typeof ChatCompletion>

export const EmbeddingsRequest = z.looseObject({
  model: z.string().min(1),
  input: z.union([z.string(), z.array(z.string()).min(1).max(2048)], {
    error: 'a text or a list of 1 to 2048 texts is required; lists of token ids cannot be embedded here, send the text',
  }),
  encoding_format: z.enum(['float', 'base64']).nullish(),
})

/** An entry of `/v1/models`; `rag_ladder` is additive and reports whether an alias can answer now. */
const ModelEntry = z.looseObject({
  id: z.string(),
  object: z.string().nullish(),
  created: z.number().nullish(),
  owned_by: z.string().nullish(),
  rag_ladder: z
    .looseObject({
      /** True when a call would be answered. */
      available: z.boolean(),
      reason: z.string().nullish(),
      /** True when nothing but ingestion, or building the contextual collection, is missing. */
      needs_ingestion: z.boolean().nullish(),
    })
    .nullish(),
})
export const ModelList = z.looseObject({ object: z.string().nullish(), data: z.array(ModelEntry) })
export type ModelList = z.infer<typeof ModelList>

/** The text of a message, its text parts joined by newlines; empty when it has none. */
export function messageText(message: ChatMessage): string {
  if (typeof message.content === 'string') return message.content
  if (!Array.isArray(message.content)) return ''
  return message.content
    .flatMap((part) => {
      const text = textPart.safeParse(part)
      return text.success ? [text.data.text] : []
    })
    .join('\n')
}
