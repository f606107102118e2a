/**
 * unusable_file: the index file cannot be opened or cannot be kept in write-ahead mode. closed: used after `close`. damaged: SQLite found
 * its file damaged. replaced: the file was removed or replaced while it was open. bad_input: a query breaks its schema. too_large: an answer would exceed its bound.
 * thread_failed: a thread of the index ended.
 */
export type RunIndexErrorCode =
  | 'unusable_file'
  | 'closed'
  | 'damaged'
  | 'replaced'
  | 'bad_input'
  | 'too_large'
  | 'thread_failed'

/** A failure of the run index that its caller did not have to expect. */
export class RunIndexError extends Error {
  readonly code: RunIndexErrorCode

  constructor(code: RunIndexErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'RunIndexError'
    this.code = code
  }
}
