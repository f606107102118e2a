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

/** A failure of the graph engine, by code. */
export class GraphEngineError extends Error {
  override readonly name = 'GraphEngineError'
  readonly code: GraphEngineErrorCode

  constructor(code: GraphEngineErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
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
