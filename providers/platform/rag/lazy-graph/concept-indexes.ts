import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { giveBackFreedMemory } from '../../freed-memory.ts'
import { createPauses } from '../../sliced-work.ts'
import type { CollectionInfo, StoredChunk, VectorStore } from '../../vector-store/vector-store.ts'
import { buildConceptIndex } from './build-index.ts'
import { ConceptGraph } from './concept-graph.ts'
import { EXTRACTOR_VERSION } from './concept-index.ts'
import { readIndexFile, writeIndexFile } from './index-file.ts'
import { keepChunks } from './kept-chunks.ts'

export interface LoadedGraph {
  graph: ConceptGraph
  /** True when nothing had to be extracted: the index was in memory or in its file. */
  cacheHit: boolean
  /** How long this request waited for the index. */
  seconds: number
  /** Names the cache entry: collection and settings. */
  namespace: string
}

/** The concept graphs of collections, each built once and kept in memory and in one file. */
export interface ConceptIndexes {
  load(collection: CollectionInfo, maxConcepts: number): Promise<LoadedGraph>
}

interface Loaded {
  graph: ConceptGraph
  fromFile: boolean
}

interface Entry {
  collectionDigest: string
  loading: Promise<Loaded>
}

async function fingerprintOf(chunks: readonly StoredChunk[], maxConcepts: number): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify([EXTRACTOR_VERSION, maxConcepts]))
  const pause = createPauses()
  for (const { document, title, chunkIndex, content } of chunks) {
    hash.update(JSON.stringify([document, title, chunkIndex, content]))
    await pause()
  }
  return hash.digest('hex')
}

/** Keeps the indexes below `folder`, one file per collection and setting, replaced when the collection's content changes. */
export function createConceptIndexes(store: VectorStore, folder: string): ConceptIndexes {
  const entries = new Map<string, Entry>()

  /** A function of its own, so that nothing keeps the texts that were read once they are kept in another form. */
  async function readChunks(collection: string, maxConcepts: number) {
    const chunks = await store.chunks(collection)
    return { fingerprint: await fingerprintOf(chunks, maxConcepts), chunks: await keepChunks(chunks) }
  }

  async function loadOrBuild(collection: string, maxConcepts: number, file: string): Promise<Loaded> {
    // What follows needs much memory for a while, and no vectors: the next search reads them again.
    await store.releaseVectors(collection)
    giveBackFreedMemory()
    const { chunks, fingerprint } = await readChunks(collection, maxConcepts)
    const cached = await readIndexFile(file, fingerprint)
    if (cached !== null) return { graph: new ConceptGraph(cached, chunks), fromFile: true }
    const index = await buildConceptIndex(chunks, maxConcepts, fingerprint)
    giveBackFreedMemory()
    await writeIndexFile(file, index)
    return { graph: new ConceptGraph(index, chunks), fromFile: false }
  }

  async function load(collection: CollectionInfo, maxConcepts: number): Promise<LoadedGraph> {
    const started = performance.now()
    const namespace = `${collection.name}-concepts-${maxConcepts}`
    const collectionDigest = `${collection.contentDigest} ${collection.chunkCount}`
    let entry = entries.get(namespace)
    const inMemory = entry?.collectionDigest === collectionDigest
    if (entry === undefined || !inMemory) {
      entry = {
        collectionDigest,
        loading: loadOrBuild(collection.name, maxConcepts, join(folder, `${namespace}.json`)),
      }
      entries.set(namespace, entry)
    }
    try {
      const { graph, fromFile } = await entry.loading
      return { graph, cacheHit: inMemory || fromFile, seconds: (performance.now() - started) / 1000, namespace }
    } catch (error) {
      if (entries.get(namespace) === entry) entries.delete(namespace)
      throw error
    }
  }

  return { load }
}
