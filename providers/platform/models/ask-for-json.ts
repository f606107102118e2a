import type { ChatMessage } from '../../../contract/http/chat.ts'
import { isTooLong, ModelCallError } from './model-host.ts'
import type { ChatRole, ModelHost, RoleChatRequest } from './model-host.ts'
import type { JsonReply } from './prompts/json-reply.ts'

/** An unusable reply is shown back to the model only this far. */
const SHOWN_REPLY_CHARS = 4000
/** Room for the second try where the first reply was cut and its tokens are unknown. */
const ROOM_TOKENS = 4096
const LEAST_ROOM_TOKENS = 1024

/** Four times what was written up to the usual room, twice beyond it: a model that rambles on a laptop at 60 tokens does so for minutes at 4,096. */
const roomAfter = (tokens: number): number =>
  tokens === 0 ? ROOM_TOKENS : Math.max(LEAST_ROOM_TOKENS, Math.min(ROOM_TOKENS, 4 * tokens), 2 * tokens)

/**
 * Asks a model for JSON. A reply that cannot be used is sent back once with what is wrong; one that was cut at its length limit is asked for once
 * more with more room. The second reply counts, whatever it is: `cut_off` names one that was cut again. Throws `ModelCallError`.
 */
export async function askForJson<Value>(
  models: Pick<ModelHost, 'chat'>,
  role: ChatRole,
  request: RoleChatRequest,
  read: (reply: string) => JsonReply<Value>,
  signal?: AbortSignal,
): Promise<JsonReply<Value>> {
  const first = await ask(models, role, request, read, signal)
  if (first.reply.ok) return first.reply
  const again = first.isCut
    ? { ...request, max_tokens: roomAfter(first.tokens) }
    : { ...request, messages: [...request.messages, ...repair(first.text, first.reply.message)] }
  try {
    return (await ask(models, role, again, read, signal)).reply
  } catch (error) {
    // A service that cannot give more room refuses the request, and a prompt that grew by the repair may no longer fit: the first reply counts.
    if (isTooLong(error) || (first.isCut && error instanceof ModelCallError && error.code === 'bad_request'))
      return first.reply
    throw error
  }
}

async function ask<Value>(
  models: Pick<ModelHost, 'chat'>,
  role: ChatRole,
  request: RoleChatRequest,
  read: (reply: string) => JsonReply<Value>,
  signal: AbortSignal | undefined,
): Promise<{ reply: JsonReply<Value>; text: string; isCut: boolean; tokens: number }> {
  const { choices, usage } = await models.chat(role, request, signal)
  const text = choices[0]?.message.content ?? ''
  const tokens = usage?.completion_tokens ?? 0
  const reply = read(text)
  const isCut = !reply.ok && choices[0]?.finish_reason === 'length'
  if (!isCut) return { reply, text, isCut, tokens }
  const after = tokens === 0 ? '' : ` after ${tokens} tokens`
  return {
    reply: { ok: false, code: 'cut_off', message: `it was cut at its length limit${after}` },
    text,
    isCut,
    tokens,
  }
}

const repair = (reply: string, problem: string): ChatMessage[] => [
  { role: 'assistant', content: reply.slice(0, SHOWN_REPLY_CHARS) },
  {
    role: 'user',
    content: `That reply cannot be used: ${problem}. Send the whole JSON object again, corrected, and nothing else.`,
  },
]
