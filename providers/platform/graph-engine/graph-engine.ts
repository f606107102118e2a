import type {
  GraphDocStatus,
  GraphInsertResponse,
  GraphPage,
  GraphPageRequest,
  GraphPicture,
  GraphPipelineStatus,
  GraphQueryCost,
  GraphQueryData,
  GraphQueryRequest,
  GraphReference,
  GraphTrackStatus,
} from '../../../contract/index.ts'
import type { ModelHost, OnText } from '../models/model-host.ts'
import type { GraphRerank, ProcessingInfo } from './query/run-query.ts'

/** What an engine needs. */
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

export interface DocumentInput {
  text: string
  /** Path or name under which the document is known. */
  filePath: string
  title?: string | null
  /** A new text replaces the one stored under this path; without it the text is reported as duplicated. */
  replace?: boolean
}

export interface QueryOptions {
  /** The request's own view of the models, where calls are to be counted; the engine's models otherwise. */
  models?: ModelHost
  signal?: AbortSignal
  /** Receives the answer's text as it is written. */
  onText?: OnText | undefined
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
  cost: GraphQueryCost
}

/** An answer in parts: the context first, the text when it is written. */
export interface GraphAnswerParts extends Omit<GraphAnswer, 'response' | 'llmGenerated' | 'cost'> {
  finish(): Promise<GraphAnswer>
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
  /** Whether any document is processed. */
  hasDocuments(): boolean
  document(id: string): GraphDocStatus | null
  /** Removes documents by id and rebuilds the graph. Returns how many there were. */
  remove(ids: readonly string[]): number
  /** Removes every document whose path is not listed. Returns how many there were. */
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
  /** Changes with the processed documents and the models that read them: equal versions give equal answers. */
  version(): string
  health(): Record<string, unknown>
  /** Compares a given key in constant time. */
  checkKey(given: string | undefined): ApiKeyCheck
  readonly limits: GraphEngineLimits
  close(): Promise<void>
}

/** Bounds of one engine; sizes in bytes, tokens by estimate. */
export interface GraphEngineLimits {
  /** Largest text of one document. */
  documentBytes: number
  /** Largest chunk, in characters, that is extracted and retrieved as one piece. */
  chunkChars: number
  /** Documents processed at the same time. */
  parallelDocuments: number
  /** Chunks of one document extracted at the same time. */
  parallelChunks: number
  /** Extraction calls per chunk until its reply can be read. */
  extractAttempts: number
  /** While the queue continues, a graph is built for queries at most this often, and only when one asks for it. */
  mergeAfterMs: number
  /** Texts in one embedding call. */
  embedBatch: number
  /** Different descriptions that an entity or a relation keeps, in document order. */
  descriptionsKept: number
  /** Steps that the search for paths may take. */
  visitedEntities: number
  /** Entities nearest to the question's that the random walk stays among. */
  walkedEntities: number
  /** Relations on one path. */
  pathLength: number
  /** Lines of the pipeline's history. */
  historyLines: number
}

export const DEFAULT_LIMITS: GraphEngineLimits = {
  documentBytes: 16 * 1024 * 1024,
  chunkChars: 4800,
  parallelDocuments: 2,
  parallelChunks: 2,
  extractAttempts: 2,
  mergeAfterMs: 60_000,
  embedBatch: 64,
  descriptionsKept: 12,
  visitedEntities: 2000,
  walkedEntities: 600,
  pathLength: 4,
  historyLines: 200,
}
