import { messageText } from '../../../../contract/index.ts'
import type { ChatMessage, GraphQueryCost, GraphQueryData, GraphQueryRequest } from '../../../../contract/index.ts'
import type { ModelHost } from '../../models/model-host.ts'
import { NO_ANSWER } from '../../models/prompts/answer-task.ts'
import { meterCalls } from '../../rag/call-meter.ts'
import { withoutThinking } from '../../rag/steps/generate.ts'
import { GraphEngineError } from '../errors.ts'
import type { GraphChunk, KnowledgeGraph } from '../graph/knowledge-graph.ts'
import { highest } from '../graph/vector-table.ts'
import { buildContext } from './build-context.ts'
import type { GraphContext } from './build-context.ts'
import { splitKeywords } from './keywords.ts'
import type { QueryKeywords } from './keywords.ts'
import { queryData } from './query-data.ts'
import { viewQuestion } from './question-view.ts'
import type { QuestionView } from './question-view.ts'
import { ranked, roundRobin, scaled } from './rank.ts'
import type { Ranked } from './rank.ts'
import { rerankChunks } from './rerank-chunks.ts'
import type { GraphRerank } from './rerank-chunks.ts'
import { searchGraph } from './search-graph.ts'
import type { GraphFindings } from './search-graph.ts'

export interface QueryTools {
  graph: (signal?: AbortSignal) => Promise<KnowledgeGraph>
  models: ModelHost
  rerank: GraphRerank | null
  bounds: { pathLength: number; visitedEntities: number }
}

/** How a query went: additive `metadata.processing_info` of `/query/data`. */
export interface ProcessingInfo {
  keywords_from: QueryKeywords['from'] | 'none'
  anchors: string[]
  /** Entity names along each path that was told. */
  paths: string[][]
  entities_found: number
  relations_found: number
  chunks_found: number
  reranked: boolean
  prompt_tokens: number
}

