import { setImmediate as nextTurn } from 'node:timers/promises'
import type Database from 'better-sqlite3'
import { Derivation } from '../../../../contract/evidence/derivation.ts'
import { truncateLog } from '../database/truncate-log.ts'
import { toUnitLength } from '../vectors/dense-vectors.ts'
import type { TermStatistics } from '../../models/model-host.ts'
import { createPauses } from '../graph-engine/sliced-work.ts'
import { collectionReader, MatrixCache } from './collection-reader.ts'
import type { CollectionReader } from './collection-reader.ts'
import {
  asUnavailable,
  createGeneration,
  dropGeneration,
  openDatabase,
  touchGeneration,
  unavailableOnFailure,
  writeBatch,
} from './database.ts'
import { generationDigest } from './generation-digest.ts'
import { fuseLegs } from './fusion.ts'
import type { LegHit } from './fusion.ts'
import { textKey } from './stored-vectors.ts'
import {
  checkHybridQuery,
  checkInput,
  checkLimit,
  checkVector,
  documentOrder,
  UnknownCollectionError,
  VectorStoreUnavailableError,
} from './vector-store.ts'
import type {
  CollectionInfo,
  CollectionSource,
  HybridQuery,
  ReplaceOptions,
  SearchHit,
  StoredChunk,
  StoredVectors,
  VectorList,
  VectorStore,
} from './vector-store.ts'

export interface VectorStoreOptions {
  /** Memory for vectors of collections searched last; a collection above it is scanned in the file. 256 MiB unless given. */
  matrixBudgetBytes?: number
}

/** Sets how deep each leg of a hybrid search looks: what is fused must not depend on how many hits the caller wants to see. */
const MIN_LEG_DEPTH = 100
/** Chunks per write transaction: short enough that other writers and the event loop get their turn. */
const WRITE_BATCH = 32

/** Opens or creates the store in one SQLite file; several processes may have it open. Throws `VectorStoreUnavailableError`. */
export function openSqliteVectorStore(file: string, options: VectorStoreOptions = {}): VectorStore {
  return new SqliteVectorStore(openDatabase(file), new MatrixCache(options.matrixBudgetBytes ?? 256 * 1024 * 1024))
}

interface LiveCollection {
  info: CollectionInfo
  generation: number
}

interface CollectionRow {
  name: string
  generation: number
  dimensions: number
  chunk_count: number
  content_digest: string
  embedding_model: string
  derivation: string
  stored_digest: string
}

class SqliteVectorStore implements VectorStore {
  readonly #database: Database.Database
  readonly #matrices: MatrixCache
  readonly #readers = new Map<string, { generation: number; reader: CollectionReader }>()
  readonly #find: Database.Statement<[string], CollectionRow>

  constructor(database: Database.Database, matrices: MatrixCache) {
    this.#database = database
    this.#matrices = matrices
    this.#find = database.prepare<[string], CollectionRow>('SELECT * FROM collections WHERE name = ?')
  }

