/** Why a model is unavailable. */
export type ModelFault =
  /** No network, or it is not to be used. */
  | 'offline'
  /** The connection broke too often; what has arrived is kept. */
  | 'interrupted'
  /** The server answered, but not with the file. */
  | 'refused'
  /** The bytes that arrived are not those that were declared. */
  | 'checksum_mismatch'
  /** The source sends something else than at the first fetch of a file that is not pinned. */
  | 'changed'
  /** The right checksum is unknown. */
  | 'no_checksum'
  /** A file of the cache has changed since it was verified; it was set aside. */
  | 'damaged'
  /** A local folder lacks a file. */
  | 'missing'
  | 'disk_full'
  | 'not_writable'

/** A model is unavailable; the message names model, file and folder, and what to do. */
export class ModelStoreError extends Error {
  override readonly name = 'ModelStoreError'
  readonly code: ModelFault
  readonly model: string
  /** Null when it is about the whole model. */
  readonly file: string | null
  readonly folder: string

  constructor(
    code: ModelFault,
    about: { model: string; file: string | null; folder: string },
    message: string,
    options: { cause?: unknown } = {},
  ) {
    super(message, options)
    this.code = code
    this.model = about.model
    this.file = about.file
    this.folder = about.folder
  }
}
