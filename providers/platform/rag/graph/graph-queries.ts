import { GRAPH_QUERY_LIMITS } from '../../../../contract/index.ts'
import type { GraphQueryMode, ModelUsage, TokenUsage } from '../../../../contract/index.ts'
import type { ModelHost, OnText } from '../../models/model-host.ts'
import { RagError } from '../rag-error.ts'

/** What the managed query profiles declare of a graph query. */
export interface GraphQuestion {
  query: string
  mode: GraphQueryMode
  top_k: number
  chunk_top_k: number
  max_total_tokens: number
  enable_rerank: boolean
  /** Instructions for the model that writes the answer. */
  user_prompt?: string
}

/** Calls that a service in another process made for a request, as it reported them. */
export interface RemoteCalls {
  llmCalls: number
  cloudCalls: number
  /** Null when it reported no token counts. */
  usage: TokenUsage | null
  /** What each of its models used; null where it does not report it. */
  models: ModelUsage[] | null
}

/**
 * Who pays for a graph query: an engine in this process calls `models`, one in another process reports what it spent. `onText` receives the answer as
 * it is written, where the request streams it.
 */
export interface CallAccount {
  models: ModelHost
  addRemote: (calls: RemoteCalls) => void
  onText?: OnText | undefined
}

/** How much of the graph was in a prompt; null where the engine does not report it. */
export interface GraphCounts {
  entities: number | null
  relations: number | null
  chunks: number
}

export interface GraphReply {
  answer: string
  counts: GraphCounts
  /** Passages that were in the prompt, best first; null where the engine does not report them. */
  passages: UsedPassage[] | null
}

export interface GraphFact {
  source: string
  target: string
  keywords: string
  description: string
}

export interface GraphText {
  /** Path of the document as it was uploaded. */
  document: string
  title: string
  content: string
}

export interface UsedPassage {
  /** Path of the document as it was uploaded. */
  document: string
  content: string
  /** Null where the engine reports none. */
  score: number | null
}

/** What the graph holds about a question, each list best first. */
export interface GraphFindings {
  entities: { name: string; type: string; description: string }[]
  relations: GraphFact[]
  chunks: GraphText[]
}

/** The graph engine's query API as approaches use it. Both calls throw `RagError` and, in this process, `ModelCallError`. */
export interface GraphQueries {
  /** Keyword and answer calls of this one question. */
  answer(question: GraphQuestion, account: CallAccount, signal?: AbortSignal): Promise<GraphReply>
  /** The context without an answer: no model writes one. */
  find(question: GraphQuestion, account: CallAccount, signal?: AbortSignal): Promise<GraphFindings>
  /** Throws `RagError` while the graph holds nothing; absent where that cannot be seen without a call. */
  requireDocuments?(): void
}

/** Refuses a question that the engine's schema would refuse. */
export function requireQueryLength(query: string): void {
  if (query.length <= GRAPH_QUERY_LIMITS.query) return
  const message = `a question to the knowledge graph has at most ${GRAPH_QUERY_LIMITS.query} characters, this one has ${query.length}`
  throw new RagError('question_too_long', message, { param: 'messages' })
}
