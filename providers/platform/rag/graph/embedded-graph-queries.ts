import { GraphQueryRequest } from '../../../../contract/http/graph-engine.ts'
import type { GraphQueryData } from '../../../../contract/http/graph-engine.ts'
import { GraphEngineError } from '../../stores/graph-engine/errors.ts'
import type { GraphEngine } from '../../stores/graph-engine/graph-engine.ts'
import { JOINED } from '../../stores/graph-engine/query/run-query.ts'
import { isTooLong } from '../../models/model-host.ts'
import { RagError } from '../rag-error.ts'
import { requireQueryLength } from './graph-queries.ts'
import type { GraphFindings, GraphQueries, GraphQuestion } from './graph-queries.ts'

/** A context of fewer tokens holds hardly a passage. */
const LEAST_CONTEXT_TOKENS = 1000

/** The engine of this process. A graph without documents is refused: it would answer every question with nothing. */
export function embeddedGraphQueries(
  engine: Pick<GraphEngine, 'query' | 'queryInParts' | 'hasDocuments' | 'derivations'>,
): GraphQueries {
  const requireDocuments = () => {
    if (engine.hasDocuments()) return
    throw new RagError('graph_empty', 'the knowledge graph holds no documents: ingest the active profile first')
  }
  return {
    requireDocuments,
    answer: (question, { models, onText, onRead }, signal, search) =>
      translated(async () => {
        requireDocuments()
        onRead?.(engine.derivations())
        requireQueryLength(question.query)
        const { response, data, info, statements } = await withinContext(question, (fitting) =>
          engine.query(GraphQueryRequest.parse(fitting), { ...options(models, signal), onText, search }),
        )
        const { entities, relationships, chunks } = data
        const counts = { entities: entities.length, relations: relationships.length, chunks: chunks.length }
        const passages = chunks.map(({ file_path, content, ...more }) => ({
          document: file_path,
          content,
          score: typeof more['score'] === 'number' ? more['score'] : null,
          ...(typeof more['via'] === 'string' ? { via: more['via'] } : {}),
        }))
        // At an equal budget what the graph states counts as what it is: text that was handed over.
        const isEqual = question.context_budget !== undefined
        const stated = isEqual ? statements.map((content) => ({ document: null, content, score: null })) : []
        return { answer: response, counts, passages: [...passages, ...stated], contextTokens: info.context_tokens }
      }),
    find: (question, { models, onRead }, signal) =>
      translated(async () => {
        requireDocuments()
        onRead?.(engine.derivations())
        requireQueryLength(question.query)
        const request = GraphQueryRequest.parse({ ...question, only_need_context: true })
        return findingsOf((await engine.queryInParts(request, options(models, signal))).data)
      }),
  }
}

/** Asks again with half the context, and half of that, where it is too long for the model. */
async function withinContext<Result>(
  question: GraphQuestion,
  ask: (question: GraphQuestion) => Promise<Result>,
): Promise<Result> {
  try {
    return await ask(question)
  } catch (error) {
    const less = Math.floor(question.max_total_tokens / 2)
    if (!isTooLong(error) || less < LEAST_CONTEXT_TOKENS) throw error
    const budget = question.context_budget
    const halved = budget === undefined ? {} : { context_budget: Math.floor(budget / 2) }
    return withinContext({ ...question, max_total_tokens: less, ...halved }, ask)
  }
}

const options = <Models>(models: Models, signal: AbortSignal | undefined) =>
  signal === undefined ? { models } : { models, signal }

/** `/query/data` as approaches read it. */
export function findingsOf(data: GraphQueryData): GraphFindings {
  const firsts = (joined: string) => joined.split(JOINED).slice(0, 3).join(' ')
  return {
    entities: data.entities.map(({ entity_name, entity_type, description }) => ({
      name: entity_name,
      type: entity_type,
      description: firsts(description),
    })),
    relations: data.relationships.map(({ src_id, tgt_id, keywords, description }) => ({
      source: src_id,
      target: tgt_id,
      keywords,
      description: firsts(description),
    })),
    chunks: data.chunks.map(({ file_path, content, ...more }) => ({
      document: file_path,
      title: typeof more['title'] === 'string' ? more['title'] : file_path,
      content,
    })),
  }
}

async function translated<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof GraphEngineError)
      throw new RagError('graph_failed', `the graph engine failed: ${error.message}`, { cause: error })
    throw error
  }
}
