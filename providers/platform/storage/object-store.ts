import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type Database from 'better-sqlite3'
import type { EnvReader } from '../../kit/env-reader.ts'
import type { ReceivedFile } from './receive-file.ts'

export interface StorageSettings {
  maxUploadBytes: number
  /** Names of the buckets that exist. */
  buckets: readonly string[]
  /** Most bytes of all buckets together. */
  quotaBytes: number
}

const BUCKET_NAME = /^[a-z0-9][a-z0-9-]{0,62}$/

/** Reads the settings of the object store. */
export function readStorageSettings(reader: EnvReader): StorageSettings {
  const positive = { min: 1, max: Number.MAX_SAFE_INTEGER }
  const buckets = reader.list('STORAGE_BUCKETS')
  for (const bucket of buckets)
    if (!BUCKET_NAME.test(bucket))
      reader.problems.push(
        `STORAGE_BUCKETS: invalid value "${bucket}": expected lower-case letters, digits and hyphens, 63 at most`,
      )
  return {
    maxUploadBytes: reader.integer('MAX_UPLOAD_BYTES', positive),
    buckets,
    quotaBytes: reader.integer('STORAGE_QUOTA_BYTES', positive),
  }
}

export interface StoredObject {
  bucket: string
  name: string
  sha256: string
  sizeBytes: number
  mediaType: string | null
  /** The user that owns it; null for an operator's or service's. */
  subject: string | null
}

interface ObjectRow {
  bucket: string
  name: string
  sha256: string
  size_bytes: number
  media_type: string | null
  subject: string | null
}

export type PutOutcome = { ok: true; object: StoredObject } | { ok: false; code: 'exists' | 'over_quota' }

/**
 * Objects in buckets. A bucket is a folder; its files are named by the SHA-256 of their bytes (`<bucket>/ab/ab12…`), so no name of a sender
 * becomes a path and equal bytes are stored once per bucket. Names, owners and sizes are rows of the platform's database.
 */
export class ObjectStore {
  readonly #database: Database.Database
  readonly #folder: string
  readonly #settings: StorageSettings

  constructor(database: Database.Database, folder: string, settings: StorageSettings) {
    this.#database = database
    this.#folder = folder
    this.#settings = settings
    mkdirSync(this.incoming, { recursive: true })
    for (const name of readdirSync(this.incoming)) removeAbandoned(join(this.incoming, name))
  }

  /** Folder of files that are being received; on the same file system as the buckets. */
  get incoming(): string {
    return join(this.#folder, '.incoming')
  }

  has(bucket: string): boolean {
    return this.#settings.buckets.includes(bucket)
  }

  /** Keeps a received file under a name that is free. One transaction: of two processes with the same name, one stores. */
  put(object: Pick<StoredObject, 'bucket' | 'name' | 'subject'>, file: ReceivedFile): PutOutcome {
    return this.#database
      .transaction((): PutOutcome => {
        const { bucket, name, subject } = object
        if (this.find(bucket, name) !== null) return { ok: false, code: 'exists' }
        const known = this.#database
          .prepare('SELECT 1 FROM objects WHERE bucket = ? AND sha256 = ?')
          .get(bucket, file.sha256)
        if (known === undefined && this.usedBytes() + file.sizeBytes > this.#settings.quotaBytes)
          return { ok: false, code: 'over_quota' }
        const path = this.pathOf({ bucket, sha256: file.sha256 })
        mkdirSync(join(path, '..'), { recursive: true })
        renameSync(file.temporaryFile, path)
        this.#database
          .prepare(
            `INSERT INTO objects (bucket, name, sha256, size_bytes, media_type, subject, created_ms) VALUES (?, ?, ?, ?, ?, ?, ?)`,
          )
          .run(bucket, name, file.sha256, file.sizeBytes, file.mediaType, subject, Date.now())
        return { ok: true, object: this.find(bucket, name)! }
      })
      .immediate()
  }

  find(bucket: string, name: string): StoredObject | null {
    const row = this.#database
      .prepare<[string, string], ObjectRow>('SELECT * FROM objects WHERE bucket = ? AND name = ?')
      .get(bucket, name)
    if (row === undefined) return null
    const { sha256, size_bytes: sizeBytes, media_type: mediaType, subject } = row
    return { bucket, name, sha256, sizeBytes, mediaType, subject }
  }

  /** Removes an object, and its bytes where no other name has them. A crash in between leaves a file without a row. */
  remove(bucket: string, name: string): void {
    const object = this.find(bucket, name)
    if (object === null) return
    this.#database.prepare('DELETE FROM objects WHERE bucket = ? AND name = ?').run(bucket, name)
    this.#database
      .transaction(() => {
        const { sha256 } = object
        const other = this.#database
          .prepare('SELECT 1 FROM objects WHERE bucket = ? AND sha256 = ?')
          .get(bucket, sha256)
        if (other === undefined) rmSync(this.pathOf(object), { force: true })
      })
      .immediate()
  }

  /** The file with an object's bytes. */
  pathOf({ bucket, sha256 }: Pick<StoredObject, 'bucket' | 'sha256'>): string {
    return join(this.#folder, bucket, sha256.slice(0, 2), sha256)
  }

  /** Bytes on disk: what several names share counts once. */
  usedBytes(): number {
    return this.#database
      .prepare<[], number>(
        'SELECT coalesce(sum(size_bytes), 0) FROM (SELECT DISTINCT bucket, sha256, size_bytes FROM objects)',
      )
      .pluck()
      .get()!
  }
}

/** No upload takes so long: its process ended. A younger file may belong to another process. */
const ABANDONED_AFTER_MS = 24 * 60 * 60_000

function removeAbandoned(file: string): void {
  const modifiedMs = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()
  if (Date.now() - modifiedMs > ABANDONED_AFTER_MS) rmSync(file, { force: true })
}
