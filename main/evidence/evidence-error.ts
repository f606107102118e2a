/**
 * invalid_row: the row breaks the contract; nothing was written. claim_lost: the claim is no longer held. already_stored: the log
 * holds this row id. write_failed: nothing of the row is in the log, and it may be tried again. log_failed: the handle can promise
 * nothing any more (a sync failed, or the file was changed by others); open the log anew. log_closed: used after `close`.
 * damaged: stored bytes are not the ones that were written. no_identity: a row comes before the run's identity was set. other_identity: a
 * row of other conditions than the run's, from this process (it was not stored) or from another one (the log is not used any more).
 */
export type EvidenceErrorCode =
  | 'invalid_row'
  | 'claim_lost'
  | 'already_stored'
  | 'write_failed'
  | 'log_failed'
  | 'log_closed'
  | 'damaged'
  | 'no_identity'
  | 'other_identity'

/** A failure of the evidence log that its caller did not have to expect. `data.file` names the file. */
export class EvidenceError extends Error {
  readonly code: EvidenceErrorCode
  readonly data: Record<string, unknown> & { file: string }

  constructor(code: EvidenceErrorCode, message: string, data: EvidenceError['data'], cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'EvidenceError'
    this.code = code
    this.data = data
  }
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** The system's name for a failure, such as `ENOSPC`; null when it has none. */
export function systemCode(error: unknown): string | null {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined
  return typeof code === 'string' ? code : null
}
