import type { ServiceModel } from '../../../contract/http/service-model.ts'
import { HttpError } from '../http-error.ts'
import { isPinned } from './declared-model.ts'
import type { DeclaredModel } from './declared-model.ts'
import { ModelStoreError } from './model-store-error.ts'
import type { ModelFault } from './model-store-error.ts'
import type { ModelProgress, ModelStore } from './model-store.ts'

/** The answer to a caller who asked for a download: whose fault it was. */
const STATUS: Readonly<Record<ModelFault, number>> = {
  offline: 503,
  interrupted: 503,
  refused: 502,
  checksum_mismatch: 502,
  changed: 502,
  no_checksum: 502,
  damaged: 500,
  missing: 500,
  disk_full: 507,
  not_writable: 500,
}

/** Pages get this of a model's files. */
export type WeightsFacts = Pick<
  ServiceModel,
  'installed' | 'download_bytes' | 'source_page' | 'progress' | 'pinned' | 'experimental' | 'failure'
>

/** The facts of what is part of the installation. */
export const BUILT_IN: WeightsFacts = {
  installed: true,
  download_bytes: null,
  source_page: null,
  progress: null,
  pinned: null,
  experimental: false,
  failure: null,
}

/** A model's weights in the store: downloaded on request, never by the work that needs them. */
export class ModelWeights {
  readonly #store: ModelStore
  readonly #model: DeclaredModel
  #download: { done: Promise<'downloaded' | 'already_there'>; stop: AbortController } | null = null
  readonly #meanwhile: string
  #progress: Pick<ModelProgress, 'receivedBytes' | 'totalBytes'> | null = null
  #failure: string | null = null

  /** `meanwhile`: what works without this model, as a sentence; it ends the errors. */
  constructor(store: ModelStore, model: DeclaredModel, meanwhile = '') {
    this.#store = store
    this.#model = model
    this.#meanwhile = meanwhile
  }

  async facts(): Promise<WeightsFacts> {
    const onDisk = await this.#store.sizeOnDisk(this.#model)
    const progress = this.#progress
    return {
      installed: onDisk !== null,
      download_bytes: this.#declaredBytes() ?? onDisk,
      source_page: this.#model.sourcePage,
      progress: progress && { received_bytes: progress.receivedBytes, total_bytes: progress.totalBytes },
      pinned: isPinned(this.#model),
      experimental: this.#model.experimental === true,
      failure: this.#failure,
    }
  }

  /** Of all files together; null where one is not declared. */
  #declaredBytes(): number | null {
    const sizes = this.#model.files.map(({ sizeBytes }) => sizeBytes)
    return sizes.every((size) => size !== null) ? sizes.reduce((sum, size) => sum + size, 0) : null
  }

  /** Returns the folder of the files; null while one of them is missing. */
  async folder(): Promise<string | null> {
    return (await this.#store.isPresent(this.#model)) ? this.#store.folderOf(this.#model) : null
  }

  /** Fetches what is missing. Callers who ask at the same time share one download, which goes on when they leave. Throws `HttpError`. */
  download(): Promise<'downloaded' | 'already_there'> {
    if (this.#download !== null) return this.#download.done
    const stop = new AbortController()
    this.#failure = null
    this.#progress = { receivedBytes: 0, totalBytes: this.#declaredBytes() ?? 0 }
    const done = this.#fetch(stop.signal).finally(() => {
      this.#download = null
      this.#progress = null
    })
    this.#download = { done, stop }
    return done
  }

  /** Stops a download under way and takes the files off the disk. False when there was nothing to remove. */
  async remove(): Promise<boolean> {
    await this.stop()
    this.#failure = null
    return this.#store.remove(this.#model)
  }

  /** Stops a download under way; what has arrived is kept for the next one. */
  async stop(): Promise<void> {
    const running = this.#download
    running?.stop.abort(new HttpError(409, 'The download was stopped'))
    await running?.done.catch(() => undefined)
  }

  /** Hashes the files after a load that failed. The store's error where one is damaged, else `cause`. */
  async whyUnloadable(cause: unknown): Promise<unknown> {
    return this.#store.verify(this.#model, cause).then(
      () => cause,
      (reason: unknown) => reason,
    )
  }

  async #fetch(signal: AbortSignal): Promise<'downloaded' | 'already_there'> {
    let fetchedBytes = 0
    try {
      await this.#store.ensure(this.#model, {
        signal,
        meanwhile: this.#meanwhile,
        onProgress: (progress) => {
          fetchedBytes = progress.receivedBytes
          this.#progress = progress
        },
      })
      return fetchedBytes > 0 ? 'downloaded' : 'already_there'
    } catch (cause) {
      if (!(cause instanceof ModelStoreError)) throw cause
      this.#failure = cause.message
      throw new HttpError(STATUS[cause.code], cause.message, { type: 'model_error', cause })
    }
  }
}
