import { HttpError } from '../../kit/http-error.ts'
import { modelErrorHeaders, reasonAndRemedy } from '../models/model-error-response.ts'
import type { ModelCallError, ModelCallErrorCode } from '../models/model-host.ts'
import type { CallCounts } from './call-meter.ts'

export type RagErrorCode =
  | 'unknown_alias'
  | 'alias_of_another_base'
  | 'unknown_approach'
  | 'unknown_profile'
  | 'empty_question'
  | 'question_too_long'
  | 'unsupported_parameter'
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
  | 'own_approach_failed'
  | 'own_approach_timeout'
  | 'rate_limited'
  | 'context_length_exceeded'
  | 'model_failed'
  | 'model_access_refused'
  | 'model_timeout'
  | 'model_answer_invalid'
  | 'content_filtered'
  | 'refused'
  | 'cancelled'

const STATUS: Record<RagErrorCode, number> = {
  unknown_alias: 400,
  alias_of_another_base: 400,
  unknown_approach: 404,
  unknown_profile: 404,
  empty_question: 400,
  question_too_long: 400,
  unsupported_parameter: 400,
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
  own_approach_failed: 502,
  own_approach_timeout: 504,
  rate_limited: 429,
  context_length_exceeded: 400,
  model_failed: 502,
  model_access_refused: 502,
  model_timeout: 504,
  model_answer_invalid: 502,
  content_filtered: 400,
  refused: 400,
  // The caller has gone: only logs and counters read this status.
  cancelled: 499,
}

/** Headers with which a failed answer reports what it has cost: calls of chat models, calls of paid services. */
export const SPENT_HEADERS = { llmCalls: 'x-rag-ladder-llm-calls', cloudCalls: 'x-rag-ladder-cloud-calls' } as const

/** A question that cannot be answered: an HTTP error that every error family can express. */
export class RagError extends HttpError {
  declare readonly code: RagErrorCode
  /** Holds what was spent until then; null before anything was asked for. */
  calls: CallCounts | null = null

  constructor(
    code: RagErrorCode,
    message: string,
    options: { cause?: unknown; headers?: Record<string, string>; param?: string } = {},
  ) {
    super(STATUS[code], message, { ...options, code, headers: { ...options.headers } })
  }

  /** Notes what was spent, for callers in this process and, as headers, for those over HTTP. */
  tellCalls(calls: CallCounts): this {
    this.calls = calls
    const headers = this.headers as Record<string, string>
    headers[SPENT_HEADERS.llmCalls] = String(calls.llmCalls)
    headers[SPENT_HEADERS.cloudCalls] = String(calls.cloudCalls)
    return this
  }
}

/**
 * The codes of failed model calls. A limit of requests stays 429 with its pause; a prompt that is too long and an answer that was filtered or refused
 * stay 400; a timeout is 504, anything else 502.
 */
const OF_MODEL_CALL: Record<ModelCallErrorCode, RagErrorCode> = {
  rate_limited: 'rate_limited',
  context_length_exceeded: 'context_length_exceeded',
  content_filtered: 'content_filtered',
  refused: 'refused',
  timeout: 'model_timeout',
  unauthorized: 'model_access_refused',
  unknown_model: 'model_failed',
  bad_request: 'model_failed',
  unreachable: 'model_failed',
  upstream_error: 'model_failed',
  invalid_response: 'model_failed',
  not_configured: 'model_failed',
}

/** Maps each code that another part of the platform reports. */
const REPORTED: ReadonlyMap<string, RagErrorCode> = new Map([
  ...Object.entries(OF_MODEL_CALL),
  ...(Object.keys(STATUS) as RagErrorCode[]).map((code) => [code, code] as const),
])

const optionsOf = (code: RagErrorCode, headers: Record<string, string>, cause?: unknown) => ({
  cause,
  headers,
  ...(code === 'context_length_exceeded' ? { param: 'messages' } : {}),
})

/** A failed model call. Names role, reason, what the service said, without credentials and addresses, and what to do. */
export function modelFailure(error: ModelCallError): RagError {
  const code = OF_MODEL_CALL[error.code]
  return new RagError(code, reasonAndRemedy(error), optionsOf(code, modelErrorHeaders(error), error))
}

/** A failure that another part of the platform reports by the code of a model call or of a question; null for other codes. */
export function reportedFailure(code: string, message: string, headers: Record<string, string>): RagError | null {
  const known = REPORTED.get(code)
  if (known === undefined) return null
  return new RagError(known, message, optionsOf(known, headers))
}

/** Returns what a reranking service did wrong: 429 for a limit of requests, 504 for a timeout, else 502. */
export function rerankFailure(error: HttpError): RagError {
  const reported = reportedFailure(error.code ?? '', error.message, { ...error.headers })
  if (reported !== null) return reported
  if (error.status === 504) return new RagError('model_timeout', error.message, { cause: error })
  return new RagError(error.status === 503 ? 'model_failed' : 'model_answer_invalid', error.message, { cause: error })
}
