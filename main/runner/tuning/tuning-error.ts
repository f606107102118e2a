/** Files of a tuning that cannot be used: another process has them open, or a line is not the one that was written. */
export class TuningError extends Error {
  override readonly name = 'TuningError'
  readonly code: 'tuning_in_use' | 'tuning_damaged'

  constructor(code: TuningError['code'], message: string) {
    super(message)
    this.code = code
  }
}