  async info(name: string): Promise<CollectionInfo | null> {
    return unavailableOnFailure(() => this.#live(name)?.info ?? null)
  }

  async list(): Promise<CollectionInfo[]> {
    const all = this.#database.prepare<[], CollectionRow>('SELECT * FROM collections ORDER BY name')
    return unavailableOnFailure(() => all.all().map((row) => liveCollection(row).info))
  }

  async replace(
    name: string,
    source: CollectionSource,
    chunks: readonly StoredChunk[],
    embeddings: VectorList,
    options: ReplaceOptions = {},
  ): Promise<CollectionInfo> {
    await checkInput(name, source, chunks, embeddings)
    const order = documentOrder(chunks)
    const generation = unavailableOnFailure(() => createGeneration(this.#database, source.dimensions, order.length))
    try {
      for (let from = 0; from < order.length; from += WRITE_BATCH) {
        const batch = order
          .slice(from, from + WRITE_BATCH)
          .map((index) => ({ chunk: chunks[index]!, vector: toUnitLength(embeddings.at(index)!) }))
        unavailableOnFailure(() => writeBatch(this.#database, generation, batch, from + 1))
        await nextTurn()
      }
      const written = { name, ...source, chunkCount: order.length }
      const stored = await generationDigest(this.#database, generation, written)
      await options.beforeSwitch?.()
      const info = unavailableOnFailure(() => this.#makeLive(written, stored, generation))
      await nextTurn()
      unavailableOnFailure(() => truncateLog(this.#database))
      return info
    } catch (error) {
      this.#abandon(generation)
      throw error
    }
  }

  #makeLive(
    { name, dimensions, chunkCount, contentDigest, embeddingModel, derivation }: CollectionInfo,
    storedDigest: string,
    generation: number,
  ): CollectionInfo {
    return this.#database
      .transaction(() => {
        touchGeneration(this.#database, generation)
        const previous = this.#find.get(name)
        this.#database
          .prepare(
            `INSERT OR REPLACE INTO collections
             (name, generation, dimensions, chunk_count, content_digest, embedding_model, derivation, stored_digest)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
          )
          .run(
            name,
            generation,
            dimensions,
            chunkCount,
            contentDigest,
            embeddingModel,
            derivation === undefined ? '' : JSON.stringify(derivation),
            storedDigest,
          )
        if (previous !== undefined) this.#drop(previous.generation)
        return this.#require(name).info
      })
      .immediate()
  }

  async damage(name: string, signal?: AbortSignal): Promise<string | null> {
    const row = this.#find.get(name)
    if (row === undefined || row.stored_digest === '') return null
    // A collection that replaced it meanwhile is judged in its place.
    const isReplaced = (): boolean => this.#find.get(name)?.generation !== row.generation
    try {
      const digest = await generationDigest(this.#database, row.generation, liveCollection(row).info, signal)
      if (isReplaced()) return await this.damage(name, signal)
      return digest === row.stored_digest ? null : `${this.#database.name}: collection ${name} is not as it was written`
    } catch (error) {
      signal?.throwIfAborted()
      if (!this.#database.open) throw error
      if (isReplaced()) return this.damage(name, signal)
      if (!(asUnavailable(error) instanceof VectorStoreUnavailableError)) throw error
      return `${this.#database.name}: collection ${name} cannot be read (${(error as Error).message})`
    }
  }

  async chunks(name: string): Promise<StoredChunk[]> {
    return this.#unchanged(name, async (reader) => {
      const all: StoredChunk[] = []
      for await (const { chunk } of inTurns(reader)) all.push(chunk)
      return all
    })
  }

  async vectors(name: string): Promise<StoredVectors | null> {
    const found = unavailableOnFailure(() => this.#live(name))
    if (found === null) return null
    const { generation, info } = found
    let ids: Map<bigint, number> | null = null
    return {
      embeddingModel: info.embeddingModel,
      get: async (texts) => {
        ids ??= await this.#unchanged(name, async (reader) => {
          const found = new Map<bigint, number>()
          for await (const { id, chunk } of inTurns(reader)) found.set(textKey(chunk.indexText), id)
          return found
        })
        const idOf = ids
        return unavailableOnFailure(() =>
          this.#database
            .transaction(() => {
              // A collection that replaced it meanwhile may have other vectors under the same ids.
              if (this.#live(name)?.generation !== generation) return texts.map(() => null)
              const reader = this.#readerOf(info, generation)
              return texts.map((text) => {
                const id = idOf.get(textKey(text))
                return id === undefined ? null : reader.vector(id)
              })
            })
            .deferred(),
        )
      },
    }
  }

  async dense(name: string, vector: Float32Array, limit: number): Promise<SearchHit[]> {
    checkLimit(limit)
    await this.#unchanged(name, (reader) => reader.load())
    return this.#read(name, ({ info, reader }) =>
      hits(
        reader,
        denseLeg(info, reader, vector, limit).map((hit) => ({ ...hit, denseScore: hit.score, keywordScore: null })),
      ),
    )
  }

  async keyword(name: string, text: string, limit: number): Promise<SearchHit[]> {
    checkLimit(limit)
    return this.#read(name, ({ reader }) =>
      hits(
        reader,
        reader.bestMatches(text, limit).map((hit) => ({ ...hit, denseScore: null, keywordScore: hit.score })),
      ),
    )
  }

  async hybrid(name: string, query: HybridQuery): Promise<SearchHit[]> {
    const { text, vector, alpha, limit, fusion = 'relative_score' } = query
    checkHybridQuery(query)
    const depth = Math.max(limit, MIN_LEG_DEPTH)
    if (alpha > 0) await this.#unchanged(name, (reader) => reader.load())
    return this.#read(name, ({ info, reader }) => {
      // A leg without weight is not searched: its finds would only fill the tail with zeros.
      const dense = alpha > 0 ? denseLeg(info, reader, vector, depth) : []
      const keyword = alpha < 1 ? reader.bestMatches(text, depth) : []
      return hits(reader, fuseLegs(dense, keyword, alpha, fusion).slice(0, limit))
    })
  }

  async termStatistics(name: string, text: string): Promise<TermStatistics> {
    return this.#read(name, ({ info, reader }) => ({ passages: info.chunkCount, holding: reader.holding(text) }))
  }

  async releaseVectors(name: string): Promise<void> {
    const known = this.#readers.get(name)
    if (known !== undefined) this.#matrices.delete(known.generation)
  }

  async remove(name: string): Promise<boolean> {
    return unavailableOnFailure(() =>
      this.#database
        .transaction(() => {
          const live = this.#find.get(name)
          if (live === undefined) return false
          this.#database.prepare('DELETE FROM collections WHERE name = ?').run(name)
          this.#drop(live.generation)
          return true
        })
        .immediate(),
    )
  }

  async close(): Promise<void> {
    this.#readers.clear()
    this.#database.close()
  }

  /** Runs a read on one snapshot of the file: which generation is live and what it holds cannot part. */
  #read<Result>(
    name: string,
    read: (collection: { info: CollectionInfo; reader: CollectionReader }) => Result,
  ): Result {
    return unavailableOnFailure(() =>
      this.#database
        .transaction(() => {
          const { info, generation } = this.#require(name)
          return read({ info, reader: this.#readerOf(info, generation) })
        })
        .deferred(),
    )
  }

  /** Runs work that takes several turns, again when the collection was replaced meanwhile. */
  async #unchanged<Result>(name: string, work: (reader: CollectionReader) => Promise<Result>): Promise<Result> {
    for (;;) {
      const { info, generation } = unavailableOnFailure(() => this.#require(name))
      const isReplaced = (): boolean => this.#live(name)?.generation !== generation
      try {
        const result = await work(this.#readerOf(info, generation))
        if (!unavailableOnFailure(isReplaced)) return result
      } catch (error) {
        // Its tables are gone with it.
        if (!this.#database.open || !unavailableOnFailure(isReplaced)) throw asUnavailable(error)
      }
    }
  }

  #readerOf(info: CollectionInfo, generation: number): CollectionReader {
    const known = this.#readers.get(info.name)
    if (known?.generation === generation) return known.reader
    if (known !== undefined) this.#matrices.delete(known.generation)
    const reader = collectionReader(this.#database, info, generation, this.#matrices)
    this.#readers.set(info.name, { generation, reader })
    return reader
  }

  #live(name: string): LiveCollection | null {
    const row = this.#find.get(name)
    return row === undefined ? null : liveCollection(row)
  }

  #require(name: string): LiveCollection {
    const live = this.#live(name)
    if (live === null) throw new UnknownCollectionError(name)
    return live
  }

  #drop(generation: number): void {
    dropGeneration(this.#database, generation)
    this.#matrices.delete(generation)
  }

  /** Cleans up after a write that failed; when that fails too, the generation is swept as abandoned by a later write. */
  #abandon(generation: number): void {
    if (!this.#database.open) return
    try {
      this.#database.transaction(() => dropGeneration(this.#database, generation)).immediate()
    } catch {
      return
    }
  }
}

/** All chunks of a generation; other requests run between two reads. */
async function* inTurns(reader: CollectionReader): AsyncGenerator<{ id: number; chunk: StoredChunk }> {
  const pause = createPauses()
  for (let after = 0; ;) {
    const some = reader.chunksAfter(after)
    if (some.length === 0) return
    yield* some
    after = some.at(-1)!.id
    await pause()
  }
}

const liveCollection = (row: CollectionRow): LiveCollection => ({
  generation: row.generation,
  info: {
    name: row.name,
    dimensions: row.dimensions,
    chunkCount: row.chunk_count,
    contentDigest: row.content_digest,
    embeddingModel: row.embedding_model,
    ...derivationOf(row.derivation),
  },
})

function derivationOf(json: string): { derivation?: Derivation } {
  const read = json === '' ? null : Derivation.safeParse(parsed(json))
  return read?.success === true ? { derivation: read.data } : {}
}

/** Null for what is no JSON: a damaged record is found by the digest of what is stored. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return null
  }
}

function denseLeg(info: CollectionInfo, reader: CollectionReader, vector: Float32Array, limit: number): LegHit[] {
  checkVector(vector, info.dimensions)
  const unit = toUnitLength(vector)
  return unit === null ? [] : reader.nearest(unit, limit)
}

function hits(reader: CollectionReader, found: readonly (Omit<SearchHit, 'chunk'> & { id: number })[]): SearchHit[] {
  return found.map(({ id, score, denseScore, keywordScore }) => ({
    chunk: reader.chunk(id),
    score,
    denseScore,
    keywordScore,
  }))
}
