import { HttpError } from '../../kit/http-error.ts'
import type { ModelCallError, ModelCallErrorCode } from '../models/model-host.ts'
import type { CallCounts } from './call-meter.ts'

export type RagErrorCode =
  | 'unknown_alias'
  | 'alias_of_another_base'
  | 'unknown_approach'
  | 'unknown_profile'
  | 'empty_question'
  | 'no_active_profile'
  | 'collection_missing'
  | 'collection_outdated'
  | 'approach_unavailable'
  | 'graph_empty'
  | 'graph_failed'
  | 'graph_timeout'
  | 'workflow_failed'
  | 'workflow_timeout'
  | 'workflow_answer_refused'
  | 'workflow_busy'
  | 'model_failed'
  | 'model_timeout'
  | 'model_answer_invalid'
  | 'cancelled'

const STATUS: Record<RagErrorCode, number> = {
  unknown_alias: 400,
  alias_of_another_base: 400,
  unknown_approach: 404,
  unknown_profile: 404,
  empty_question: 400,
  no_active_profile: 503,
  collection_missing: 409,
  collection_outdated: 409,
  approach_unavailable: 503,
  graph_empty: 409,
  graph_failed: 502,
  graph_timeout: 504,
  workflow_failed: 502,
  workflow_timeout: 504,
  workflow_answer_refused: 502,
  workflow_busy: 429,
  model_failed: 502,
  model_timeout: 504,
  model_answer_invalid: 502,
  // The caller has gone: nobody reads this status, but logs and counters do.
  cancelled: 499,
}

/** Headers with which a failed answer tells what it has cost: calls of chat models, calls of paid services. */
export const SPENT_HEADERS = { llmCalls: 'x-rag-ladder-llm-calls', cloudCalls: 'x-rag-ladder-cloud-calls' } as const

/** A question that cannot be answered: an HTTP error that every error family can tell. */
export class RagError extends HttpError {
  declare readonly code: RagErrorCode
  /** What was spent until then; null before anything was asked for. */
  calls: CallCounts | null = null

  constructor(
    code: RagErrorCode,
    message: string,
    options: { cause?: unknown; headers?: Record<string, string> } = {},
  ) {
    super(STATUS[code], message, { code, cause: options.cause, headers: { ...options.headers } })
  }

  /** Notes what was spent, for callers in this process and, as headers, for those behind HTTP. */
  tellCalls(calls: CallCounts): this {
    this.calls = calls
    const headers = this.headers as Record<string, string>
    headers[SPENT_HEADERS.llmCalls] = String(calls.llmCalls)
    headers[SPENT_HEADERS.cloudCalls] = String(calls.cloudCalls)
    return this
  }
}

const REASONS: Record<ModelCallErrorCode, string> = {
  unknown_model: 'the upstream does not know the model',
  bad_request: 'the upstream refused the request',
  unauthorized: 'the upstream refused the credentials',
  rate_limited: 'the upstream is limiting requests',
  timeout: 'no answer within its time limit',
  unreachable: 'the upstream cannot be reached',
  upstream_error: 'the upstream failed',
  invalid_response: 'the upstream sent an unusable response',
  not_configured: 'no model is configured for it',
}

/** A failed model call → 504 for a timeout, else 502. Says role and reason, never the upstream's own words. */
export function modelFailure(error: ModelCallError): RagError {
  const status = error.status === null ? '' : ` (HTTP ${error.status})`
  return new RagError(
    error.code === 'timeout' ? 'model_timeout' : 'model_failed',
    `the model call for role ${error.role} failed: ${REASONS[error.code]}${status}`,
    { cause: error },
  )
}

/** What a reranking service did wrong: 504 for a timeout, else 502. */
export function rerankFailure(error: HttpError): RagError {
  if (error.status === 504) return new RagError('model_timeout', error.message, { cause: error })
  return new RagError(error.status === 503 ? 'model_failed' : 'model_answer_invalid', error.message, { cause: error })
}
