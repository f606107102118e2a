import { STATUS_CODES } from 'node:http'
import { HttpError } from './http-error.ts'
import { InvalidRequestError } from './validate.ts'
import type { ErrorFamily } from './http-error.ts'

export interface ErrorResponse {
  status: number
  headers: Readonly<Record<string, string>>
  body: unknown
}

/** The response for a failure; nothing of an unexpected error's text gets into it. */
export function errorResponse(family: ErrorFamily, error: unknown): ErrorResponse {
  if (error instanceof InvalidRequestError) return invalidRequest(family, error)
  const failure = error instanceof HttpError ? error : new HttpError(500, 'Internal Server Error')
  return { status: failure.status, headers: failure.headers, body: errorBody(failure.family ?? family, failure) }
}

function errorBody(family: ErrorFamily, failure: HttpError): unknown {
  switch (family) {
    case 'detail':
    case 'detail_400':
      return { detail: failure.detail, ...failure.more }
    case 'openai':
      return {
        error: {
          message: failure.message,
          type: failure.type ?? openAiType(failure.status),
          param: failure.param,
          code: failure.code ?? String(failure.status),
        },
        ...failure.more,
      }
    case 'tei':
      return { error: failure.message, error_type: failure.type ?? teiType(failure.status) }
    case 'edge':
      return { message: failure.message }
    case 'voice':
      return { error: { message: failure.message, type: failure.type ?? voiceType(failure.status) } }
  }
}

function invalidRequest(family: ErrorFamily, error: InvalidRequestError): ErrorResponse {
  if (family === 'detail' || family === 'voice') return { status: 422, headers: {}, body: { detail: error.issues } }
  if (family === 'detail_400') return { status: 400, headers: {}, body: { detail: error.message } }
  if (family === 'edge') return { status: 400, headers: {}, body: { message: error.message } }
  if (family === 'tei') return { status: 422, headers: {}, body: { error: error.message, error_type: 'Validation' } }
  const [issue] = error.issues
  // A body that is no JSON has no field at fault.
  const field = issue === undefined || issue.type === 'json_invalid' ? '' : issue.loc.slice(1).join('.')
  const more = field === '' ? {} : { param: field }
  const failure = new HttpError(400, error.message, { ...more, code: 'invalid_request' })
  return { status: 400, headers: {}, body: errorBody('openai', failure) }
}

function openAiType(status: number): string {
  if (status === 401) return 'authentication_error'
  if (status === 403) return 'permission_error'
  if (status === 404) return 'not_found_error'
  if (status === 429) return 'rate_limit_error'
  return status < 500 ? 'invalid_request_error' : 'api_error'
}

function voiceType(status: number): string {
  if (status === 413 || status === 415) return 'file_processing_error'
  if (status === 500 || status === 504) return 'generation_error'
  return status < 500 ? 'invalid_request_error' : 'internal_error'
}

function teiType(status: number): string {
  if (status === 429) return 'Overloaded'
  return status < 500 ? 'Validation' : 'Backend'
}

/** Body for faults below HTTP, where no route is known: malformed request lines and headers that never end. */
export function protocolErrorResponse(code: string | undefined): string {
  const [status, detail] =
    code === 'ERR_HTTP_REQUEST_TIMEOUT'
      ? [408, 'Upload timed out']
      : code === 'HPE_HEADER_OVERFLOW'
        ? [431, 'Request header fields are too large']
        : code === 'HPE_INVALID_CONTENT_LENGTH'
          ? [400, 'Invalid Content-Length header']
          : [400, 'Malformed HTTP request']
  const body = JSON.stringify({ detail })
  return (
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\nContent-Type: application/json\r\n` +
    `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`
  )
}
