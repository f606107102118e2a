/**
 * Shape of a route's error bodies. detail: `{detail}`, with a list for schema faults (422). openai: `{error: {message, type, param,
 * code}}`. detail_400: as detail, but a sentence and 400 for schema faults. tei: `{error, error_type}`. edge: `{message}`. voice: `{error: {message, type}}`, schema faults as in detail.
 */
export type ErrorFamily = 'detail' | 'detail_400' | 'openai' | 'tei' | 'edge' | 'voice'

/** The answer to an HTTP caller; `detail` may be a sentence or an object, as the route's contract defines. */
export interface HttpErrorOptions {
  /** OpenAI-family `code`, such as `model_not_found`. */
  code?: string
  /** OpenAI-family `type` or TEI's `error_type`; derived from the status when absent. */
  type?: string
  /** OpenAI-family `param`: the request field at fault. */
  param?: string
  /** Body shape of the part that refuses, where that is not the route itself; the route's own family when absent. */
  family?: ErrorFamily
  headers?: Record<string, string>
  cause?: unknown
}

/** An expected failure of a request: thrown in a handler, turned into a response body by the route's error family. */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  readonly status: number
  readonly detail: string | object
  readonly code: string | null
  readonly type: string | null
  readonly param: string | null
  readonly family: ErrorFamily | null
  readonly headers: Readonly<Record<string, string>>
  /** Further fields of the body, beside those of its family. */
  readonly more: Record<string, unknown> = {}
  /** Fastify's stream errors read this name. */
  readonly statusCode: number

  constructor(status: number, detail: string | object, options: HttpErrorOptions = {}) {
    super(typeof detail === 'string' ? detail : JSON.stringify(detail), { cause: options.cause })
    this.status = status
    this.statusCode = status
    this.detail = detail
    this.code = options.code ?? null
    this.type = options.type ?? null
    this.param = options.param ?? null
    this.family = options.family ?? null
    this.headers = options.headers ?? {}
  }
}
