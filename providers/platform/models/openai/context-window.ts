// The context window of a model at a service: what a prompt may need of it, and where services that run models name it.
import { isNearAddress } from '../../../../contract/manifests/model-connections.ts'
import { countTokens } from '../../../../contract/evidence/count-tokens.ts'
import { messageText } from '../../../../contract/http/chat.ts'
import { createHttpClient, type HttpCall } from '../../../../core/http/http-client.ts'
import { isRecord } from '../../../../core/json.ts'
import type { RoleChatRequest } from '../model-host.ts'

/** Tokens that a template adds for each message. */
const FRAME_TOKENS = 4

/** The size of a prompt, estimated. */
export const promptTokens = ({ messages, tools = [], reply_schema: schema }: RoleChatRequest): number =>
  messages.reduce((sum, message) => sum + countTokens(messageText(message)) + FRAME_TOKENS, 0) +
  (tools.length === 0 ? 0 : countTokens(JSON.stringify(tools))) +
  (schema === undefined ? 0 : countTokens(JSON.stringify(schema)))

const ASK_MS = 3000

/**
 * Asks a service for the window of a model; null where it does not say. The list of models is asked for at every address; paths of one program only
 * on this machine and in private networks.
 */
export async function askForWindow(baseUrl: string, model: string, apiKey: string | null): Promise<number | null> {
  const client = createHttpClient(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` })
  const read = async (address: string, call: HttpCall = {}): Promise<Record<string, unknown>> => {
    const answer = await client.send(address, { ...call, timeoutMs: ASK_MS }).catch(() => null)
    return answer?.isOk === true && isRecord(answer.json) ? answer.json : {}
  }
  const base = baseUrl.replace(/\/+$/, '')
  const listed = entryOf((await read(`${base}/models`))['data'], 'id', model)
  const named = amountIn(listed, ['max_model_len', 'context_length', 'context_window', 'max_context_length'])
  if (named !== null || !isNearAddress(base)) return named
  const { origin } = new URL(base)
  // llama.cpp, of each of its slots.
  const props = await read(`${origin}/props`)
  const slot = amountIn(props['default_generation_settings'], ['n_ctx'])
  if (slot !== null) return slot
  // LM Studio, where the model is loaded.
  const loaded = entryOf((await read(`${origin}/api/v0/models`))['data'], 'id', model)
  const ofStudio = amountIn(loaded, ['loaded_context_length'])
  if (ofStudio !== null) return ofStudio
  // Ollama, what it has allocated; its models can do more, and it cuts what does not fit without a word.
  return amountIn(entryOf((await read(`${origin}/api/ps`))['models'], 'model', model), ['context_length'])
}

/** Ollama lists a model that is asked for without a tag with its default one. */
const entryOf = (list: unknown, field: string, name: string): unknown =>
  Array.isArray(list)
    ? list.find((each) => isRecord(each) && (each[field] === name || each[field] === `${name}:latest`))
    : undefined

function amountIn(value: unknown, fields: readonly string[]): number | null {
  const found = fields.map((field) => (isRecord(value) ? value[field] : undefined))
  const amount = found.find((each) => typeof each === 'number' && Number.isInteger(each) && each > 0)
  return typeof amount === 'number' ? amount : null
}
