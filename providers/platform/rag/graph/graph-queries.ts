import type { RemoteCalls } from '../call-meter.ts'
import { GRAPH_QUERY_LIMITS } from '../../../../contract/http/graph-engine.ts'
import type { Derivation } from '../../../../contract/evidence/derivation.ts'
import type { GraphQueryMode } from '../../../../contract/http/graph-engine.ts'
import type { ModelHost, OnText } from '../../models/model-host.ts'
import type { PassageSearch } from '../../stores/graph-engine/query/around-passages.ts'
import { RagError } from '../rag-error.ts'

/** Describes what the managed query profiles declare of a graph query. */
export interface GraphQuestion {
  query: string
  mode: GraphQueryMode
  top_k: number
  chunk_top_k: number
  max_total_tokens: number
  enable_rerank: boolean
  /** Tokens of all texts of the prompt, statements of the graph included; absent leaves it to the other settings. */
  context_budget?: number
  /** Instructions for the model that writes the answer. */
  user_prompt?: string
  /** A text in place of the prompt that writes the answer. */
  answer_prompt?: string
}

/**
 * Who pays for a graph query: an engine in this process calls `models`, one in another process reports what it spent. `onText` receives the answer as
 * it is written, where the request streams it.
 */
export interface CallAccount {
  models: ModelHost
  addRemote: (calls: RemoteCalls) => void
  onText?: OnText | undefined
  /** Receives what made each artefact that is read for the answer. */
  onRead?: ((made: readonly Derivation[]) => void) | undefined
}

/** Describes how much of the graph was in a prompt; null where the engine does not report it. */
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
  /** Tokens of all texts of the prompt; null where the engine does not report them. */
  contextTokens?: number | null
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
  /** Path of the document as it was uploaded; null for statements of the graph. */
  document: string | null
  content: string
  /** Null where the engine reports none. */
  score: number | null
  /** Name of the entity that led to it; absent for what a search found. */
  via?: string
}

/** Describes what the graph holds about a question, each list best first. */
export interface GraphFindings {
  entities: { name: string; type: string; description: string }[]
  relations: GraphFact[]
  chunks: GraphText[]
}

/** The graph engine's query API as approaches use it. Both calls throw `RagError` and, in this process, `ModelCallError`. */
export interface GraphQueries {
  /** Keyword and answer calls of this one question. An engine of this process begins with what `search` finds; one in another process cannot. */
  answer(
    question: GraphQuestion,
    account: CallAccount,
    signal?: AbortSignal,
    search?: PassageSearch,
  ): Promise<GraphReply>
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
