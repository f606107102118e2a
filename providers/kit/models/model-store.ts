import { access, mkdir, rename, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { modelStoreSettings } from './cache-folder.ts'
import { assertInside, onHub } from './declared-model.ts'
import type { DeclaredFile, DeclaredModel } from './declared-model.ts'
import { DownloadError, downloadFile } from './download-file.ts'
import { sha256Of } from './file-digest.ts'
import { firstFetchRecord, readFirstFetch, readVerifiedFiles } from './file-records.ts'
import type { FirstFetch, VerifiedFiles } from './file-records.ts'
import { ModelStoreError } from './model-store-error.ts'
import type { ModelFault } from './model-store-error.ts'

/** A download as it goes on. */
export interface ModelProgress {
  model: string
  license: string
  /** The file under way. */
  file: string
  /** Of the whole model. */
  receivedBytes: number
  /** Of the whole model as far as sizes are known; it grows where a server reports one late. */
  totalBytes: number
}

/** A model whose files are all there. */
export interface ModelFolder {
  readonly folder: string
  /** The absolute path of one of its files. */
  readonly file: (path: string) => string
}

export interface EnsureOptions {
  signal?: AbortSignal
  onProgress?: (progress: ModelProgress) => void
  /** A folder that has the files already: taken as it is, without network and without checksums. Null: the cache. */
  localFolder?: string | null
  /** States what works without this model, as a sentence that ends the errors. */
  meanwhile?: string
}

export interface ModelStoreSettings {
  cacheFolder: string
  hub: string
  isOffline: boolean
  /** First wait before a broken download is tried again. */
  retryMs?: number
  stallMs?: number
}

/** Space that a download must leave on the disk. */
const SPARE_BYTES = 64 * 1024 * 1024

/** Models in a folder that all services and all processes of this person share: fetched at their first use, verified, and named when not. */
export class ModelStore {
  readonly #settings: ModelStoreSettings

  constructor(settings: ModelStoreSettings = modelStoreSettings(process.env)) {
    this.#settings = settings
  }

  /** The model is in this folder, or will be. */
  folderOf(model: DeclaredModel): string {
    assertInside(model.id)
    return join(this.#settings.cacheFolder, ...model.id.split('/'))
  }

  /** Returns true when every file is there; nothing is hashed. */
  async isPresent(model: DeclaredModel): Promise<boolean> {
    return (await this.#absent(model, this.folderOf(model))).length === 0
  }

  /** The model's folder with all its files, fetched where they are missing. Rejects with `ModelStoreError` and with the signal's reason. */
  async ensure(model: DeclaredModel, options: EnsureOptions = {}): Promise<ModelFolder> {
    const local = options.localFolder ?? null
    if (local !== null) return this.#local(model, local, options)
    const folder = this.folderOf(model)
    const verified = await readVerifiedFiles(folder, model.license)
    const trusted = await Promise.all(model.files.map(({ path }) => verified.trusted(path)))
    if (trusted.every((sha256, i) => isAsDeclared(sha256, model.files[i]!))) return placed(folder)
    const signal = options.signal ?? new AbortController().signal
    try {
      await withDownloadLock(this.#settings.cacheFolder, signal, () => this.#complete(model, folder, signal, options))
    } catch (cause) {
      if (!isDiskError(cause)) throw cause
      const code: ModelFault = /^(ENOSPC|EDQUOT|SQLITE_FULL)/.test(cause.code ?? '') ? 'disk_full' : 'not_writable'
      throw this.#error(code, model, null, folder, options, `${folder} cannot be written: ${cause.message}`, cause)
    }
    return placed(folder)
  }

  /**
   * Returns what `load` makes of the model's files. When it fails, they are hashed again: a damaged one is set aside, so that the next use fetches it
   * again, and the error names it. Rejects with `ModelStoreError`, and with the error of `load` when the files are whole.
   */
  async open<Loaded>(
    model: DeclaredModel,
    load: (folder: ModelFolder) => Promise<Loaded>,
    options: EnsureOptions = {},
  ): Promise<Loaded> {
    const place = await this.ensure(model, options)
    try {
      return await load(place)
    } catch (cause) {
      options.signal?.throwIfAborted()
      if ((options.localFolder ?? null) === null) await this.#setDamagedAside(model, place.folder, options, cause)
      throw cause
    }
  }

  /** Hashes the files and fetches none. Rejects with `ModelStoreError` for a damaged one, which is set aside: the next use downloads it again. */
  async verify(model: DeclaredModel, cause?: unknown): Promise<void> {
    await this.#setDamagedAside(model, this.folderOf(model), {}, cause)
  }

  /** Bytes that the model's files take on the disk; null while one of them is missing. */
  async sizeOnDisk(model: DeclaredModel): Promise<number | null> {
    const folder = this.folderOf(model)
    const files = await Promise.all(model.files.map(({ path }) => stat(join(folder, path)).catch(() => null)))
    return files.every((file) => file !== null) ? sum(files.map(({ size }) => size)) : null
  }

  /**
   * Takes the model off the disk, with what is left of broken downloads. False: it was not there. What its files were at their first fetch is
   * not forgotten.
   */
  async remove(model: DeclaredModel, signal = new AbortController().signal): Promise<boolean> {
    const folder = this.folderOf(model)
    return withDownloadLock(this.#settings.cacheFolder, signal, async () => {
      const wasThere = await exists(folder)
      await rm(folder, { recursive: true, force: true })
      return wasThere
    })
  }

  async #local(model: DeclaredModel, folder: string, options: EnsureOptions): Promise<ModelFolder> {
    const absent = await this.#absent(model, folder)
    if (absent.length === 0) return placed(folder)
    const names = absent.map(({ path }) => path).join(', ')
    const message = `The folder ${folder} lacks ${names} of the model ${model.id}; see ${model.sourcePage}`
    throw this.#error('missing', model, absent[0]!.path, folder, options, message)
  }

  async #absent(model: DeclaredModel, folder: string): Promise<DeclaredFile[]> {
    const there = await Promise.all(model.files.map(({ path }) => exists(join(folder, path))))
    return model.files.filter((_, i) => !there[i])
  }

  async #complete(model: DeclaredModel, folder: string, signal: AbortSignal, options: EnsureOptions): Promise<void> {
    await mkdir(folder, { recursive: true })
    // Another process may have fetched it while this one waited for its turn.
    const verified = await readVerifiedFiles(folder, model.license)
    const firstFetch = await this.#firstFetch(model, folder, options)
    const sizes = new Map(model.files.map(({ path, sizeBytes }) => [path, sizeBytes ?? 0]))
    let received = 0
    const report = (file: string, bytes: number) =>
      options.onProgress?.({
        model: model.id,
        license: model.license,
        file,
        receivedBytes: received + bytes,
        totalBytes: Math.max(received + bytes, sum(sizes.values())),
      })
    for (const file of model.files) {
      assertInside(file.path)
      const path = join(folder, file.path)
      if (!(await this.#isWhole(file, path, verified, signal))) {
        await this.#fetch(model, file, folder, firstFetch, signal, options, (bytes, size) => {
          if (size !== null) sizes.set(file.path, size)
          report(file.path, bytes)
        })
        const sha256 = await sha256Of(path, signal)
        if (file.sha256 === null && firstFetch.of(file.path) === null) await firstFetch.add(file.path, sha256)
        await verified.add(file.path, sha256)
      }
      const { size } = await stat(path)
      sizes.set(file.path, size)
      received += size
    }
  }

  async #firstFetch(model: DeclaredModel, folder: string, options: EnsureOptions): Promise<FirstFetch> {
    return readFirstFetch(folder).catch((cause: unknown) => {
      if (isDiskError(cause)) throw cause
      const record = firstFetchRecord(folder)
      const message = `${record} no longer records what ${model.id} was at its first fetch. ${acceptBy(record)}`
      throw this.#error('changed', model, null, folder, options, message, cause)
    })
  }

  /** Returns true when the file is there and right. A file that was put there by hand is verified by its declared checksum; a wrong one is set aside. */
  async #isWhole(file: DeclaredFile, path: string, verified: VerifiedFiles, signal: AbortSignal): Promise<boolean> {
    if (!(await exists(path))) return false
    if (isAsDeclared(await verified.trusted(file.path), file)) return true
    const wanted = file.sha256 ?? verified.recorded(file.path)
    const actual = await sha256Of(path, signal)
    if (wanted === null || actual === wanted) {
      await verified.add(file.path, actual)
      return true
    }
    await setAside(path)
    await verified.forget(file.path)
    return false
  }

  async #fetch(
    model: DeclaredModel,
    file: DeclaredFile,
    folder: string,
    firstFetch: FirstFetch,
    signal: AbortSignal,
    options: EnsureOptions,
    onBytes: (bytes: number, size: number | null) => void,
  ): Promise<void> {
    const { hub, isOffline, retryMs, stallMs } = this.#settings
    const url = onHub(file.url, hub)
    const failed = (code: ModelFault, reason: string, cause?: unknown): ModelStoreError => {
      const message = `${file.path} of the model ${model.id} (${model.license}) could not be fetched from ${url}: ${reason}`
      return this.#error(code, model, file.path, folder, options, message, cause)
    }
    const before = file.sha256 === null ? firstFetch.of(file.path) : null
    if (isOffline) throw failed('offline', 'the network is not to be used')
    const { bavail, bsize } = await statfs(folder)
    if (bavail * bsize < (file.sizeBytes ?? 0) + SPARE_BYTES)
      throw failed('disk_full', `${file.sizeBytes ?? 0} bytes are needed, and ${bavail * bsize} are free`)
    try {
      await downloadFile({
        url,
        target: join(folder, file.path),
        sizeBytes: file.sizeBytes,
        sha256: file.sha256 ?? before?.sha256 ?? null,
        signal,
        onBytes,
        ...(retryMs === undefined ? {} : { retryMs }),
        ...(stallMs === undefined ? {} : { stallMs }),
      })
    } catch (cause) {
      if (!(cause instanceof DownloadError)) throw cause
      if (cause.code !== 'checksum_mismatch' || before === null) throw failed(cause.code, cause.message, cause)
      const change = `its SHA-256 was ${before.sha256} at the first fetch (${before.fetchedAt}) and is ${cause.actual ?? 'another'} now`
      throw failed('changed', `the source has replaced it: ${change}. ${acceptBy(firstFetch.record)}`, cause)
    }
  }

  async #setDamagedAside(model: DeclaredModel, folder: string, options: EnsureOptions, cause: unknown): Promise<void> {
    const verified = await readVerifiedFiles(folder, model.license)
    for (const file of model.files) {
      const path = join(folder, file.path)
      const wanted = file.sha256 ?? verified.recorded(file.path)
      if (wanted === null || (await sha256Of(path)) === wanted) continue
      await setAside(path)
      await verified.forget(file.path)
      const message = `${file.path} of the model ${model.id} was damaged and is now ${path}.damaged; the next use downloads it again`
      throw this.#error('damaged', model, file.path, folder, options, message, cause)
    }
  }

  #error(
    code: ModelFault,
    model: DeclaredModel,
    file: string | null,
    folder: string,
    options: EnsureOptions,
    message: string,
    cause?: unknown,
  ): ModelStoreError {
    const advice = ADVICE[code]?.(folder)
    const sentences = [message, ...(advice === undefined ? [] : [advice]), options.meanwhile ?? ''].filter(Boolean)
    return new ModelStoreError(code, { model: model.id, file, folder }, sentences.join('. '), { cause })
  }
}

