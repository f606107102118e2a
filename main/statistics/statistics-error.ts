/** bad_input: a table whose sizes or numbers are wrong. aborted: the caller's signal. worker_failed: the thread ended without a result. */
type StatisticsErrorCode = 'bad_input' | 'aborted' | 'worker_failed'

/** Why a statistic could not be computed at all; data that allow no interval or decision are a value, not an error. */
export class StatisticsError extends Error {
  override readonly name = 'StatisticsError'
  readonly code: StatisticsErrorCode

  constructor(code: StatisticsErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
  }
}
