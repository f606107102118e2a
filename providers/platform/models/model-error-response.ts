import { HttpError } from '../../kit/http-error.ts'
import { ModelCallError } from './model-host.ts'
import type { ModelCallErrorCode } from './model-host.ts'

const STATUS: Record<ModelCallErrorCode, number> = {
  unknown_model: 400,
  bad_request: 400,
  // The platform's own credentials were refused, not the caller's: a 401 would send the caller to look at the wrong key.
  unauthorized: 502,
  rate_limited: 429,
  timeout: 504,
  unreachable: 503,
  upstream_error: 502,
  invalid_response: 502,
  not_configured: 503,
}

/** What a caller of the platform is told about a failed model call; null for other errors. */
export function modelErrorResponse(error: Error): HttpError | null {
  if (!(error instanceof ModelCallError)) return null
  return new HttpError(STATUS[error.code], error.message, {
    code: error.code,
    cause: error,
    ...(error.code === 'rate_limited' ? { headers: { 'retry-after': '1' } } : {}),
  })
}
