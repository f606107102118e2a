import { setImmediate as nextTurn } from 'node:timers/promises'
import { NO_ANSWER } from '../../../../../contract/prompts.ts'
import { tokensOfTexts } from '../../../../../contract/evidence/context-budget.ts'
import { messageText } from '../../../../../contract/http/chat.ts'
import type { ChatMessage } from '../../../../../contract/http/chat.ts'
import type {
  GraphQueryCost,
  GraphQueryData,
  GraphQueryRequest,
  GraphReference,
} from '../../../../../contract/http/graph-engine.ts'
import type { ModelHost, OnText } from '../../../models/model-host.ts'
import { meterCalls } from '../../../rag/call-meter.ts'
import { noAnswerText } from '../../../../../core/model-remedies.ts'
import { withoutThinking } from '../../../../../core/thinking.ts'
import { GraphEngineError } from '../errors.ts'
import type { GraphEngineLimits } from '../limits.ts'
import { forOneQuestion } from '../graph/knowledge-graph.ts'
import type { GraphChunk, GraphEntity, GraphRelation, KnowledgeGraph } from '../graph/knowledge-graph.ts'
import { depthFor } from '../../../rag/steps/fill-budget.ts'
import { chunksAround, type PassageSearch } from './around-passages.ts'
import { buildContext } from './build-context.ts'
import type { GraphContext } from './build-context.ts'
import { splitKeywords, viewQuestion } from './question-view.ts'
import type { QueryKeywords, QuestionView } from './question-view.ts'
import { chunksByMeaning, chunksOfFindings, roundRobin, searchGraph } from './search-graph.ts'
import type { GraphFindings, Ranked } from './search-graph.ts'

export interface QueryOptions {
  /** The request's own view of the models, where calls are to be counted; the engine's models otherwise. */
  models?: ModelHost
  signal?: AbortSignal
  /** Receives the answer's text as it is written. */
  onText?: OnText | undefined
  /** Searches the same documents in another way: what it finds comes first, then what the graph leads to from there. */
  search?: PassageSearch | undefined
}

/** A finished answer with its sources. */
export interface GraphAnswer {
  response: string
  /** False when no model wrote it: nothing was found, or the request asked for context or prompt only. */
  llmGenerated: boolean
  references: GraphReference[] | null
  data: GraphQueryData
  keywords: { high_level: string[]; low_level: string[] }
  info: ProcessingInfo
  /** Texts of relations and entities as in the prompt. */
  statements: string[]
  cost: GraphQueryCost
}

/** An answer in parts: the context first, the text when it is written. */
export interface GraphAnswerParts extends Omit<GraphAnswer, 'response' | 'llmGenerated' | 'cost'> {
  finish(): Promise<GraphAnswer>
}

export interface AnsweringDeps {
  graph: (signal?: AbortSignal) => Promise<KnowledgeGraph>
  models: ModelHost
  rerank: GraphRerank | null
  limits: Pick<GraphEngineLimits, 'pathLength' | 'visitedEntities' | 'walkedEntities'>
}

