/** No collection of that name: it was never written, or was removed. */
export class UnknownCollectionError extends Error {
  override readonly name = 'UnknownCollectionError'
  readonly code = 'unknown_collection'
  readonly collection: string

  constructor(collection: string) {
    super(`unknown collection '${collection}'`)
    this.collection = collection
  }
}

/** Chunks and embeddings differ in number, or there are none; the existing collection is untouched. */
export class CountMismatchError extends Error {
  override readonly name = 'CountMismatchError'
  readonly code = 'count_mismatch'
  readonly chunkCount: number
  readonly embeddingCount: number

  constructor(collection: string, chunkCount: number, embeddingCount: number) {
    super(`collection '${collection}': ${chunkCount} chunks and ${embeddingCount} embeddings`)
    this.chunkCount = chunkCount
    this.embeddingCount = embeddingCount
  }
}

/** A vector of the wrong dimension or with a component that is not finite. */
export class InvalidVectorError extends Error {
  override readonly name = 'InvalidVectorError'
  readonly code = 'invalid_vector'
}

/** The store's file cannot be read or written: busy, full, read-only, damaged or on a file system without shared memory. */
export class VectorStoreUnavailableError extends Error {
  override readonly name = 'VectorStoreUnavailableError'
  readonly code = 'vector_store_unavailable'
}
