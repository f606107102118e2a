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
import type { ModelHost } from '../models/model-host.ts'
import type { GraphEngineLimits } from './limits.ts'
import type { GraphRerank } from './query/rerank-chunks.ts'
import type { ProcessingInfo } from './query/run-query.ts'

/** What an engine is made of. */
export interface GraphEngineDeps {
  /** SQLite file that belongs to this engine alone. */
  stateFile: string
  /** Roles graph_extract, graph_keyword, graph_query and embed. */
  models: ModelHost
  /** Null when no reranker is configured: `enable_rerank` then has no effect, as the answer's metadata says. */
  rerank: GraphRerank | null
  /** Expected in `X-API-Key`; null leaves the routes open. */
  apiKey: string | null
  limits?: Partial<GraphEngineLimits>
  /** Milliseconds since 1970. */
  clock?: () => number
  /** Told of failures that nobody expected; the engine goes on. */
  onError?: (error: unknown, where: string) => void
}

export interface DocumentInput {
  text: string
  /** Path or name under which the document is known. */
  filePath: string
  title?: string | null
  /** A new text takes the place of the one known under this path; otherwise it is answered as duplicated. */
  replace?: boolean
}

export interface QueryOptions {
  /** The request's own view of the models, where calls are to be counted; the engine's models otherwise. */
  models?: ModelHost
  signal?: AbortSignal
}

/** A finished answer with everything that it rests on. */
export interface GraphAnswer {
  response: string
  /** False when no model wrote it: nothing was found, or only context or prompt was asked for. */
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
  /** Takes documents into the queue under one track id; what cannot be taken is said in the message. */
  insert(documents: readonly DocumentInput[], kind?: 'upload' | 'insert'): GraphInsertResponse
  pipelineStatus(): GraphPipelineStatus
  track(trackId: string): GraphTrackStatus
  documents(request: GraphPageRequest): GraphPage
  /** Documents by status, with their sum as `all`. */
  statusCounts(): Record<string, number>
  document(id: string): GraphDocStatus | null
  /** Takes documents out by id; entities and relations are counted anew. Returns how many there were. */
  remove(ids: readonly string[]): number
  /** Takes out every document whose path is not listed. Returns how many there were. */
  retain(filePaths: readonly string[]): number
  /** Takes out everything, after stopping what is under way. Returns how many documents there were. */
  clear(): Promise<number>
  /** Puts failed documents into the queue again; null when there are none. */
  reprocessFailed(): { trackId: string; count: number } | null
  /** Stops the pipeline; documents that are not finished fail as cancelled. False when it is idle. */
  cancel(): boolean
  /** Settles when nothing is pending or under way; the signal ends the waiting only. */
  idle(signal?: AbortSignal): Promise<void>
  query(request: GraphQueryRequest, options?: QueryOptions): Promise<GraphAnswer>
  queryInParts(request: GraphQueryRequest, options?: QueryOptions): Promise<GraphAnswerParts>
  graph(limit: number, signal?: AbortSignal): Promise<GraphPicture>
  /** Changes whenever what queries can see changes: the processed documents and the models behind them. */
  version(): string
  health(): Record<string, unknown>
  /** Compares a given key in constant time. */
  checkKey(given: string | undefined): ApiKeyCheck
  readonly limits: GraphEngineLimits
  close(): Promise<void>
}
