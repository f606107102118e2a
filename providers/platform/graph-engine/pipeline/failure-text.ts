import { ModelCallError } from '../../models/model-host.ts'
import { modelFailure } from '../../rag/rag-error.ts'
import { GraphEngineError } from '../errors.ts'

/** A failure in words that may be shown to callers; an upstream's own words and unexpected errors stay inside. */
export function failureText(error: unknown): string {
  if (error instanceof ModelCallError) return modelFailure(error).message
  return error instanceof GraphEngineError ? error.message : 'internal error'
}

/** True for failures that are no defect of ours. */
export const isExpected = (error: unknown): boolean =>
  error instanceof ModelCallError || error instanceof GraphEngineError
