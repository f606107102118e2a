import { HttpError } from '../../kit/http-error.ts'
import { ModelCallError, type ModelCallErrorCode } from '../models/model-host.ts'
import { CriticReplyError } from './critics/critic.ts'

/** What a metric's failure is called on the wire: the kind of fault, never the upstream's words. */
const METRIC_ERRORS: Record<ModelCallErrorCode, string> = {
  timeout: 'TimeoutError',
  rate_limited: 'RateLimitError',
  unauthorized: 'AuthenticationError',
  unreachable: 'ConnectionError',
  upstream_error: 'UpstreamError',
  invalid_response: 'InvalidResponseError',
  bad_request: 'BadRequestError',
  context_length_exceeded: 'ContextLengthError',
  unknown_model: 'NotFoundError',
  not_configured: 'NotConfiguredError',
}

/** The wire's word for a failed metric; null for what is no expected failure. */
export function metricError(error: unknown): string | null {
  if (error instanceof CriticReplyError) return error.name
  return error instanceof ModelCallError ? METRIC_ERRORS[error.code] : null
}

/** A wrong set-up that no other metric or record can get round. */
export function isSetupFault(error: unknown): boolean {
  return error instanceof ModelCallError && ['unknown_model', 'not_configured', 'unauthorized'].includes(error.code)
}

const rejected = (status: number): HttpError =>
  new HttpError(400, `The evaluation model's service rejected the request (HTTP ${status})`)

/** 400 for what the caller can correct, with a fixed message; 502 for upstream faults, refused credentials and limits included. */
export function evaluationFailure(error: unknown): unknown {
  if (error instanceof CriticReplyError) return new HttpError(502, 'RAG evaluation failed', { cause: error })
  if (!(error instanceof ModelCallError)) return error
  if (error.code === 'not_configured') return new HttpError(400, 'No evaluator model is configured', { cause: error })
  if (error.code === 'unknown_model') return rejected(error.status ?? 404)
  if (error.code === 'bad_request' || error.code === 'context_length_exceeded') return rejected(error.status ?? 400)
  return new HttpError(502, 'RAG evaluation failed', { cause: error })
}

/** An override names a model that no role of this platform uses. */
export function unknownModel(): HttpError {
  return rejected(404)
}
