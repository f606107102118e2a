import type { GraphAnswer, GraphAnswerParts, QueryOptions } from '../graph-engine.ts'
import type { GraphQueryRequest } from '../../../../contract/index.ts'
import type { KnowledgeGraph } from '../graph/knowledge-graph.ts'
import type { GraphEngineLimits } from '../limits.ts'
import type { ModelHost } from '../../models/model-host.ts'
import { referencesWithContent } from './query-data.ts'
import type { GraphRerank } from './rerank-chunks.ts'
import { promptText, retrieveContext } from './run-query.ts'

export interface AnsweringDeps {
  graph: (signal?: AbortSignal) => Promise<KnowledgeGraph>
  models: ModelHost
  rerank: GraphRerank | null
  limits: Pick<GraphEngineLimits, 'pathLength' | 'visitedEntities'>
}

/** Answers queries in two parts, so that a stream can show the references while the text is written. */
export function createAnswering(deps: AnsweringDeps) {
  return async (request: GraphQueryRequest, options: QueryOptions = {}): Promise<GraphAnswerParts> => {
    const tools = { ...deps, models: options.models ?? deps.models, bounds: deps.limits }
    const context = await retrieveContext(request, tools, options.signal)
    const { data, keywords, info } = context
    const references = !request.include_references
      ? null
      : request.include_chunk_content
        ? referencesWithContent(data)
        : data.references
    const parts = { references, data, keywords, info }
    const finished = (response: string, llmGenerated: boolean): GraphAnswer => ({
      ...parts,
      response,
      llmGenerated,
      cost: context.cost(),
    })
    return {
      ...parts,
      async finish() {
        if (request.only_need_context) return finished(context.text, false)
        if (request.only_need_prompt) return finished(promptText(context.messages), false)
        const { response, llmGenerated } = await context.answer()
        return finished(response, llmGenerated)
      },
    }
  }
}