/** The context of an answer before it is written. */
export interface RetrievedContext {
  data: GraphQueryData
  keywords: { high_level: string[]; low_level: string[] }
  info: ProcessingInfo
  messages: ChatMessage[]
  /** Text of the passages as they stand in the prompt. */
  text: string
  cost(): GraphQueryCost
  /** Asks the model of role `graph_query`; without any context it says that there is none, without a call. */
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
): Promise<RetrievedContext> {
  const meter = meterCalls(tools.models)
  const metered = { ...tools, models: meter.models }
  const found = request.mode === 'bypass' ? bypassed(request) : await search(request, metered, signal)
  return {
    ...found,
    cost() {
      const { llmCalls, cloudCalls, usage } = meter.counts()
      return { chunks: found.data.chunks.length, llm_calls: llmCalls, cloud_calls: cloudCalls, usage }
    },
    async answer() {
      if (found.text === '' && request.mode !== 'bypass') return { response: NO_ANSWER, llmGenerated: false }
      const completion = await meter.models.chat('graph_query', { messages: found.messages, temperature: 0 }, signal)
      const response = withoutThinking(completion.choices[0]?.message.content ?? '')
      if (response === '') throw new GraphEngineError('model_answer_invalid', 'the answering model returned no text')
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
}

function bypassed(request: GraphQueryRequest): Found {
  return {
    data: { entities: [], relationships: [], chunks: [], references: [] },
    keywords: { high_level: [], low_level: [] },
    info: NO_INFO,
    messages: [...request.conversation_history, { role: 'user', content: request.query }],
    text: '',
  }
}

async function search(request: GraphQueryRequest, tools: QueryTools, signal: AbortSignal | undefined): Promise<Found> {
  const graph = await tools.graph(signal)
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
  const findings =
    mode === 'naive'
      ? EMPTY
      : searchGraph(graph, question, mode === 'local' || mode === 'global' ? mode : 'hybrid', {
          topK: request.top_k,
          ...tools.bounds,
        })
  const ofGraph = mode === 'naive' ? [] : chunksOfFindings(graph, question, findings)
  const ofMeaning = mode === 'naive' || mode === 'mix' ? chunksByMeaning(graph, question, request.chunk_top_k) : []
  const candidates = roundRobin([ofGraph, ofMeaning])
  const rerank = request.enable_rerank ? tools.rerank : null
  const pool = candidates.slice(0, Math.max(RERANK_POOL.least, request.chunk_top_k * RERANK_POOL.times))
  const ordered = rerank === null ? candidates : await rerankChunks(rerank, request.query, pool, tools.models, signal)
  const context = buildContext(request, graph, question, findings, ordered.slice(0, request.chunk_top_k))
  return {
    data: queryData(graph, context),
    keywords: { high_level: keywords?.high ?? [], low_level: keywords?.low ?? [] },
    info: {
      keywords_from: keywords?.from ?? 'none',
      anchors: findings.anchors.filter(({ named }) => named).map(({ entity }) => graph.entities[entity]!.name),
      paths: findings.paths.map(({ entities }) => entities.map((index) => graph.entities[index]!.name)),
      entities_found: findings.entities.length,
      relations_found: findings.relations.length,
      chunks_found: candidates.length,
      reranked: rerank !== null,
      prompt_tokens: context.tokens,
    },
    messages: context.messages,
    text: contextText(context),
  }
}

const contextText = (context: GraphContext): string =>
  context.passages.map(({ title, text }) => `${title}\n${text}`).join('\n\n')

/** Prompt messages as one text, for callers that only want to see it. */
export const promptText = (messages: readonly ChatMessage[]): string =>
  messages.map((message) => `${message.role}:\n${messageText(message)}`).join('\n\n')

/** Share of an entity's score that its chunks get together, beside the full score of each relation. */
const ENTITY_SHARE = 0.25

/**
 * The chunks that tell what was found, best first. The best path comes first: each of its relations gets the chunk that tells it
 * best, unless one already chosen does, so that a chain of facts is complete before its first link is told again. Then chunks by how
 * much of the findings they tell and how near they are to the question, both counting the same.
 */
function chunksOfFindings(
  graph: KnowledgeGraph,
  question: QuestionView,
  findings: GraphFindings,
): Ranked<GraphChunk>[] {
  const told = new Map<number, number>()
  const tell = (ids: readonly string[], value: number) => {
    for (const id of ids) {
      const position = graph.chunkPositions.get(id)!
      told.set(position, (told.get(position) ?? 0) + value)
    }
  }
  for (const { item, score } of findings.relations) tell(item.chunkIds, score)
  for (const { item, score } of findings.entities) tell(item.chunkIds, (ENTITY_SHARE * score) / item.chunkIds.length)
  const tellers = [...told.keys()].sort((a, b) => a - b)
  const worth = scaled(tellers.map((position) => told.get(position)!))
  const nearness = scaled(tellers.map((position) => Math.max(0, question.near.chunk(position))))
  const scores = new Map(tellers.map((position, at) => [position, worth[at]! + nearness[at]!]))
  const score = ({ position }: GraphChunk) => scores.get(position) ?? 0
  const byScore = ranked(
    tellers.map((position) => graph.chunks[position]!),
    score,
  )
  const chosen = new Set<GraphChunk>()
  for (const index of findings.paths[0]?.relations ?? []) {
    const telling = graph.relations[index]!.chunkIds.map((id) => graph.chunks[graph.chunkPositions.get(id)!]!)
    if (!telling.some((chunk) => chosen.has(chunk))) chosen.add(ranked(telling, score)[0]!.item)
  }
  const first = [...chosen].map((item) => ({ item, score: score(item) }))
  return [...first, ...byScore.filter(({ item }) => !chosen.has(item))]
}

/** The chunks nearest to the question in meaning. */
function chunksByMeaning(graph: KnowledgeGraph, question: QuestionView, limit: number): Ranked<GraphChunk>[] {
  const nearness = question.near.chunks()
  return highest(nearness, limit).map((position) => ({ item: graph.chunks[position]!, score: nearness[position]! }))
}
