/** unknown_tokenizer, too_much_overlap: the request asks for what cannot be done. embedding_*: the semantic strategy has no or a broken embedder. */
export type ChunkingErrorCode = 'unknown_tokenizer' | 'too_much_overlap' | 'embedding_missing' | 'embedding_failed'

/** A text that could not be chunked as asked. */
export class ChunkingError extends Error {
  override readonly name = 'ChunkingError'
  readonly code: ChunkingErrorCode

  constructor(code: ChunkingErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
