import type { ServerResponse } from 'node:http'
import { startModelService, type ModelService, type ModelServiceAnswer } from './model-service.ts'

/** Servers of models on one's own machine, each with its own defaults and error bodies. */
export const CHAT_SERVICES = ['Ollama', 'LM Studio', 'vLLM 0.8', 'vLLM 0.11'] as const
export type ChatServiceName = (typeof CHAT_SERVICES)[number]

/** Tokens that a prompt and its answer may have together; a token is a word. */
export const CONTEXT_TOKENS = 2000
export const CHAT_MODEL = 'small-chat'
export const EMBEDDING_MODEL = 'small-embed'
/** Holds what vLLM is started with (`--api-key`); the others ask for none. */
export const CHAT_KEY = 'key-of-the-service'

interface ChatRequest {
  model: string
  messages: { content: string }[]
  max_tokens?: number
  stream?: boolean
  stream_options?: { include_usage?: boolean }
  response_format?: { type: string }
  input?: string | string[]
}

/** Describes how one service differs from the others. */
interface Habits {
  /** The body of a refusal. */
  refusal: (status: number, message: string, kind: string) => object
  unknownModel: (model: string) => string
  /** Returns what any other address is answered with. */
  unknownPath: (method: string, path: string) => ModelServiceAnswer
  /** Null cuts the prompt without a word. */
  tooLong: ((tokens: number, asked: number) => { status: number; message: string }) | null
  wantsKey: boolean
  /** Further fields of a message, of which a client must make nothing. */
  message: object
  /** Forms of an answer that it knows. */
  formats: readonly string[]
}

const textAnswer = (status: number, text: string): ModelServiceAnswer => ({
  raw: (response) => void response.writeHead(status, { 'content-type': 'text/plain' }).end(text),
})
const vllm: Omit<Habits, 'refusal'> = {
  unknownModel: (model) => `The model \`${model}\` does not exist.`,
  unknownPath: () => ({ status: 404, json: { detail: 'Not Found' } }),
  tooLong: (tokens, asked) => ({
    status: 400,
    message: `This model's maximum context length is ${CONTEXT_TOKENS} tokens. However, you requested ${tokens + asked} tokens (${tokens} in the messages, ${asked} in the completion).`,
  }),
  wantsKey: true,
  message: { reasoning_content: null, tool_calls: [] },
  formats: ['text', 'json_object', 'json_schema'],
}

const HABITS: Readonly<Record<ChatServiceName, Habits>> = {
  Ollama: {
    refusal: (_status, message) => ({ error: { message, type: 'api_error', param: null, code: null } }),
    unknownModel: (model) => `model "${model}" not found, try pulling it first`,
    unknownPath: () => textAnswer(404, '404 page not found'),
    tooLong: null,
    wantsKey: false,
    message: { reasoning: '' },
    formats: ['text', 'json_object', 'json_schema'],
  },
  'LM Studio': {
    refusal: (_status, message) => ({ error: message }),
    unknownModel: (model) => `Model "${model}" not found`,
    // Whatever is asked for, it is answered with 200.
    unknownPath: (method, path) => ({ json: { error: `Unexpected endpoint or method. (${method} ${path})` } }),
    tooLong: (tokens) => ({
      status: 400,
      message: `Trying to keep the first ${tokens} tokens when context the overflows. However, the model is loaded with context length of only ${CONTEXT_TOKENS} tokens, which is not enough.`,
    }),
    wantsKey: false,
    message: { reasoning_content: '', tool_calls: [] },
    formats: ['text', 'json_schema'],
  },
  'vLLM 0.8': {
    ...vllm,
    refusal: (status, message, type) => ({ object: 'error', message, type, param: null, code: status }),
  },
  'vLLM 0.11': {
    ...vllm,
    refusal: (status, message, type) => ({ error: { message, type, param: null, code: status } }),
  },
}

const tokensOf = (text: string): number => text.split(/\s+/).filter(Boolean).length
const ANSWER = ['The ', 'harbour ', 'is ', 'open.']

/**
 * A small server with the error bodies and defaults of a real one, below `/v1`. It answers every chat with the same sentence, or with
 * `{"city":"Oslo"}` where JSON is asked for, and embeds a text by its length.
 */
export function startFakeChatService(name: ChatServiceName): Promise<ModelService> {
  const habits = HABITS[name]
  const refuse = (status: number, message: string, kind: string): ModelServiceAnswer => ({
    status,
    json: habits.refusal(status, message, kind),
  })
  return startModelService(({ method, path, headers, body }) => {
    if (habits.wantsKey && headers.authorization !== `Bearer ${CHAT_KEY}`)
      return { status: 401, json: { error: 'Unauthorized' } }
    const request = body as ChatRequest
    const route = `${method} ${path}`
    if (route === 'GET /v1/models') {
      const data = [CHAT_MODEL, EMBEDDING_MODEL].map((id) => ({ id, object: 'model', created: 1, owned_by: 'library' }))
      return { json: { object: 'list', data } }
    }
    const model = { 'POST /v1/chat/completions': CHAT_MODEL, 'POST /v1/embeddings': EMBEDDING_MODEL }[route]
    if (model === undefined) return habits.unknownPath(method, path)
    if (request.model !== model) return refuse(404, habits.unknownModel(request.model), 'NotFoundError')
    if (model === EMBEDDING_MODEL) return { json: embeddings(request) }
    const prompt = tokensOf(request.messages.map(({ content }) => content).join(' '))
    const tooLong = habits.tooLong?.(prompt, request.max_tokens ?? 16)
    if (tooLong !== undefined && prompt + (request.max_tokens ?? 16) > CONTEXT_TOKENS)
      return refuse(tooLong.status, tooLong.message, 'BadRequestError')
    const format = request.response_format?.type ?? 'text'
    if (!habits.formats.includes(format))
      return refuse(400, "'response_format.type' must be 'json_schema' or 'text'", 'BadRequestError')
    const pieces = format === 'text' ? ANSWER : ['{"city":', '"Oslo"}']
    const usage = {
      prompt_tokens: Math.min(prompt, CONTEXT_TOKENS),
      completion_tokens: pieces.length,
      total_tokens: Math.min(prompt, CONTEXT_TOKENS) + pieces.length,
    }
    if (request.stream === true)
      return { raw: (response) => stream(response, pieces, request.stream_options?.include_usage ? usage : null) }
    const message = { role: 'assistant', content: pieces.join(''), ...habits.message }
    const choices = [{ index: 0, message, finish_reason: 'stop', logprobs: null }]
    return { json: { id: 'c1', object: 'chat.completion', created: 1, model, choices, usage } }
  })
}

function stream(response: ServerResponse, pieces: readonly string[], usage: object | null): void {
  const send = (part: object): void => void response.write(`data: ${JSON.stringify(part)}\n\n`)
  const head = { id: 'c1', object: 'chat.completion.chunk', created: 1, model: CHAT_MODEL }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const content of pieces) send({ ...head, choices: [{ index: 0, delta: { content }, finish_reason: null }] })
  send({ ...head, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
  if (usage !== null) send({ ...head, choices: [], usage })
  response.end('data: [DONE]\n\n')
}

function embeddings({ input }: ChatRequest): object {
  const texts = typeof input === 'string' ? [input] : (input ?? [])
  const data = texts.map((text, index) => ({ object: 'embedding', index, embedding: [text.length, 3, 4] }))
  const tokens = texts.reduce((sum, text) => sum + tokensOf(text), 0)
  return { object: 'list', data, model: EMBEDDING_MODEL, usage: { prompt_tokens: tokens, total_tokens: tokens } }
}
