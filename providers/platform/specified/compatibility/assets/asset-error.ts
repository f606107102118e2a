/** A model that cannot be processed as asked: 422 with this sentence. */
export class AssetError extends Error {
  override readonly name = 'AssetError'
}
