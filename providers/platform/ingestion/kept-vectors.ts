import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import Database from 'better-sqlite3'
import type { EmbedDocuments } from './phases.ts'

/**
 * The vectors that a run has made, in a SQLite file of their own until the collection has them. A run that follows a killed or failed one
 * takes them from there instead of embedding the same texts again. The file is a cache: when it cannot be used the run goes on without it.
 */
export interface KeptVectors {
  /** Embeds texts; those whose vectors are kept are not embedded again. */
  embed: EmbedDocuments
  /** True where the file has the vector of a text. */
  has(text: string): boolean
  /** The vector of a text from the file; null where it has none. */
  stored(text: string): Float32Array | null
  /** Vectors that an earlier run had made. */
  readonly reused: number
  /** Why vectors are not kept; null while they are. */
  readonly problem: string | null
  close(): void
  /** Closes and deletes the file. */
  remove(): void
}

const BUSY_TIMEOUT_MS = 2000

/** Opens or creates the file of one collection's vectors by one model. */
export function openKeptVectors(file: string, model: string, embed: EmbedDocuments): KeptVectors {
  let problem: string | null = null
  let reused = 0
  // What this run put there itself is not reused from an earlier one.
  const own = new Set<bigint>()
  const attempt = <Result>(step: () => Result): Result | null => {
    try {
      return problem === null ? step() : null
    } catch (error) {
      if (!(error instanceof Database.SqliteError || error instanceof TypeError)) throw error
      problem = `vectors cannot be kept for a later run: ${file}: ${error.message}`
      return null
    }
  }
  const table = attempt(() => openTable(file))
  const keyOf = (text: string): bigint =>
    createHash('sha256').update(model).update('\0').update(text, 'utf8').digest().readBigInt64BE()

  return {
    async embed(texts, signal) {
      const keys = texts.map(keyOf)
      const vectors = keys.map((key) => attempt(() => table?.get(key) ?? null))
      const missing = texts.flatMap((_, at) => (vectors[at] === null ? [at] : []))
      reused += keys.filter((key, at) => vectors[at] !== null && !own.has(key)).length
      if (missing.length === 0) return vectors as Float32Array[]
      const made = await embed(
        missing.map((at) => texts[at]!),
        signal,
      )
      // The caller reports a wrong number; nothing of such an answer is kept.
      if (made.length !== missing.length) return made
      attempt(() => table?.put(missing.map((at, index) => [keys[at]!, made[index]!])))
      for (const [index, at] of missing.entries()) {
        vectors[at] = made[index]!
        own.add(keys[at]!)
      }
      return vectors as Float32Array[]
    },
    has: (text) => attempt(() => table?.has(keyOf(text))) ?? false,
    stored(text) {
      // What was written before a problem can often still be read.
      try {
        return table?.get(keyOf(text)) ?? null
      } catch (error) {
        if (!(error instanceof Database.SqliteError || error instanceof TypeError)) throw error
        problem ??= `vectors cannot be read again: ${file}: ${error.message}`
        return null
      }
    },
    get reused() {
      return reused
    },
    get problem() {
      return problem
    },
    close: () => attempt(() => table?.close()),
    remove() {
      attempt(() => table?.close())
      removeKeptFile(file)
    },
  }
}

/** Deletes a file of kept vectors or cuts. */
export function removeKeptFile(file: string): void {
  for (const name of [file, `${file}-wal`, `${file}-shm`]) rmSync(name, { force: true, maxRetries: 3 })
}

/** Where the vectors of a collection are kept: beside the state file. */
export const keptVectorsFile = (stateFile: string, collection: string): string =>
  `${stateFile}.${encodeURIComponent(collection)}.vectors`

function openTable(file: string) {
  const database = new Database(file, { timeout: BUSY_TIMEOUT_MS })
  try {
    database.pragma('journal_mode = WAL')
    // A killed process loses nothing; what a power cut takes is embedded again.
    database.pragma('synchronous = NORMAL')
    // Each vector is read once.
    database.pragma('cache_size = -2048')
    database.exec('CREATE TABLE IF NOT EXISTS vectors (key INTEGER PRIMARY KEY, vector BLOB NOT NULL) STRICT')
    const get = database.prepare<[bigint], Buffer>('SELECT vector FROM vectors WHERE key = ?').pluck()
    const has = database.prepare<[bigint], number>('SELECT count(*) FROM vectors WHERE key = ?').pluck()
    const put = database.prepare('INSERT OR REPLACE INTO vectors (key, vector) VALUES (?, ?)')
    return {
      get(key: bigint): Float32Array | null {
        const bytes = get.get(key)
        // Copied: a buffer from the driver need not begin at a multiple of four.
        return bytes === undefined ? null : new Float32Array(Uint8Array.from(bytes).buffer)
      },
      has: (key: bigint): boolean => has.get(key) === 1,
      put(entries: readonly [bigint, Float32Array][]): void {
        database
          .transaction(() => {
            for (const [key, vector] of entries)
              put.run(key, Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength))
          })
          .immediate()
      },
      close: () => database.close(),
    }
  } catch (error) {
    database.close()
    throw error
  }
}
