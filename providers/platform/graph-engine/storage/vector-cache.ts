import { createHash } from 'node:crypto'
import type { Database } from 'better-sqlite3'

/** Vectors of one embedding model by the digest of their text: what did not change is not embedded again. */
export interface VectorCache {
  get(text: string): Float32Array | null
  put(entries: readonly { text: string; vector: Float32Array }[]): void
  /** Drops every vector, of any model, that none of these texts needs. */
  keepOnly(texts: Iterable<string>): void
}

/** The vector table of an open engine file, seen by one model. */
export function createVectorCache(database: Database, model: string): VectorCache {
  const get = database
    .prepare<[string, Buffer], Buffer>('SELECT vector FROM vectors WHERE model = ? AND digest = ?')
    .pluck()
  const put = database.prepare('INSERT OR REPLACE INTO vectors (model, digest, vector) VALUES (?, ?, ?)')
  database.exec('CREATE TEMP TABLE IF NOT EXISTS needed (digest BLOB PRIMARY KEY) STRICT, WITHOUT ROWID')
  return {
    get(text) {
      const blob = get.get(model, digestOf(text))
      return blob === undefined ? null : vectorOf(blob)
    },
    put(entries) {
      database
        .transaction(() => {
          for (const { text, vector } of entries) put.run(model, digestOf(text), blobOf(vector))
        })
        .immediate()
    },
    keepOnly(texts) {
      database
        .transaction(() => {
          database.exec('DELETE FROM needed')
          const need = database.prepare('INSERT OR IGNORE INTO needed (digest) VALUES (?)')
          for (const text of texts) need.run(digestOf(text))
          database
            .prepare('DELETE FROM vectors WHERE model <> ? OR digest NOT IN (SELECT digest FROM needed)')
            .run(model)
          database.exec('DELETE FROM needed')
        })
        .immediate()
    },
  }
}

const digestOf = (text: string): Buffer => createHash('sha256').update(text, 'utf8').digest()

const blobOf = (vector: Float32Array): Buffer => Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)

// A blob's memory may start anywhere; a float array must not.
const vectorOf = (blob: Buffer): Float32Array =>
  new Float32Array(blob.buffer.slice(blob.byteOffset, blob.byteOffset + blob.byteLength))
