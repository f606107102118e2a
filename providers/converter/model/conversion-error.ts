/**
 * Why a document cannot be converted, in words for the one who sent it. unsupported: not one of the formats. damaged: the bytes are not what they
 * claim. encrypted: a password is needed. too_large: it would unpack to more than is allowed. empty: there is nothing to read. too_many_chunks: more than may be returned.
 */
export type ConversionFailure = 'unsupported' | 'damaged' | 'encrypted' | 'too_large' | 'empty' | 'too_many_chunks'

/** An expected failure of a conversion; everything else is a fault of ours. */
export class ConversionError extends Error {
  override readonly name = 'ConversionError'
  readonly code: ConversionFailure

  constructor(code: ConversionFailure, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** The service cannot ask for a password, so the message names the way on. */
export const encrypted = (): ConversionError =>
  new ConversionError('encrypted', 'the document is encrypted: remove its password and send it again')
