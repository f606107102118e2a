import { HttpError } from '../../kit/http-error.ts'
import type { DeclaredModel } from '../../kit/models/declared-model.ts'
import { ModelStoreError } from '../../kit/models/model-store-error.ts'
import type { ModelFault } from '../../kit/models/model-store-error.ts'
import type { ModelProgress, ModelStore } from '../../kit/models/model-store.ts'
import { EngineFailedError } from './engine-program.ts'

/** What a caller is told who asked for a download: whose fault it was. */
const STATUS: Readonly<Record<ModelFault, number>> = {
  offline: 503,
  interrupted: 503,
  refused: 502,
  checksum_mismatch: 502,
  no_checksum: 502,
  damaged: 500,
  missing: 500,
  disk_full: 507,
  not_writable: 500,
}

/** An engine's weights in the store: fetched when somebody asks for it, never by speaking. */
export class ModelWeights {
  readonly #store: ModelStore
  readonly #model: DeclaredModel
  #download: { done: Promise<'downloaded' | 'already_there'>; stop: AbortController } | null = null
  #progress: ModelProgress | null = null

  constructor(store: ModelStore, model: DeclaredModel) {
    this.#store = store
    this.#model = model
  }

  /** Of all files together. */
  get sizeBytes(): number {
    return this.#model.files.reduce((sum, { sizeBytes }) => sum + (sizeBytes ?? 0), 0)
  }

  get sourcePage(): string {
    return this.#model.sourcePage
  }

  /** Null while nothing is fetched. */
  get progress(): ModelProgress | null {
    return this.#progress
  }

  /** Where the files are; null while one of them is missing. */
  async folder(): Promise<string | null> {
    return (await this.#store.isPresent(this.#model)) ? this.#store.folderOf(this.#model) : null
  }

  /** Fetches what is missing. Callers who ask at the same time share one download, which goes on when they leave. Throws `HttpError`. */
  download(): Promise<'downloaded' | 'already_there'> {
    if (this.#download !== null) return this.#download.done
    const stop = new AbortController()
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
        onProgress: (progress) => {
          fetchedBytes = progress.receivedBytes
          this.#progress = progress
        },
      })
      return fetchedBytes > 0 ? 'downloaded' : 'already_there'
    } catch (cause) {
      if (!(cause instanceof ModelStoreError)) throw cause
      throw new HttpError(STATUS[cause.code], cause.message, { type: 'model_error', cause })
    }
  }
}

/** The 404 of a model whose weights are not here. */
export function notInstalled(id: string): HttpError {
  return new HttpError(404, `Model '${id}' is not installed locally. Download it with POST /v1/models/${id}`, {
    type: 'model_error',
  })
}

/** Runs a task over the weights' folder. Throws 404 when they are not here, and says what to do when they are damaged. */
export async function overWeights<Answer>(
  engine: { id: string; weights: ModelWeights },
  run: (folder: string) => Promise<Answer>,
): Promise<Answer> {
  const folder = await engine.weights.folder()
  if (folder === null) throw notInstalled(engine.id)
  try {
    return await run(folder)
  } catch (cause) {
    if (!(cause instanceof EngineFailedError) || cause.code !== 'model_damaged') throw cause
    const reason = await engine.weights.whyUnloadable(cause)
    const isSetAside = reason instanceof ModelStoreError
    throw new HttpError(
      500,
      isSetAside
        ? `A file of model '${engine.id}' is damaged: ${reason.file}. Download it again with POST /v1/models/${engine.id}`
        : `Model '${engine.id}' cannot be loaded, although its files are what they should be`,
      { type: 'model_error', cause: reason },
    )
  }
}