/** Answers queries in two parts, so that a stream can show the references while the text is written. */
export function createAnswering(deps: AnsweringDeps) {
  return async (request: GraphQueryRequest, options: QueryOptions = {}): Promise<GraphAnswerParts> => {
    const tools = { ...deps, models: options.models ?? deps.models, search: options.search }
    const context = await retrieveContext(request, tools, options.signal, options.onText)
    const { data, keywords, info, statements } = context
    const references = !request.include_references
      ? null
      : request.include_chunk_content
        ? referencesWithContent(data)
        : data.references
    const parts = { references, data, keywords, info, statements }
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

type QueryTools = AnsweringDeps & { search?: PassageSearch | undefined }

/** Describes how a query went: additive `metadata.processing_info` of `/query/data`. */
export interface ProcessingInfo {
  keywords_from: QueryKeywords['from'] | 'none'
  anchors: string[]
  /** Entity names along each path in the context. */
  paths: string[][]
  entities_found: number
  relations_found: number
  chunks_found: number
  reranked: boolean
  prompt_tokens: number
  /** Of these, the texts of relations, entities and chunks. */
  context_tokens: number
}

/** The context of an answer before it is written. */
export interface RetrievedContext {
  data: GraphQueryData
  keywords: { high_level: string[]; low_level: string[] }
  info: ProcessingInfo
  /** Texts of relations and entities as in the prompt. */
  statements: string[]
  messages: ChatMessage[]
  /** Text of the passages as in the prompt. */
  text: string
  cost(): GraphQueryCost
  /** Asks the model of role `graph_query`; without any context it returns the fixed answer that nothing was found, without a call. */
  answer(): Promise<{ response: string; llmGenerated: boolean }>
}

const EMPTY: GraphFindings = { anchors: [], paths: [], entities: [], relations: [] }
/** A reranker sees this many times the chunks that stay, and no fewer than the second figure, so that it has something to choose from. */
const RERANK_POOL = { times: 4, least: 20 } as const

/** Finds the context of a question. Throws `ModelCallError` and `GraphEngineError`. */
export async function retrieveContext(
  request: GraphQueryRequest,
  tools: QueryTools,
  signal?: AbortSignal,
  onText?: OnText,
): Promise<RetrievedContext> {
  const meter = meterCalls(tools.models)
  const metered = { ...tools, models: meter.models }
  const found = request.mode === 'bypass' ? bypassed(request) : await search(request, metered, signal)
  return {
    ...found,
    cost() {
      const { llmCalls, cloudCalls, usage, modelUsage: models } = meter.counts()
      return { chunks: found.data.chunks.length, llm_calls: llmCalls, cloud_calls: cloudCalls, usage, models }
    },
    async answer() {
      if (found.text === '' && request.mode !== 'bypass') return { response: NO_ANSWER, llmGenerated: false }
      const asked = { messages: found.messages, temperature: 0 }
      const completion = await meter.models.chat('graph_query', asked, signal, onText)
      const [choice] = completion.choices
      const response = withoutThinking(choice?.message.content ?? '')
      if (response === '')
        throw new GraphEngineError('model_answer_invalid', noAnswerText(choice?.finish_reason ?? null))
      return { response, llmGenerated: true }
    },
  }
}

type Found = Omit<RetrievedContext, 'cost' | 'answer'>

const NO_INFO: ProcessingInfo = {
  keywords_from: 'none',
  anchors: [],
  paths: [],
  entities_found: 0,
  relations_found: 0,
  chunks_found: 0,
  reranked: false,
  prompt_tokens: 0,
  context_tokens: 0,
}

function bypassed(request: GraphQueryRequest): Found {
  return {
    data: { entities: [], relationships: [], chunks: [], references: [] },
    keywords: { high_level: [], low_level: [] },
    info: NO_INFO,
    statements: [],
    messages: [...request.conversation_history, { role: 'user', content: request.query }],
    text: '',
  }
}

async function search(request: GraphQueryRequest, tools: QueryTools, signal: AbortSignal | undefined): Promise<Found> {
  const graph = forOneQuestion(await tools.graph(signal))
  const keywords: QueryKeywords | null =
    request.mode === 'naive' ? null : await splitKeywords(request, tools.models, signal)
  const question = await viewQuestion(
    request.query,
    keywords ?? { high: [], low: [], from: 'question' },
    graph,
    tools.models,
    signal,
  )
  const { mode } = request
  // Each step holds the thread for some milliseconds: other requests have their turn between them.
  await nextTurn()
  const findings =
    mode === 'naive' ? EMPTY : searchGraph(graph, question, mode, { topK: request.top_k, ...tools.limits })
  await nextTurn()
  const least = Math.max(RERANK_POOL.least, request.chunk_top_k * RERANK_POOL.times)
  const most = request.context_budget === null ? least : depthFor(request.context_budget, least)
  const passages = mode === 'naive' ? [] : ((await tools.search?.(most)) ?? [])
  const around = passages.length === 0 ? [] : chunksAround(graph, question, passages, most)
  const ofGraph = mode === 'naive' ? [] : chunksOfFindings(graph, question, findings)
  const ofMeaning = mode === 'naive' || mode === 'mix' ? chunksByMeaning(graph, question, request.chunk_top_k) : []
  const reached = new Set(around.map(({ item }) => item.position))
  const found = [...around, ...roundRobin([ofGraph, ofMeaning]).filter(({ item }) => !reached.has(item.position))]
  const candidates = request.context_budget === null ? found : await deeper(request, graph, question, found, tools)
  const rerank = request.enable_rerank ? tools.rerank : null
  const pool = request.context_budget === null ? candidates.slice(0, least) : candidates
  const ordered = rerank === null ? candidates : await rerankChunks(rerank, request.query, pool, tools.models, signal)
  const kept = request.context_budget === null ? ordered.slice(0, request.chunk_top_k) : ordered
  await nextTurn()
  const context = buildContext(request, graph, question, findings, kept)
  return {
    data: queryData(graph, context),
    keywords: { high_level: keywords?.high ?? [], low_level: keywords?.low ?? [] },
    info: {
      keywords_from: keywords?.from ?? 'none',
      anchors: findings.anchors.filter(({ named }) => named).map(({ entity }) => graph.entities.at(entity).name),
      paths: findings.paths.map(({ entities }) => entities.map((index) => graph.entities.at(index).name)),
      entities_found: findings.entities.length,
      relations_found: findings.relations.length,
      chunks_found: candidates.length,
      reranked: rerank !== null,
      prompt_tokens: context.tokens,
      context_tokens: tokensOfTexts(context.passages.map(({ text }) => text)),
    },
    statements: context.statements,
    messages: context.messages,
    text: contextText(context),
  }
}

/** Most that a search is widened by to fill a budget. */
const WIDEST = 32

/**
 * More chunks where those found do not fill the budget: after them come those of a search for twice as many entities and relations, and so on, in
 * the mode of the query.
 */
async function deeper(
  { mode, top_k: own, context_budget: budget }: GraphQueryRequest,
  graph: KnowledgeGraph,
  question: QuestionView,
  found: readonly Ranked<GraphChunk>[],
  { limits }: Pick<QueryTools, 'limits'>,
): Promise<Ranked<GraphChunk>[]> {
  let chunks = [...found]
  const isFilled = (): boolean => tokensOfTexts(chunks.map(({ item }) => item.content)) >= budget!
  for (let times = 2; times <= WIDEST && !isFilled(); times *= 2) {
    await nextTurn()
    const topK = own * times
    const wider =
      mode === 'naive'
        ? chunksByMeaning(graph, question, topK)
        : chunksOfFindings(graph, question, searchGraph(graph, question, mode, { topK, ...limits }))
    const known = new Set(chunks.map(({ item }) => item.position))
    chunks = [...chunks, ...wider.filter(({ item }) => !known.has(item.position))]
  }
  return chunks
}

const contextText = (context: GraphContext): string =>
  context.passages.map(({ title, text }) => `${title}\n${text}`).join('\n\n')

/** Prompt messages as one text, for callers that only want to see it. */
const promptText = (messages: readonly ChatMessage[]): string =>
  messages.map((message) => `${message.role}:\n${messageText(message)}`).join('\n\n')

/**
 * Scores texts against a query, in their order, higher is better; batching is up to the implementation. `models` is the request's metered
 * view, for implementations that call the rerank model through it.
 */
export type GraphRerank = (
  request: { query: string; documents: readonly string[]; models: ModelHost },
  signal?: AbortSignal,
) => Promise<readonly number[]>

/** Orders chunks by the reranker, equal scores in their former order. Any bad score fails the whole step. */
async function rerankChunks(
  rerank: GraphRerank,
  query: string,
  chunks: readonly Ranked<GraphChunk>[],
  models: ModelHost,
  signal?: AbortSignal,
): Promise<Ranked<GraphChunk>[]> {
  if (chunks.length === 0) return []
  const documents = chunks.map(({ item }) => `${item.title}\n${item.content}`)
  const scores = await rerank({ query, documents, models }, signal)
  if (scores.length !== chunks.length || !scores.every(Number.isFinite)) {
    throw new GraphEngineError('rerank_invalid', 'the reranker did not return one finite score per text')
  }
  return chunks.map(({ item }, index) => ({ item, score: scores[index]! })).sort((a, b) => b.score - a.score)
}

/** LightRAG's separator of joined lists. */
export const JOINED = '<SEP>'

/** A context in the form of `/query/data`; references are numbered by the first appearance of their file. */
function queryData(graph: KnowledgeGraph, context: GraphContext): GraphQueryData {
  const files = [
    ...context.chunks.map(({ item }) => item.filePath),
    ...context.relations.flatMap(({ filePaths }) => filePaths),
    ...context.entities.flatMap(({ filePaths }) => filePaths),
  ]
  const ids = new Map([...new Set(files)].map((file, index) => [file, String(index + 1)]))
  const shared = (part: GraphEntity | GraphRelation) => ({
    description: part.statements.map(({ text }) => text).join(JOINED),
    source_id: part.chunkIds.join(JOINED),
    file_path: part.filePaths.join(JOINED),
    reference_id: ids.get(part.filePaths[0]!) ?? '',
  })
  return {
    entities: context.entities.map((entity) => ({
      entity_name: entity.name,
      entity_type: entity.type,
      ...shared(entity),
    })),
    relationships: context.relations.map((relation) => ({
      src_id: graph.entities.at(relation.sourceIndex).name,
      tgt_id: graph.entities.at(relation.targetIndex).name,
      keywords: relation.keywords.join(', '),
      weight: relation.weight,
      ...shared(relation),
    })),
    chunks: context.chunks.map(({ item, score }) => ({
      content: item.content,
      file_path: item.filePath,
      chunk_id: item.id,
      reference_id: ids.get(item.filePath)!,
      title: item.title,
      score,
      ...(item.via === undefined ? {} : { via: item.via }),
    })),
    references: [...ids].map(([file_path, reference_id]) => ({ reference_id, file_path })),
  }
}

/** References with the chunk texts of their file. */
function referencesWithContent(data: GraphQueryData): GraphReference[] {
  return data.references.map((reference) => ({
    ...reference,
    content: data.chunks.filter(({ file_path }) => file_path === reference.file_path).map(({ content }) => content),
  }))
}
