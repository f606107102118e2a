import type { TermStatistics } from '../models/model-host.ts'

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
}

export interface SearchHit {
  chunk: StoredChunk
  /** Fused score of the search that returned the hit; higher is better. */
  score: number
  /** Cosine similarity, where the dense leg ranked this chunk. */
  denseScore: number | null
  /** BM25 as a positive number, where the keyword leg ranked this chunk. */
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

export interface ReplaceOptions {
  /** Runs inside the transaction that makes the new collection live; when it throws, the old one stays and the error is rethrown. */
  beforeSwitch?: () => void
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
    embeddings: readonly Float32Array[],
    options?: ReplaceOptions,
  ): Promise<CollectionInfo>
  /** All chunks in document and chunk order. */
  chunks(name: string): Promise<StoredChunk[]>
  dense(name: string, vector: Float32Array, limit: number): Promise<SearchHit[]>
  keyword(name: string, text: string, limit: number): Promise<SearchHit[]>
  hybrid(name: string, query: HybridQuery): Promise<SearchHit[]>
  /** How many chunks hold each content word of a text, as the keyword index matches words. */
  termStatistics(name: string, text: string): Promise<TermStatistics>
  remove(name: string): Promise<boolean>
  close(): Promise<void>
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
