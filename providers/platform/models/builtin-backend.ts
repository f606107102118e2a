import type { ChatCompletion, ChatRequest } from '../../../contract/http/chat.ts'
import type { ModelOf } from '../../../contract/manifests/model-backends.ts'
import { messageText } from '../../../contract/http/chat.ts'
import { chatCompletion } from './openai/chat-completion.ts'
import type { BuiltinReply } from './builtin/answer-chat.ts'
import type { Ranking } from './builtin/relevance/score-relevance.ts'
import type { ModelBackend } from './model-backend.ts'
import type { RerankPool, TermStatistics } from './model-host.ts'
import { createPauses } from '../stores/graph-engine/sliced-work.ts'

/** The rule-based models: synchronous functions without weights. */
export interface BuiltinModels {
  /** A unit vector of 768 dimensions; words of a query weigh by the statistics of the collection that it is for. */
  embedText(text: string, statistics?: TermStatistics): Float32Array
  /** A logit of one passage by itself: higher is more relevant. */
  scoreRelevance(query: string, text: string): number
  /** Ranks the candidates of a search together. */
  createRanking(query: string, pool: RerankPool): Ranking
  /** The reply to a conversation, or the calls that it makes of the named tools. */
  answerBuiltinChat(messages: ChatRequest['messages'], tools?: readonly string[]): BuiltinReply
  countTokens(text: string): number
}

/**
 * The rule-based models as a backend. They never wait for anything: a caller that asks again as soon as it has an answer would keep the thread for
 * itself, so that turns are counted over all calls, not in each.
 */
export function createBuiltinBackend(choice: ModelOf<'builtin'>, models: BuiltinModels): ModelBackend {
  const pause = createPauses()
  const inTurns = async <Result>(
    texts: readonly string[],
    work: (text: string) => Result,
    signal: AbortSignal | undefined,
  ): Promise<Result[]> => {
    const results: Result[] = []
    for (const text of texts) {
      await pause()
      signal?.throwIfAborted()
      results.push(work(text))
    }
    return results
  }
  return {
    embed: (texts, _side, signal, statistics) => inTurns(texts, (text) => models.embedText(text, statistics), signal),
    async rerank(query, texts, signal, pool) {
      if (pool === undefined) return inTurns(texts, (text) => models.scoreRelevance(query, text), signal)
      const ranking = models.createRanking(query, pool)
      await inTurns(texts, (text) => ranking.add(text), signal)
      return ranking.logits()
    },
    async chat(request, signal) {
      await pause()
      signal?.throwIfAborted()
      const tools = (request.tools ?? []).map((tool) => tool.function.name)
      const { text, toolCalls } = models.answerBuiltinChat(request.messages, tools)
      const promptTokens = request.messages.reduce((sum, message) => sum + models.countTokens(messageText(message)), 0)
      const written = [text, ...(toolCalls ?? []).map((call) => JSON.stringify(call))].join('\n')
      const usage = { promptTokens, completionTokens: models.countTokens(written) }
      const completion = chatCompletion(choice.model, text, usage)
      return toolCalls === undefined ? completion : withToolCalls(completion, toolCalls, request.messages.length)
    },
    close: async () => undefined,
  }
}

/** The completion as a reply that calls tools; the ids differ from those of earlier turns of the same conversation. */
function withToolCalls(
  completion: ChatCompletion,
  calls: NonNullable<BuiltinReply['toolCalls']>,
  turn: number,
): ChatCompletion {
  const toolCalls = calls.map(({ tool, arguments: given }, at) => ({
    id: `call-${turn}-${at}`,
    type: 'function' as const,
    function: { name: tool, arguments: JSON.stringify(given) },
  }))
  const message = { role: 'assistant' as const, content: null, tool_calls: toolCalls }
  return { ...completion, choices: [{ index: 0, finish_reason: 'tool_calls', message }] }
}
