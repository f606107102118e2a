import { serviceText } from '../../../core/known-secrets.ts'
import { callRemedy, isFinalCall } from '../../../core/model-remedies.ts'
import { HttpError } from '../../kit/http-error.ts'
import { ModelCallError } from './model-host.ts'
import type { ModelCallErrorCode } from './model-host.ts'

const STATUS: Record<ModelCallErrorCode, number> = {
  unknown_model: 400,
  bad_request: 400,
  context_length_exceeded: 400,
  // The platform's own credentials were refused, not the caller's: a 401 would send the caller to look at the wrong key.
  unauthorized: 502,
  rate_limited: 429,
  timeout: 504,
  unreachable: 503,
  upstream_error: 502,
  invalid_response: 502,
  // The same question gets the same end: nothing to try again.
  content_filtered: 400,
  refused: 400,
  not_configured: 503,
}

const REASONS: Record<ModelCallErrorCode, string> = {
  unknown_model: 'the upstream does not know the model',
  bad_request: 'the upstream refused the request',
  context_length_exceeded: "the prompt is longer than the model's context",
  unauthorized: "the upstream refused the platform's credentials",
  rate_limited: 'the upstream is limiting requests',
  timeout: 'no answer within its time limit',
  unreachable: 'the upstream cannot be reached',
  upstream_error: 'the upstream failed',
  invalid_response: 'the upstream sent an unusable response',
  content_filtered: 'the content filter of the service withheld the answer',
  refused: 'the model refused to answer',
  not_configured: 'no suitable model is configured for it',
}

const MAX_SHOWN_CHARS = 240

/** The words of a service as they may leave this process: on one line, without credentials and addresses. */
const shownText = (text: string): string =>
  serviceText(text.replace(/\s+/g, ' ').trim(), MAX_SHOWN_CHARS).replace(
    /\b[a-z][a-z+.-]*:\/\/[^\s"'<>]+/gi,
    '[address]',
  )

/** The answer to the caller of a failed model call: role, reason and status, then what the service said, without credentials and addresses. */
export function reasonOf({ role, code, status, detail, said }: ModelCallError): string {
  const words = said === null || said.text === '' ? '' : `: ${shownText(said.text)}`
  const problem = status === 402 ? 'the upstream asks for payment' : REASONS[code]
  const reason = detail ?? `${problem}${status === null ? '' : ` (HTTP ${status})`}${words}`
  return `the model call for role ${role} failed: ${reason}`
}

/** The same with what to do about it, where the words of the service do not say it. */
export function reasonAndRemedy(error: ModelCallError): string {
  const { status, isPage, code } = error
  const remedy = callRemedy({ status, isPage, isTimeout: code === 'timeout' }, 'connection')
  return remedy === '' ? reasonOf(error) : `${reasonOf(error).replace(/[.\s]+$/, '')}.${remedy}`
}

/** Headers of a failed model call: when to come again, and for failures that will be the same next time that clients should not. */
export function modelErrorHeaders(error: ModelCallError): Record<string, string> {
  const { code, retryAfterMs } = error
  if (code === 'rate_limited') return { 'retry-after': String(Math.max(1, Math.ceil((retryAfterMs ?? 0) / 1000))) }
  return code === 'unauthorized' || code === 'not_configured' || isFinalCall(error) ? { 'x-should-retry': 'false' } : {}
}

/** The platform's answer for a failed model call; null for other errors. */
export function modelErrorResponse(error: Error): HttpError | null {
  if (!(error instanceof ModelCallError)) return null
  return new HttpError(STATUS[error.code], reasonAndRemedy(error), {
    code: error.code,
    ...(error.code === 'context_length_exceeded' ? { param: 'messages' } : {}),
    headers: modelErrorHeaders(error),
    cause: error,
  })
}
