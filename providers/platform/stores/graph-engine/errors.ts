import { ModelCallError } from '../../models/model-host.ts'
import { modelFailure } from '../../rag/rag-error.ts'

export type GraphEngineErrorCode =
  | 'file_unavailable'
  | 'file_in_use'
  | 'file_of_another_version'
  | 'engine_closed'
  | 'embedding_invalid'
  | 'model_answer_invalid'
  | 'model_answer_cut'
  | 'rerank_invalid'
  | 'upload_refused'
  | 'drain_timeout'
  | 'engine_unreachable'

/** A failure of the graph engine, by code; `retryable` when the same call may succeed later. */
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

/** A failure as text for callers; an upstream's message and unexpected errors are not disclosed. */
export function failureText(error: unknown): string {
  if (error instanceof ModelCallError) return modelFailure(error).message
  return error instanceof GraphEngineError ? error.message : 'internal error'
}

/** True for failures that are not defects of this program. */
export const isExpected = (error: unknown): boolean =>
  error instanceof ModelCallError || error instanceof GraphEngineError
