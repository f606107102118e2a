import { z } from 'zod'
import { messageText, modelNameOf } from '../../../contract/index.ts'
import type { ChatCompletion, ModelOf, ModelRole } from '../../../contract/index.ts'
import { chatCompletion } from './chat-completion.ts'
import type { GgufModels } from './gguf-models.ts'
import type { GgufAnswer, GgufChat } from './gguf-protocol.ts'
import type { ModelBackend } from './model-backend.ts'
import { ModelCallError } from './model-host.ts'
import type { RoleChatRequest } from './model-host.ts'
import { answerPieces, splitThinking } from './thinking.ts'

const JsonSchemaFormat = z.looseObject({ json_schema: z.looseObject({ schema: z.looseObject({}) }) })
const Sampling = z.looseObject({ seed: z.int().nullish(), top_p: z.number().min(0).max(1).nullish() })
const Stop = z.union([z.string().transform((text) => [text]), z.array(z.string())]).default([])

/** Chat by a GGUF file. A JSON schema in `response_format` becomes a grammar, which the answer cannot leave. */
export function createGgufBackend(role: ModelRole, choice: ModelOf<'gguf'>, models: GgufModels): ModelBackend {
  return {
    async chat(request, signal, onText) {
      const chat = { ...chatOf(role, choice, request), streams: onText !== undefined }
      const pieces = onText === undefined ? undefined : answerPieces(onText)
      return completionOf(choice, await models.chat(role, choice, chat, signal, pieces))
    },
    close: async () => undefined,
  }
}

function chatOf(role: ModelRole, choice: ModelOf<'gguf'>, request: RoleChatRequest): Omit<GgufChat, 'streams'> {
  const refuse = (detail: string): ModelCallError => new ModelCallError('bad_request', role, detail, { detail })
  if (request.tools !== undefined && request.tools.length > 0)
    throw refuse(
      `the GGUF model "${modelNameOf(choice)}" cannot call tools here; use the builtin or an openai model for role ${role}`,
    )
  const sampling = Sampling.safeParse(request)
  const stop = Stop.safeParse(request.stop)
  if (!sampling.success)
    throw refuse('invalid value for seed or top_p: expected a whole number and a number from 0 to 1')
  if (!stop.success) throw refuse('invalid value for stop: expected a text or a list of texts')
  return {
    messages: request.messages.map((message) => ({ role: templateRole(message.role), text: messageText(message) })),
    maxTokens: request.max_tokens ?? (request.max_completion_tokens as number | undefined) ?? choice.max_new_tokens,
    temperature: request.temperature ?? 0,
    topP: sampling.data.top_p ?? null,
    seed: sampling.data.seed ?? null,
    stop: stop.data.filter((text) => text !== ''),
    think: thinks(request.think),
    format: formatOf(request, refuse),
  }
}

/** Chat templates know three roles. */
function templateRole(role: string): GgufChat['messages'][number]['role'] {
  if (role === 'assistant') return 'model'
  return role === 'system' || role === 'developer' ? 'system' : 'user'
}

/** Efforts other than none are on: a template has a switch only. */
function thinks(think: RoleChatRequest['think']): boolean | null {
  if (think === undefined) return null
  return typeof think === 'boolean' ? think : !['none', 'off', 'false', ''].includes(think)
}

function formatOf(
  { response_format: format, reply_schema: schema }: RoleChatRequest,
  refuse: (detail: string) => ModelCallError,
): GgufChat['format'] {
  if (format === undefined && schema !== undefined) return { schema: withOneOf(schema) as object }
  if (format === undefined || format.type === 'text') return null
  if (format.type === 'json_object') return 'json'
  const parsed = JsonSchemaFormat.safeParse(format)
  if (format.type === 'json_schema' && parsed.success)
    return { schema: withOneOf(parsed.data.json_schema.schema) as object }
  throw refuse('invalid value for response_format: expected text, json_object, or json_schema with a schema')
}

/** Grammars know `oneOf`; `anyOf` permits the same texts there. */
function withOneOf(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withOneOf)
  if (typeof schema !== 'object' || schema === null) return schema
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key === 'anyOf' ? 'oneOf' : key, withOneOf(value)]),
  )
}

/** `timings` has the names of llama.cpp's own server. */
function completionOf(choice: ModelOf<'gguf'>, answer: GgufAnswer): ChatCompletion {
  const { promptTokens, completionTokens, thoughtTokens, firstTokenMs, totalMs } = answer
  const completion = chatCompletion(
    modelNameOf(choice),
    splitThinking(answer.text).answer,
    { promptTokens, completionTokens },
    answer.finish,
  )
  const generationMs = totalMs - firstTokenMs
  return {
    ...completion,
    usage: {
      ...completion.usage!,
      ...(thoughtTokens === 0 ? {} : { completion_tokens_details: { reasoning_tokens: thoughtTokens } }),
    },
    timings: {
      prompt_n: promptTokens,
      prompt_ms: firstTokenMs,
      predicted_n: completionTokens,
      predicted_ms: generationMs,
      // The first token belongs to the prompt's time.
      predicted_per_second:
        completionTokens > 1 && generationMs > 0 ? ((completionTokens - 1) / generationMs) * 1000 : null,
      resident_bytes: answer.rssBytes,
    },
  }
}
