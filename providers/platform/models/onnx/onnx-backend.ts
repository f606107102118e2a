import { messageText } from '../../../../contract/http/chat.ts'
import type { ChatCompletion } from '../../../../contract/http/chat.ts'
import type { ModelOf } from '../../../../contract/manifests/model-backends.ts'
import type { ModelRole } from '../../../../contract/manifests/models.ts'
import { chatCompletion } from '../openai/chat-completion.ts'
import type { ModelBackend } from '../model-backend.ts'
import { ModelCallError } from '../model-host.ts'
import type { RoleChatRequest } from '../model-host.ts'
import { unexpected } from '../model-process.ts'
import type { OnnxModels } from './onnx-models.ts'
import { unitVectors } from '../unit-vectors.ts'

/** Texts of one request to the process: another caller gets its turn between two of them. */
const TEXTS_PER_REQUEST = 16

/** Weights in a process of their own: embeddings pooled as their makers define, cross-encoder scores, or generated text, by the choice's task. */
export function createOnnxBackend(role: ModelRole, choice: ModelOf<'onnx'>, models: OnnxModels): ModelBackend {
  return {
    async embed(texts, side, signal, _statistics, onTokens) {
      const prefix = side === 'query' ? choice.query_prefix : choice.document_prefix
      const found = new Array<number[]>(texts.length)
      // A run of the network is as long as its longest text, so texts of one length go together.
      const byLength = texts.map((_, index) => index).toSorted((a, b) => texts[a]!.length - texts[b]!.length)
      let read = 0
      for (const some of batches(byLength)) {
        const reply = await models.ask(role, choice, { embed: some.map((index) => prefix + texts[index]!) }, signal)
        if (!('embedded' in reply)) throw unexpected(role)
        read += reply.embedded.tokens
        for (const [row, index] of some.entries()) found[index] = reply.embedded.vectors[row] ?? []
      }
      onTokens?.(read)
      return unitVectors(role, found, texts.length)
    },
    async rerank(query, texts, signal) {
      const scores: number[] = []
      for (const some of batches(texts)) {
        const reply = await models.ask(role, choice, { rerank: { query, texts: some } }, signal)
        if (!('ranked' in reply)) throw unexpected(role)
        scores.push(...reply.ranked.scores)
      }
      if (scores.every(Number.isFinite)) return scores
      throw new ModelCallError(
        'invalid_response',
        role,
        `The reranker "${choice.model}" gave a score that is not a finite number`,
      )
    },
    chat: (request, signal) => generate(role, choice, models, request, signal),
    close: async () => undefined,
  }
}

async function generate(
  role: ModelRole,
  choice: ModelOf<'onnx'>,
  models: OnnxModels,
  request: RoleChatRequest,
  signal?: AbortSignal,
): Promise<ChatCompletion> {
  if (request.tools !== undefined && request.tools.length > 0) {
    throw new ModelCallError('bad_request', role, `The local model "${choice.model}" cannot call tools`)
  }
  const messages = request.messages.map((message) => ({
    role: templateRole(message.role),
    content: messageText(message),
  }))
  const maxTokens = Math.min(request.max_tokens ?? choice.max_new_tokens, choice.max_new_tokens)
  const chat = { messages, maxTokens, temperature: request.temperature ?? 0 }
  const reply = await models.ask(role, choice, { chat }, signal)
  if (!('answered' in reply)) throw unexpected(role)
  const { text, promptTokens, completionTokens } = reply.answered
  const finish = completionTokens >= maxTokens ? 'length' : 'stop'
  return chatCompletion(choice.model, text, { promptTokens, completionTokens }, finish)
}

/** Chat templates of small models know three roles only. */
function templateRole(role: string): string {
  if (role === 'developer') return 'system'
  return role === 'tool' ? 'user' : role
}

function* batches<Item>(items: readonly Item[]): Generator<Item[]> {
  for (let start = 0; start < items.length; start += TEXTS_PER_REQUEST)
    yield items.slice(start, start + TEXTS_PER_REQUEST)
}
