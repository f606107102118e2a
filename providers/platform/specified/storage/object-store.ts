import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { Database, Queries } from '../../stores/database/database.ts'
import type { BytesPlace, ObjectBytes } from './object-bytes.ts'
import type { ReceivedFile } from './receive-file.ts'
import type { StorageSettings } from './storage-settings.ts'

export interface StoredObject {
  bucket: string
  name: string
  sha256: string
  /** Of the bytes, in the bucket. */
  key: string
  sizeBytes: number
  mediaType: string | null
  /** The user that owns it; null for an operator's or service's. */
  subject: string | null
}

interface ObjectRow {
  bucket: string
  name: string
  sha256: string
  content_key: string
  size_bytes: number
  media_type: string | null
  subject: string | null
}

/** Bytes that are stored and that no object has yet. */
export interface StagedBytes extends BytesPlace {
  sha256: string
  sizeBytes: number
  mediaType: string | null
}

/** Why an object is not stored. */
export type Refusal = 'exists' | 'over_quota'

export interface ObjectStoreOptions {
  database: Database
  bytes: ObjectBytes
  /** Folder of files that are being received. */
  incoming: string
  settings: Pick<StorageSettings, 'buckets' | 'quotaBytes'>
}

/** No upload takes so long: its process ended. Younger files and bytes may belong to another process. */
const ABANDONED_AFTER_MS = 24 * 60 * 60_000

/**
 * Objects in buckets: names, owners and sizes are rows of the platform's database, bytes are in `ObjectBytes` under their SHA-256
 * (`<bucket>/ab/ab12…`), so no name of a sender becomes a path and equal bytes are stored once per bucket.
 *
 * Bytes and rows cannot change in one transaction. So bytes are listed as loose before they are written, and until the transaction that stores
 * their object; and from the transaction that removes their last object until they are gone. A crash leaves loose bytes, which `sweep`
 * removes after a day, and never an object without bytes. Bytes of one content that are written or removed at the same time have other keys.
 */
export class ObjectStore {
  readonly #options: ObjectStoreOptions
  readonly #database: Database
  readonly #bytes: ObjectBytes

  constructor(options: ObjectStoreOptions) {
    this.#options = options
    this.#database = options.database
    this.#bytes = options.bytes
    mkdirSync(this.incoming, { recursive: true })
    for (const name of readdirSync(this.incoming)) removeAbandoned(join(this.incoming, name))
  }

  /** Folder of files that are being received. */
  get incoming(): string {
    return this.#options.incoming
  }

  has(bucket: string): boolean {
    return this.#options.settings.buckets.includes(bucket)
  }

  /** Keeps a received file under a name that is free: of two processes with the same name, one stores. Returns why it is not kept. Throws `BytesUnavailableError`. */
  async put(object: Pick<StoredObject, 'bucket' | 'name' | 'subject'>, file: ReceivedFile): Promise<Refusal | null> {
    const refusal = await this.#refusalOf(this.#database, object, file)
    // Asked again when the bytes are there; asked now, so that they are not sent for nothing.
    if (refusal !== null) return refusal
    const staged = await this.stage(object.bucket, file)
    try {
      return await this.#database.transaction((tx) => this.add(tx, object, staged))
    } finally {
      await this.discard(staged)
    }
  }

  /** Stores the bytes of a received file, whose temporary file is gone then. `add` makes them an object, `discard` removes them. */
  async stage(bucket: string, file: ReceivedFile): Promise<StagedBytes> {
    const { sha256, sizeBytes, mediaType } = file
    const key = await this.#listLoose(bucket, sha256)
    try {
      await this.#bytes.write({ bucket, key }, file)
    } catch (error) {
      // Bytes that cannot be removed now stay listed.
      await this.discard({ bucket, key }).catch(() => {})
      throw error
    } finally {
      await rm(file.temporaryFile, { force: true })
    }
    return { bucket, key, sha256, sizeBytes, mediaType }
  }

