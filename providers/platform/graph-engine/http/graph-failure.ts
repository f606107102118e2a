import { HttpError } from '../../../kit/http-error.ts'
import { ModelCallError } from '../../models/model-host.ts'
import { GraphEngineError } from '../errors.ts'
import { failureText } from '../pipeline/failure-text.ts'

/** A failed query or read as this surface tells it: 503 while the engine closes, else 500 with a safe sentence; null for the unexpected. */
export function graphFailure(error: unknown): HttpError | null {
  if (!(error instanceof GraphEngineError) && !(error instanceof ModelCallError)) return null
  const status = error instanceof GraphEngineError && error.code === 'engine_closed' ? 503 : 500
  return new HttpError(status, failureText(error), { cause: error })
}

/** Runs a handler's work; the engine's own failures become HTTP errors, and so does a caller who went away, whom nobody can tell. */
export async function answering<Result>(work: () => Promise<Result>, gone?: AbortSignal): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (gone?.aborted === true) throw new HttpError(499, 'The caller has gone', { cause: error })
    throw graphFailure(error) ?? error
  }
}
