export type GraphEngineErrorCode =
  | 'file_unavailable'
  | 'file_in_use'
  | 'file_of_another_version'
  | 'engine_closed'
  | 'embedding_invalid'
  | 'model_answer_invalid'
  | 'rerank_invalid'
  | 'upload_refused'
  | 'drain_timeout'
  | 'engine_unreachable'

/** A failure of the graph engine that callers may tell apart; `retryable` when the same call may succeed later. */
export class GraphEngineError extends Error {
  override readonly name = 'GraphEngineError'
  readonly code: GraphEngineErrorCode
  readonly retryable: boolean
  /** HTTP status of a remote engine, where there was one. */
  readonly status: number | null

  constructor(
    code: GraphEngineErrorCode,
    message: string,
    options: { retryable?: boolean; status?: number | null; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause })
    this.code = code
    this.retryable = options.retryable ?? false
    this.status = options.status ?? null
  }
}