  /** Stores an object with staged bytes; where the bucket has these bytes already, with those. */
  async add(
    tx: Queries,
    { bucket, name, subject }: Pick<StoredObject, 'bucket' | 'name' | 'subject'>,
    staged: StagedBytes,
  ): Promise<Refusal | null> {
    const { sha256, sizeBytes, mediaType } = staged
    const refusal = await this.#refusalOf(tx, { bucket, name }, staged)
    if (refusal !== null) return refusal
    const key = (await keyOf(tx, bucket, sha256)) ?? staged.key
    if (key === staged.key) await unlist(tx, staged)
    await tx.run(
      `INSERT INTO objects (bucket, name, sha256, content_key, size_bytes, media_type, subject, created_ms)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      [bucket, name, sha256, key, sizeBytes, mediaType, subject, Date.now()],
    )
    return null
  }

  /** Removes bytes that no object has; bytes of an object stay. Throws `BytesUnavailableError`; `sweep` tries again then. */
  async discard({ bucket, key }: BytesPlace): Promise<void> {
    const isLoose = await this.#database.get('SELECT 1 FROM loose_bytes WHERE bucket = ? AND content_key = ?', [
      bucket,
      key,
    ])
    if (isLoose === null) return
    await this.#bytes.remove({ bucket, key })
    await unlist(this.#database, { bucket, key })
  }

  async find(bucket: string, name: string): Promise<StoredObject | null> {
    return findObject(this.#database, bucket, name)
  }

  /** The bytes of an object. Throws `BytesUnavailableError`. */
  async read({ bucket, key }: BytesPlace): Promise<Readable> {
    return this.#bytes.read({ bucket, key })
  }

  /** Removes an object, and its bytes where no other name has them. */
  async remove(bucket: string, name: string): Promise<void> {
    const place = await this.#database.transaction((tx) => this.forget(tx, bucket, name))
    if (place !== null) await this.discard(place)
  }

  /** Removes an object and returns its bytes where no other name has them, for `discard` after the transaction. */
  async forget(tx: Queries, bucket: string, name: string): Promise<BytesPlace | null> {
    const object = await findObject(tx, bucket, name)
    if (object === null) return null
    await tx.run('DELETE FROM objects WHERE bucket = ? AND name = ?', [bucket, name])
    const { key } = object
    const other = await tx.get('SELECT 1 FROM objects WHERE bucket = ? AND content_key = ?', [bucket, key])
    if (other !== null) return null
    await list(tx, { bucket, key })
    return { bucket, key }
  }

  /** Counts an object as stored now; false where there is none. */
  async renew(bucket: string, name: string): Promise<boolean> {
    const outcome = await this.#database.run('UPDATE objects SET created_ms = ? WHERE bucket = ? AND name = ?', [
      Date.now(),
      bucket,
      name,
    ])
    return outcome > 0
  }

  /** Removes the objects of a bucket that were stored before a moment. */
  async removeOlder(bucket: string, beforeMs: number): Promise<void> {
    const old = await this.#database.all<{ name: string }>(
      'SELECT name FROM objects WHERE bucket = ? AND created_ms < ?',
      [bucket, beforeMs],
    )
    for (const { name } of old) await this.remove(bucket, name)
  }

  /** Removes the bytes of uploads and removals whose process ended: those that are loose for a day. */
  async sweep(olderThanMs = ABANDONED_AFTER_MS): Promise<void> {
    const abandoned = await this.#database.all<{ bucket: string; content_key: string }>(
      'SELECT * FROM loose_bytes WHERE since_ms < ?',
      [Date.now() - olderThanMs],
    )
    for (const { bucket, content_key: key } of abandoned) await this.discard({ bucket, key })
  }

  /** Bytes of all objects: what several names share counts once. */
  async usedBytes(queries: Queries = this.#database): Promise<number> {
    const row = await queries.get<{ used: number }>(
      `SELECT coalesce(sum(size_bytes), 0) AS used FROM (SELECT DISTINCT bucket, content_key, size_bytes FROM objects) AS contents`,
    )
    return row!.used
  }

  async #refusalOf(
    queries: Queries,
    { bucket, name }: Pick<StoredObject, 'bucket' | 'name'>,
    { sha256, sizeBytes }: Pick<StagedBytes, 'sha256' | 'sizeBytes'>,
  ): Promise<Refusal | null> {
    if ((await findObject(queries, bucket, name)) !== null) return 'exists'
    if ((await this.usedBytes(queries)) + sizeBytes <= this.#options.settings.quotaBytes) return null
    // Equal bytes count once. Looked for last: another upload may have stored them since, and then they were counted above.
    return (await keyOf(queries, bucket, sha256)) === null ? 'over_quota' : null
  }

  /** Takes a key for bytes that are to be written. */
  async #listLoose(bucket: string, sha256: string): Promise<string> {
    return this.#database.transaction(async (tx) => {
      const plain = `${sha256.slice(0, 2)}/${sha256}`
      const isTaken = await tx.get(
        `SELECT 1 FROM objects WHERE bucket = @bucket AND content_key = @plain
         UNION ALL SELECT 1 FROM loose_bytes WHERE bucket = @bucket AND content_key = @plain`,
        { bucket, plain },
      )
      const key = isTaken === null ? plain : `${plain}-${randomUUID()}`
      await list(tx, { bucket, key })
      return key
    })
  }
}

async function findObject(queries: Queries, bucket: string, name: string): Promise<StoredObject | null> {
  const row = await queries.get<ObjectRow>('SELECT * FROM objects WHERE bucket = ? AND name = ?', [bucket, name])
  if (row === null) return null
  const { sha256, content_key: key, size_bytes: sizeBytes, media_type: mediaType, subject } = row
  return { bucket, name, sha256, key, sizeBytes, mediaType, subject }
}

/** Returns where a bucket has these bytes; null where it has none. */
async function keyOf(queries: Queries, bucket: string, sha256: string): Promise<string | null> {
  const row = await queries.get<Pick<ObjectRow, 'content_key'>>(
    'SELECT content_key FROM objects WHERE bucket = ? AND sha256 = ?',
    [bucket, sha256],
  )
  return row?.content_key ?? null
}

async function list(tx: Queries, { bucket, key }: BytesPlace): Promise<void> {
  await tx.run('INSERT INTO loose_bytes (bucket, content_key, since_ms) VALUES (?, ?, ?)', [bucket, key, Date.now()])
}

async function unlist(queries: Queries, { bucket, key }: BytesPlace): Promise<void> {
  await queries.run('DELETE FROM loose_bytes WHERE bucket = ? AND content_key = ?', [bucket, key])
}

function removeAbandoned(file: string): void {
  const modifiedMs = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()
  if (Date.now() - modifiedMs > ABANDONED_AFTER_MS) rmSync(file, { force: true })
}
