import type Database from 'better-sqlite3'
import { createFloatVectorTable, highest, vectorTableBytes } from '../vectors/dense-vectors.ts'
import type { VectorTable } from '../vectors/dense-vectors.ts'
import { runAtOnce, type SlicedWork } from '../../../../core/sliced-work.ts'
import { runInTurns } from '../graph-engine/sliced-work.ts'
import { SAME_AS_CONTENT } from './database.ts'
import type { LegHit } from './fusion.ts'
import { keywordQuery, keywordTerms, quoted } from '../../../../core/keyword-terms.ts'
import type { CollectionInfo, StoredChunk } from './vector-store.ts'

/** Most neighbours that vec0 returns in one query. */
const VEC0_MAX_NEIGHBOURS = 4096
/** A few hundred kilobytes of text. */
const CHUNKS_AT_ONCE = 128

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
  /** So many chunks after this id, in order; an open iterator would keep the connection from every other request. */
  chunksAfter(id: number): { id: number; chunk: StoredChunk }[]
  /** Brings the vectors into memory in turns, if they fit: the next searches find them there. */
  load(): Promise<void>
  /** The unit vector of a chunk; all zeros for one that was stored without direction. */
  vector(id: number): Float32Array
  /** Cosine similarities with a unit vector, best first, equal ones by id. */
  nearest(unit: Float32Array, limit: number): LegHit[]
  /** BM25 (k1 1.2, b 0.75) as positive numbers, best first, equal ones by id. */
  bestMatches(text: string, limit: number): LegHit[]
  /** Returns how many chunks hold each content word of a text, by the word in lower case. */
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
  const someChunks = database.prepare<[number, number], ChunkRow>(
    `SELECT * FROM chunks_${generation} WHERE id > ? ORDER BY id LIMIT ?`,
  )
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
  const loading = (): SlicedWork<DenseMatrix> => loadingMatrix(database, generation, info.dimensions)
  return {
    chunk: (id) => toChunk(oneChunk.get(id)!),
    chunksAfter: (id) => someChunks.all(id, CHUNKS_AT_ONCE).map((row) => ({ id: row.id, chunk: toChunk(row) })),
    load: async () => {
      if (inMemory) await matrices.load(generation, loading)
    },
    vector: (id) => {
      const bytes = oneVector.get(id)
      return bytes === undefined ? new Float32Array(info.dimensions) : toVector(bytes)
    },
    nearest: (unit, limit) => {
      if (inMemory) {
        const { ids, table } = matrices.get(generation, () => runAtOnce(loading()))
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

/** Tables in which sqlite-vec keeps the vectors of up to 512 rows as one blob, in the order of their ids. */
interface VectorBlob {
  validity: Buffer
  rowids: Buffer
  vectors: Buffer
}

/**
 * Reads the blobs in which sqlite-vec keeps the vectors, one in a slice: row by row through its virtual table takes ten times as long, and keeps
 * the connection.
 */
function* loadingMatrix(database: Database.Database, generation: number, dimensions: number): SlicedWork<DenseMatrix> {
  const dense = `dense_${generation}`
  const count = database.prepare<[], number>(`SELECT count(*) FROM ${dense}_rowids`).pluck().get()!
  const blobs = database.prepare<[], number>(`SELECT chunk_id FROM ${dense}_chunks ORDER BY chunk_id`).pluck().all()
  const read = database.prepare<[number], VectorBlob>(
    `SELECT validity, rowids, vectors FROM ${dense}_chunks JOIN ${dense}_vector_chunks00 AS stored ON stored.rowid = chunk_id
     WHERE chunk_id = ?`,
  )
  const ids = new Int32Array(count)
  const table = createFloatVectorTable(count, dimensions)
  const bytes = dimensions * Float32Array.BYTES_PER_ELEMENT
  let row = 0
  for (const blob of blobs) {
    const { validity, rowids, vectors } = read.get(blob)!
    for (let at = 0; at < 8 * validity.length && row < count; at += 1) {
      if (((validity[at >> 3]! >> (at & 7)) & 1) === 0) continue
      ids[row] = rowids.readInt32LE(8 * at)
      table.setBytes(row, vectors.subarray(at * bytes, (at + 1) * bytes))
      row += 1
    }
    yield
  }
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
  readonly #loading = new Map<number, Promise<DenseMatrix>>()

  constructor(budgetBytes: number) {
    this.#budgetBytes = budgetBytes
  }

  /** Returns true when a collection of this size may be kept in memory at all. */
  fits(count: number, dimensions: number): boolean {
    return vectorTableBytes(count, dimensions) <= this.#budgetBytes
  }

  /** Loads the matrix of a generation in turns, once for all callers that wait for it. */
  async load(generation: number, work: () => SlicedWork<DenseMatrix>): Promise<void> {
    if (this.#matrices.has(generation)) return
    const loading = this.#loading.get(generation) ?? runInTurns(work())
    this.#loading.set(generation, loading)
    try {
      const matrix = await loading
      // A generation that was dropped meanwhile is not kept.
      if (this.#loading.get(generation) === loading) this.get(generation, () => matrix)
    } finally {
      if (this.#loading.get(generation) === loading) this.#loading.delete(generation)
    }
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
    this.#loading.delete(generation)
    this.#matrices.delete(generation)
  }

  #totalBytes(): number {
    let total = 0
    for (const { table } of this.#matrices.values()) total += table.bytes
    return total
  }
}
