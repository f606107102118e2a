/** Weights that are there and cannot be used: cut off, altered, or of another version. */
export class ModelDamagedError extends Error {
  override readonly name = 'ModelDamagedError'
  readonly code = 'model_damaged'
}
