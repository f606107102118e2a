import type { IngestionPhase } from '../../../contract/http/ingestion.ts'

/** Why a corpus cannot be read; `path` is the file or folder at fault, relative to the corpus root. */
export type CorpusErrorCode =
  | 'bad_path'
  | 'not_found'
  | 'escape'
  | 'symlink'
  | 'not_regular'
  | 'unreadable'
  | 'empty'
  | 'file_too_large'
  | 'corpus_too_large'
  | 'too_many_files'

/** A corpus that may not or cannot be ingested. */
export class CorpusError extends Error {
  override readonly name = 'CorpusError'
  readonly code: CorpusErrorCode
  readonly path: string

  constructor(code: CorpusErrorCode, path: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.path = path
  }
}

/** The profile is not in the registry. */
export class UnknownProfileError extends Error {
  override readonly name = 'UnknownProfileError'
  readonly code = 'unknown_profile'

  constructor(profile: string) {
    super(`Unknown rag_ingestion profile: '${profile}'`)
  }
}

/** The job is not in the state store. */
export class UnknownIngestionError extends Error {
  override readonly name = 'UnknownIngestionError'
  readonly code = 'unknown_ingestion'

  constructor(id: string) {
    super(`Unknown RAG ingestion: '${id}'`)
  }
}

/** The job database cannot be read or written. */
export class StateStoreUnavailableError extends Error {
  override readonly name = 'StateStoreUnavailableError'
  readonly code = 'state_store_unavailable'
}

export interface PhaseFailureDetail {
  file?: string | null
  service?: string | null
  httpStatus?: number | null
  body?: string | null
  /** Documents that failed one by one, each an error of the job. */
  documents?: readonly { document: string; error: string }[]
  cause?: unknown
}

/** A phase that cannot be finished: ends the job as failed. */
export class PhaseFailure extends Error {
  override readonly name = 'PhaseFailure'
  readonly phase: IngestionPhase
  readonly detail: PhaseFailureDetail

  constructor(phase: IngestionPhase, message: string, detail: PhaseFailureDetail = {}) {
    super(message, { cause: detail.cause })
    this.phase = phase
    this.detail = detail
  }
}

/** The service that reads a kind of file refused it or did not answer. */
export class ParserServiceError extends Error {
  override readonly name = 'ParserServiceError'
  readonly code = 'parser_service_failed'
  readonly service: string
  /** Null when there was no answer. */
  readonly status: number | null

  constructor(service: string, status: number | null, message: string, options?: ErrorOptions) {
    super(message, options)
    this.service = service
    this.status = status
  }
}
