import type Database from 'better-sqlite3'
import { createFloatVectorTable, highest, vectorTableBytes } from '../dense-vectors.ts'
import type { VectorTable } from '../dense-vectors.ts'
import { SAME_AS_CONTENT } from './database.ts'
import type { LegHit } from './fusion.ts'
import { keywordQuery, keywordTerms, quoted } from './keyword-terms.ts'
import { textKey } from './stored-vectors.ts'
import type { CollectionInfo, StoredChunk } from './vector-store.ts'

/** Most neighbours that vec0 returns in one query. */
const VEC0_MAX_NEIGHBOURS = 4096

interface ChunkRow {
  id: number
  document: string
  title: string
  chunk_index: number
  start_char: number
  end_char: number
  content: string
  index_text: string
}

/** Reads one generation; valid as long as that generation is live, which its caller checks inside the same transaction. */
export interface CollectionReader {
  chunk(id: number): StoredChunk
  allChunks(): StoredChunk[]
  /** Id of a chunk by the key of its index text. */
  idsByText(): Map<bigint, number>
  /** The unit vector of a chunk; all zeros for one that was stored without direction. */
  vector(id: number): Float32Array
  /** Cosine similarities with a unit vector, best first, equal ones by id. */
  nearest(unit: Float32Array, limit: number): LegHit[]
  /** BM25 (k1 1.2, b 0.75) as positive numbers, best first, equal ones by id. */
  bestMatches(text: string, limit: number): LegHit[]
  /** How many chunks hold each content word of a text, by the word in lower case. */
  holding(text: string): Map<string, number>
}

/** Prepares the statements of one generation. */
export function collectionReader(
  database: Database.Database,
  info: CollectionInfo,
  generation: number,
  matrices: MatrixCache,
): CollectionReader {
  const oneChunk = database.prepare<[number], ChunkRow>(`SELECT * FROM chunks_${generation} WHERE id = ?`)
  const everyChunk = database.prepare<[], ChunkRow>(`SELECT * FROM chunks_${generation} ORDER BY id`)
  const matches = database.prepare<[string, number], LegHit>(
    `SELECT rowid AS id, -rank AS score FROM keywords_${generation} WHERE keywords_${generation} MATCH ? ORDER BY rank LIMIT ?`,
  )
  const holders = database
    .prepare<[string], number>(`SELECT count(*) FROM keywords_${generation} WHERE keywords_${generation} MATCH ?`)
    .pluck()
  const oneVector = database
    .prepare<[number], Buffer>(`SELECT embedding FROM dense_${generation} WHERE rowid = ?`)
    .pluck()
  const neighbours = database.prepare<[Float32Array, number], { id: number; distance: number }>(
    `SELECT rowid AS id, distance FROM dense_${generation} WHERE embedding MATCH ? AND k = ?`,
  )
  const inMemory = matrices.fits(info.chunkCount, info.dimensions)
  return {
    chunk: (id) => toChunk(oneChunk.get(id)!),
    allChunks: () => Array.from(everyChunk.iterate(), toChunk),
    idsByText: () => {
      const ids = new Map<bigint, number>()
      for (const row of everyChunk.iterate()) ids.set(textKey(toChunk(row).indexText), row.id)
      return ids
    },
    vector: (id) => {
      const bytes = oneVector.get(id)
      return bytes === undefined ? new Float32Array(info.dimensions) : toVector(bytes)
    },
    nearest: (unit, limit) => {
      if (inMemory) {
        const { ids, table } = matrices.get(generation, () => loadMatrix(database, generation, info.dimensions))
        const scores = table.similarities(unit)
        return highest(scores, limit, -Infinity).map((row) => ({ id: ids[row]!, score: scores[row]! }))
      }
      const found = neighbours.all(unit, Math.min(limit, VEC0_MAX_NEIGHBOURS))
      return byScore(found.map(({ id, distance }) => ({ id, score: 1 - distance })))
    },
    bestMatches: (text, limit) => {
      const query = keywordQuery(text)
      return query === null ? [] : byScore(matches.all(query, limit))
    },
    holding: (text) => new Map(keywordTerms(text).map((term) => [term, holders.get(quoted(term))!])),
  }
}

/**
 * Each vector goes from the file into its row. As text, because the driver gives bytes in a buffer each: those of all vectors would take the
 * memory of the table once more until V8 collects them, and strings it collects as they come.
 */
function loadMatrix(database: Database.Database, generation: number, dimensions: number): DenseMatrix {
  const ids = Int32Array.from(
    database.prepare<[], number>(`SELECT rowid FROM dense_${generation}`).pluck().all(),
  ).sort()
  const rowOf = new Map(Array.from(ids, (id, row) => [id, row]))
  const table = createFloatVectorTable(ids.length, dimensions)
  const stored = database.prepare<[], { id: number; embedding: string }>(
    `SELECT rowid AS id, hex(embedding) AS embedding FROM dense_${generation}`,
  )
  for (const { id, embedding } of stored.iterate()) table.setHex(rowOf.get(id)!, embedding)
  return { ids, table }
}

// Copied: a buffer from the driver need not begin at a multiple of four.
const toVector = (bytes: Buffer): Float32Array => new Float32Array(Uint8Array.from(bytes).buffer)

const byScore = (hits: LegHit[]): LegHit[] => hits.sort((left, right) => right.score - left.score || left.id - right.id)

const toChunk = (row: ChunkRow): StoredChunk => ({
  document: row.document,
  title: row.title,
  chunkIndex: row.chunk_index,
  startChar: row.start_char,
  endChar: row.end_char,
  content: row.content,
  indexText: row.index_text === SAME_AS_CONTENT ? row.content : row.index_text,
})

/** The vectors of one generation and the id of each row; chunks without a vector are missing. */
interface DenseMatrix {
  ids: Int32Array
  table: VectorTable
}

/** Matrices of the generations searched last, within a memory budget; the least recently used one goes first. */
export class MatrixCache {
  readonly #budgetBytes: number
  readonly #matrices = new Map<number, DenseMatrix>()

  constructor(budgetBytes: number) {
    this.#budgetBytes = budgetBytes
  }

  /** Whether a collection of this size may be kept in memory at all. */
  fits(count: number, dimensions: number): boolean {
    return vectorTableBytes(count, dimensions) <= this.#budgetBytes
  }

  /** The matrix of a generation, loaded on first use. */
  get(generation: number, load: () => DenseMatrix): DenseMatrix {
    const matrix = this.#matrices.get(generation) ?? load()
    this.#matrices.delete(generation)
    this.#matrices.set(generation, matrix)
    for (const oldest of this.#matrices.keys()) {
      if (oldest === generation || this.#totalBytes() <= this.#budgetBytes) break
      this.#matrices.delete(oldest)
    }
    return matrix
  }

  delete(generation: number): void {
    this.#matrices.delete(generation)
  }

  #totalBytes(): number {
    let total = 0
    for (const { table } of this.#matrices.values()) total += table.bytes
    return total
  }
}
