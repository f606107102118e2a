// The graph engine extracts entities and relations, and answers from them. In: whole documents, and questions. Out: the context of an answer, or an answer,
// with the passages that it rests on. One SQLite file per engine; a graph in memory that is built from it.
//   1. create-graph-engine.ts puts the parts together. documents.ts splits a document, document-store.ts stores it in the queue.
//   2. pipeline.ts works through the queue: extract-chunk.ts asks the model about each chunk once, and the result is stored.
//   3. resolution/resolve-names.ts decides which names mean one entity; graph/merged-graph.ts merges what all documents say of it.
//   4. graph/graph-holder.ts holds the graph (graph/knowledge-graph.ts), and replaces it whole when documents change.
//   5. query/run-query.ts finds names in the question, searches or walks the graph, and builds a context that fits its budget.
// graph-target.ts is the engine as ingestion uses it. stored-digests.ts finds bytes that were changed from outside. sliced-work.ts gives other requests
// their turn during long work. This file has the interface, and no code.
import type { GraphEngineLimits } from './limits.ts'
import type { DocumentInput } from './documents.ts'
import type { Derivation, ExtractionHealth } from '../../../../contract/evidence/derivation.ts'
import type {
  GraphDocStatus,
  GraphInsertResponse,
  GraphPage,
  GraphPageRequest,
  GraphPipelineStatus,
  GraphTrackStatus,
} from '../../../../contract/http/graph-documents.ts'
import type { GraphQueryRequest } from '../../../../contract/http/graph-engine.ts'
import type { GraphPicture } from '../../../../contract/http/graph-picture.ts'
import type { ModelHost } from '../../models/model-host.ts'
import type { QueryOptions, GraphAnswer, GraphAnswerParts, GraphRerank } from './query/run-query.ts'

/** Describes what an engine needs. */
export interface GraphEngineDeps {
  /** SQLite file that belongs to this engine alone. */
  stateFile: string
  /** Roles graph_extract, graph_keyword, graph_query and embed. */
  models: ModelHost
  /** Null when no reranker is configured: `enable_rerank` then has no effect, which the answer's metadata reports. */
  rerank: GraphRerank | null
  /** Expected in `X-API-Key`; null leaves the routes open. */
  apiKey: string | null
  limits?: Partial<GraphEngineLimits>
  /** Types of entities to look for; the extraction task's own list unless given. */
  entityTypes?: readonly string[] | undefined
  /** Milliseconds since 1970. */
  clock?: () => number
  /** Called for unexpected failures; the engine continues. */
  onError?: (error: unknown, where: string) => void
}

export type ApiKeyCheck = 'ok' | 'missing' | 'wrong'

/**
 * One knowledge graph with its documents: the queue that feeds it and the queries it answers. Queries throw `ModelCallError` and
 * `GraphEngineError`.
 */
export interface GraphEngine {
  /** Takes documents into the queue under one track id; the message names what was refused. */
  insert(documents: readonly DocumentInput[], kind?: 'upload' | 'insert'): GraphInsertResponse
  /** The same for a batch of ingestion's documents: returns the tracks under which they are, and what was refused. */
  upload(documents: readonly DocumentInput[]): { trackIds: string[]; refused: string[] }
  pipelineStatus(): GraphPipelineStatus
  track(trackId: string): GraphTrackStatus
  documents(request: GraphPageRequest): GraphPage
  /** Documents by status, with their sum as `all`. */
  statusCounts(): Record<string, number>
  /** Returns true when questions have a document to answer from. */
  hasDocuments(): boolean
  document(id: string): GraphDocStatus | null
  /** Removes documents by id and rebuilds the graph. Returns how many there were. */
  remove(ids: readonly string[]): number
  /** Removes every document whose path is not listed; the last graph answers until the next one is there. Returns how many there were. */
  retain(filePaths: readonly string[]): number
  /** Removes everything, after stopping what is in progress. Returns how many documents there were. */
  clear(): Promise<number>
  /** Puts failed documents into the queue again; null when there are none. */
  reprocessFailed(): { trackId: string; count: number } | null
  /** Stops the pipeline; documents that are not finished fail as cancelled. False when it is idle. */
  cancel(): boolean
  /** Settles when nothing is pending or in progress; the signal ends the waiting only. */
  idle(signal?: AbortSignal): Promise<void>
  query(request: GraphQueryRequest, options?: QueryOptions): Promise<GraphAnswer>
  queryInParts(request: GraphQueryRequest, options?: QueryOptions): Promise<GraphAnswerParts>
  graph(limit: number, signal?: AbortSignal): Promise<GraphPicture>
  /** Changes with the documents that questions are answered from and the models that read them: equal versions give equal answers. */
  version(): string
  /** Returns how the extraction of all documents went. */
  extraction(): ExtractionHealth
  /** Returns what made the graph that answers: one record where one extractor read all documents. */
  derivations(): Derivation[]
  /** True when at least so many documents are processed and intact, and all of them were read by what would read them now. */
  isCurrent(documents: number): Promise<boolean>
  /** Removes documents and vectors whose bytes were changed from outside; returns what is damaged, null when nothing is. */
  repair(signal?: AbortSignal): Promise<string | null>
  health(): Record<string, unknown>
  /** Compares a given key in constant time. */
  checkKey(given: string | undefined): ApiKeyCheck
  readonly limits: GraphEngineLimits
  close(): Promise<void>
}

export const DEFAULT_LIMITS: GraphEngineLimits = {
  documentBytes: 16 * 1024 * 1024,
  chunkChars: 4800,
  parallelDocuments: 2,
  parallelChunks: 2,
  mergeAfterMs: 60_000,
  embedBatch: 64,
  descriptionsKept: 12,
  visitedEntities: 2000,
  walkedEntities: 600,
  pathLength: 4,
  historyLines: 200,
}
