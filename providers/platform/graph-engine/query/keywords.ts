import type { GraphQueryRequest } from '../../../../contract/index.ts'
import type { ModelHost } from '../../models/model-host.ts'
import { parseKeywordsReply, renderKeywordsTask } from '../../models/prompts/keywords-task.ts'

/** A question's keywords: themes and kinds of relation, and names and concrete things. */
export interface QueryKeywords {
  high: string[]
  low: string[]
  /** request: the caller gave them. model: the model did. question: its reply held none, so the question stands for itself. */
  from: 'request' | 'model' | 'question'
}

/** Splits the question by the model of role `graph_keyword`, unless the caller gave keywords. Throws `ModelCallError`. */
export async function splitKeywords(
  request: Pick<GraphQueryRequest, 'query' | 'hl_keywords' | 'll_keywords'>,
  models: ModelHost,
  signal?: AbortSignal,
): Promise<QueryKeywords> {
  if (request.hl_keywords.length + request.ll_keywords.length > 0) {
    return { high: request.hl_keywords, low: request.ll_keywords, from: 'request' }
  }
  const messages = renderKeywordsTask({ question: request.query })
  const completion = await models.chat('graph_keyword', { messages, temperature: 0 }, signal)
  const reply = parseKeywordsReply(completion.choices[0]?.message.content ?? '')
  if (!reply.ok || reply.value.high_level.length + reply.value.low_level.length === 0) {
    return { high: [], low: [request.query], from: 'question' }
  }
  return { high: reply.value.high_level, low: reply.value.low_level, from: 'model' }
}