const ADVICE: Partial<Record<ModelFault, (folder: string) => string>> = {
  offline: (folder) => `Connect to the network, or put the model's files into ${folder}`,
  refused: (folder) => `Try again later, or put the model's files into ${folder}`,
  checksum_mismatch: () => 'It was thrown away; try again, and do not trust that source if it happens twice',
  no_checksum: (folder) => `Put the model's files into ${folder} if you trust them`,
  disk_full: () => 'Make room, or name another folder in RAG_LADDER_MODELS_DIR',
  not_writable: () => 'Name another folder in RAG_LADDER_MODELS_DIR',
}

const acceptBy = (record: string): string => `To accept what the source sends now, delete ${record} and fetch again`

function placed(folder: string): ModelFolder {
  return { folder, file: (path) => join(folder, path) }
}

function isAsDeclared(sha256: string | null, file: DeclaredFile): boolean {
  return sha256 !== null && (file.sha256 === null || file.sha256 === sha256)
}

/** An error of the file system, which has a system call, or of the lock's file. */
function isDiskError(cause: unknown): cause is NodeJS.ErrnoException {
  if (!(cause instanceof Error) || cause instanceof ModelStoreError) return false
  const { syscall, code } = cause as NodeJS.ErrnoException
  return syscall !== undefined || code?.startsWith('SQLITE_') === true
}

async function setAside(path: string): Promise<void> {
  await rename(path, `${path}.damaged`)
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

function sum(values: Iterable<number>): number {
  let total = 0
  for (const value of values) total += value
  return total
}

const LOOK_AGAIN_MS = 250

const isBusy = (error: unknown): boolean =>
  error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')

/**
 * Runs `work` while no other process does so with this folder. The lock is the operating system's, by way of an empty SQLite file, and is
 * freed when its holder dies in whatever way. Rejects with the signal's reason when it aborts while waiting.
 */
async function withDownloadLock<Result>(
  folder: string,
  signal: AbortSignal,
  work: () => Promise<Result>,
): Promise<Result> {
  await mkdir(folder, { recursive: true })
  const database = new Database(join(folder, '.download.lock'), { timeout: 0 })
  try {
    database.pragma('journal_mode = MEMORY')
    while (!tryBegin(database)) await delay(LOOK_AGAIN_MS, undefined, { signal })
    return await work()
  } finally {
    database.close()
  }
}

function tryBegin(database: Database.Database): boolean {
  try {
    database.exec('BEGIN IMMEDIATE')
    return true
  } catch (error) {
    if (isBusy(error)) return false
    throw error
  }
}
