import { z } from 'zod'
import { modelNameOf } from '../../../../contract/manifests/model-backends.ts'
import type { ChatCompletion } from '../../../../contract/http/chat.ts'
import type { ModelOf } from '../../../../contract/manifests/model-backends.ts'
import type { ModelRole } from '../../../../contract/manifests/models.ts'
import { chatCompletion } from '../openai/chat-completion.ts'
import type { GgufModels } from './gguf-models.ts'
import type { GgufAnswer, GgufChat } from './gguf-protocol.ts'
import { textWithTools, toolInstructions, toolReplySchema, withWrittenCalls } from '../text-tools.ts'
import type { ModelBackend } from '../model-backend.ts'
import { ModelCallError } from '../model-host.ts'
import type { RoleChatRequest } from '../model-host.ts'
import { answerPieces, splitThinking } from '../../../../core/thinking.ts'
import { unitVectors } from '../unit-vectors.ts'

const JsonSchemaFormat = z.looseObject({ json_schema: z.looseObject({ schema: z.looseObject({}) }) })
const Sampling = z.looseObject({ seed: z.int().nullish(), top_p: z.number().min(0).max(1).nullish() })
const Stop = z.union([z.string().transform((text) => [text]), z.array(z.string())]).default([])

/** Texts of one request to the process: another caller gets its turn between two of them. */
const TEXTS_PER_REQUEST = 16

/** Embeddings, or chat, by a GGUF file. A JSON schema in `response_format`, and that of a call of tools, becomes a grammar, which the answer cannot leave. */
export function createGgufBackend(role: ModelRole, choice: ModelOf<'gguf'>, models: GgufModels): ModelBackend {
  return {
    async chat(request, signal, onText) {
      const usesTools = toolsOf(request).length > 0
      // A reply with tools is JSON, whichever it is.
      const streams = onText !== undefined && !usesTools
      const chat = { ...chatOf(role, choice, request), streams }
      const answer = await models.chat(role, choice, chat, signal, streams ? answerPieces(onText) : undefined)
      const completion = completionOf(choice, answer)
      return usesTools ? withWrittenCalls(completion, toolsOf(request), { answers: true }) : completion
    },
    async embed(texts, side, signal, _statistics, onTokens) {
      const prefix = (side === 'query' ? choice.query_prefix : choice.document_prefix) ?? ''
      const found: number[][] = []
      let read = 0
      for (let from = 0; from < texts.length; from += TEXTS_PER_REQUEST) {
        const some = texts.slice(from, from + TEXTS_PER_REQUEST).map((text) => prefix + text)
        const { vectors, tokens } = await models.embed(role, choice, some, signal)
        read += tokens
        found.push(...vectors)
      }
      onTokens?.(read)
      return unitVectors(role, found, texts.length)
    },
    close: async () => undefined,
  }
}

function chatOf(role: ModelRole, choice: ModelOf<'gguf'>, request: RoleChatRequest): Omit<GgufChat, 'streams'> {
  const refuse = (detail: string): ModelCallError => new ModelCallError('bad_request', role, detail, { detail })
  const tools = toolsOf(request)
  const sampling = Sampling.safeParse(request)
  const stop = Stop.safeParse(request.stop)
  if (!sampling.success)
    throw refuse('invalid value for seed or top_p: expected a whole number and a number from 0 to 1')
  if (!stop.success) throw refuse('invalid value for stop: expected a text or a list of texts')
  return {
    messages: messagesOf(request, tools),
    maxTokens: request.max_tokens ?? (request.max_completion_tokens as number | undefined) ?? choice.max_new_tokens,
    temperature: request.temperature ?? 0,
    topP: sampling.data.top_p ?? null,
    seed: sampling.data.seed ?? null,
    stop: stop.data.filter((text) => text !== ''),
    think: thinks(request.think),
    format:
      tools.length > 0
        ? { schema: withOneOf(toolReplySchema(tools, request.tool_choice === 'required')) as object }
        : formatOf(request, refuse),
  }
}

/** The tools that a reply may call. */
const toolsOf = ({ tools, tool_choice: choice }: RoleChatRequest): NonNullable<RoleChatRequest['tools']> =>
  choice === 'none' ? [] : (tools ?? [])

/** Some templates take one system message only, so that instructions about tools become part of it. */
function messagesOf({ messages }: RoleChatRequest, tools: ReturnType<typeof toolsOf>): GgufChat['messages'] {
  const texts = messages.map((message) => ({
    role: templateRole(message.role),
    text: textWithTools(message, messages),
  }))
  if (tools.length === 0) return texts
  const instructions = toolInstructions(tools)
  const [first, ...rest] = texts
  return first?.role === 'system'
    ? [{ ...first, text: `${first.text}\n\n${instructions}` }, ...rest]
    : [{ role: 'system', text: instructions }, ...texts]
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
