import type { Derivation } from '../../../../contract/evidence/derivation.ts'
import type { TermStatistics } from '../../models/model-host.ts'
import { createPauses } from '../graph-engine/sliced-work.ts'

/** A chunk as it is stored: `content` is what answers quote, `indexText` what is embedded and searched by keyword. */
export interface StoredChunk {
  document: string
  title: string
  chunkIndex: number
  startChar: number
  endChar: number
  content: string
  indexText: string
}

export interface CollectionInfo {
  name: string
  dimensions: number
  chunkCount: number
  /** Digest of the source of the collection; equal digests need no rebuild. */
  contentDigest: string
  embeddingModel: string
  /** Holds what made it; absent from collections of earlier versions. */
  derivation?: Derivation | undefined
}

export interface SearchHit {
  chunk: StoredChunk
  /** Fused score of the search that returned the hit; higher is better. */
  score: number
  /** Cosine similarity, where the dense leg ranked this chunk and the store reports it. */
  denseScore: number | null
  /** BM25 as a positive number, where the keyword leg ranked this chunk and the store reports it. */
  keywordScore: number | null
}

export type Fusion = 'relative_score' | 'ranked'

export interface HybridQuery {
  text: string
  vector: Float32Array
  /** 0 is keyword only, 1 is dense only. */
  alpha: number
  limit: number
  fusion?: Fusion
}

export type CollectionSource = Omit<CollectionInfo, 'name' | 'chunkCount'>

/** Vectors by position, such as an array of them. One that reads them from a file gives the same vector each time. */
export interface VectorList {
  readonly length: number
  at(index: number): Float32Array | undefined
}

export interface ReplaceOptions {
  /**
   * Runs right before the new collection becomes live; when it throws, the old one stays and the error is rethrown.
   */
  beforeSwitch?: () => void | Promise<void>
}

/** Named collections of chunks with dense, keyword and hybrid search. Throws `UnknownCollectionError` for a missing name. */
export interface VectorStore {
  info(name: string): Promise<CollectionInfo | null>
  list(): Promise<CollectionInfo[]>
  /**
   * Replaces the whole collection at once: readers see the old one or the new one, never a mixture, and a failure leaves the old
   * one. Throws `CountMismatchError` or `InvalidVectorError` before anything is touched when chunks and
   * embeddings differ in number or are empty, or a vector is not finite or has another dimension.
   */
  replace(
    name: string,
    source: CollectionSource,
    chunks: readonly StoredChunk[],
    embeddings: VectorList,
    options?: ReplaceOptions,
  ): Promise<CollectionInfo>
  /** All chunks in document and chunk order. */
  chunks(name: string): Promise<StoredChunk[]>
  /** The vectors of a collection, to write it again without embedding what it has; null for a missing name. */
  vectors(name: string): Promise<StoredVectors | null>
  dense(name: string, vector: Float32Array, limit: number): Promise<SearchHit[]>
  keyword(name: string, text: string, limit: number): Promise<SearchHit[]>
  hybrid(name: string, query: HybridQuery): Promise<SearchHit[]>
  /** Returns how many chunks hold each content word of a text, as the keyword index matches words. */
  termStatistics(name: string, text: string): Promise<TermStatistics>
  /**
   * Compares everything that is stored of a collection with the digest that was made when it was written: null when it is intact, else what is
   * wrong, with its file. Null also for a missing one. Absent where a server keeps the collections.
   */
  damage?(name: string, signal?: AbortSignal): Promise<string | null>
  /** Lets go of vectors that earlier searches keep in memory; the next search reads them again. */
  releaseVectors(name: string): Promise<void>
  remove(name: string): Promise<boolean>
  close(): Promise<void>
}

export interface StoredVectors {
  embeddingModel: string
  /** Vectors by the index texts that they were made from; null for a text that the collection does not have, or has no longer. */
  get(texts: readonly string[]): Promise<(Float32Array | null)[]>
}

/** No collection of that name: it was never written, or was removed. */
export class UnknownCollectionError extends Error {
  override readonly name = 'UnknownCollectionError'
  readonly code = 'unknown_collection'
  readonly collection: string

  constructor(collection: string) {
    super(`unknown collection '${collection}'`)
    this.collection = collection
  }
}

/** Chunks and embeddings differ in number, or there are none; the existing collection is untouched. */
export class CountMismatchError extends Error {
  override readonly name = 'CountMismatchError'
  readonly code = 'count_mismatch'
  readonly chunkCount: number
  readonly embeddingCount: number

  constructor(collection: string, chunkCount: number, embeddingCount: number) {
    super(`collection '${collection}': ${chunkCount} chunks and ${embeddingCount} embeddings`)
    this.chunkCount = chunkCount
    this.embeddingCount = embeddingCount
  }
}

/** A vector of the wrong dimension or with a component that is not finite. */
export class InvalidVectorError extends Error {
  override readonly name = 'InvalidVectorError'
  readonly code = 'invalid_vector'
}

/** The store's file cannot be read or written: busy, full, read-only, damaged or on a file system without shared memory. */
export class VectorStoreUnavailableError extends Error {
  override readonly name = 'VectorStoreUnavailableError'
  readonly code = 'vector_store_unavailable'
}

/** Refuses what `replace` must not store, before it touches anything: `CountMismatchError`, `InvalidVectorError`. */
export async function checkInput(
  name: string,
  { dimensions }: CollectionSource,
  chunks: readonly StoredChunk[],
  embeddings: VectorList,
): Promise<void> {
  if (chunks.length === 0 || chunks.length !== embeddings.length)
    throw new CountMismatchError(name, chunks.length, embeddings.length)
  const pause = createPauses()
  for (let index = 0; index < embeddings.length; index += 1) {
    checkVector(embeddings.at(index)!, dimensions)
    await pause()
  }
}

/** Throws `InvalidVectorError`. */
export function checkVector(vector: Float32Array, dimensions: number): void {
  if (vector.length !== dimensions)
    throw new InvalidVectorError(`a vector has ${vector.length} dimensions where the collection has ${dimensions}`)
  if (!vector.every(Number.isFinite)) throw new InvalidVectorError('a vector has a component that is not finite')
}

/** Throws `RangeError`. */
export function checkLimit(limit: number): void {
  if (!Number.isInteger(limit) || limit < 1) throw new RangeError(`limit must be a positive integer, not ${limit}`)
}

/** Throws `RangeError`. */
export function checkHybridQuery({ alpha, limit }: HybridQuery): void {
  if (!(alpha >= 0 && alpha <= 1)) throw new RangeError(`alpha must be between 0 and 1, not ${alpha}`)
  checkLimit(limit)
}

/** Positions of the chunks in document and chunk order: the order of ids, and so of ties. */
export function documentOrder(chunks: readonly StoredChunk[]): number[] {
  return chunks
    .map((_, index) => index)
    .sort((left, right) => {
      const [a, b] = [chunks[left]!, chunks[right]!]
      if (a.document !== b.document) return a.document < b.document ? -1 : 1
      return a.chunkIndex - b.chunkIndex
    })
}
