import type Database from 'better-sqlite3'
import { buildMatrix, nearestRows } from './dense-matrix.ts'
import type { DenseMatrix } from './dense-matrix.ts'
import type { LegHit } from './fusion.ts'
import { keywordQuery } from './keyword-terms.ts'
import type { MatrixCache } from './matrix-cache.ts'
import type { CollectionInfo, StoredChunk } from './vector-store.ts'

/** Most neighbours that vec0 returns in one query. */
const VEC0_MAX_NEIGHBOURS = 4096

interface ChunkRow {
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
  /** Cosine similarities with a unit vector, best first, equal ones by id. */
  nearest(unit: Float32Array, limit: number): LegHit[]
  /** BM25 (k1 1.2, b 0.75) as positive numbers, best first, equal ones by id. */
  bestMatches(text: string, limit: number): LegHit[]
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
  const neighbours = database.prepare<[Float32Array, number], { id: number; distance: number }>(
    `SELECT rowid AS id, distance FROM dense_${generation} WHERE embedding MATCH ? AND k = ?`,
  )
  const inMemory = matrices.fits(info.chunkCount, info.dimensions)
  return {
    chunk: (id) => toChunk(oneChunk.get(id)!),
    allChunks: () => everyChunk.all().map(toChunk),
    nearest: (unit, limit) => {
      if (inMemory)
        return nearestRows(
          matrices.get(generation, () => loadMatrix(database, info, generation)),
          unit,
          limit,
        )
      const found = neighbours.all(unit, Math.min(limit, VEC0_MAX_NEIGHBOURS))
      return byScore(found.map(({ id, distance }) => ({ id, score: 1 - distance })))
    },
    bestMatches: (text, limit) => {
      const query = keywordQuery(text)
      return query === null ? [] : byScore(matches.all(query, limit))
    },
  }
}

function loadMatrix(database: Database.Database, info: CollectionInfo, generation: number): DenseMatrix {
  const vectors = database
    .prepare<[], { id: number; embedding: Buffer }>(`SELECT rowid AS id, embedding FROM dense_${generation}`)
    .all()
    .map(({ id, embedding }) => ({ id, vector: toVector(embedding) }))
    .sort((left, right) => left.id - right.id)
  return buildMatrix(vectors, vectors.length, info.dimensions)
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
  indexText: row.index_text,
})
