import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Derivation } from '../../../../contract/evidence/derivation.ts'
import { giveBackFreedMemory } from '../../models/freed-memory.ts'
import { createPauses } from '../../stores/graph-engine/sliced-work.ts'
import {
  documentOrder,
  type CollectionInfo,
  type StoredChunk,
  type VectorStore,
} from '../../stores/vector-store/vector-store.ts'
import { indexOfRecords } from './build-index.ts'
import { ConceptGraph } from './concept-graph.ts'
import { EXTRACTOR_VERSION } from './concept-index.ts'
import { readIndexFile, writeIndexFile } from './index-file.ts'
import { keepChunks, type Chunks } from './kept-chunks.ts'
import { readRecords } from './read-records.ts'
import { readRecordsFile, writeRecordsFile } from './records-file.ts'

export interface LoadedGraph {
  graph: ConceptGraph
  /** True when nothing had to be extracted: the index was in memory or in its file. */
  cacheHit: boolean
  /** States how long this request waited for the index. */
  seconds: number
  /** Names the cache entry: collection and settings. */
  namespace: string
  /** Holds what made the index. */
  derivation: Derivation
}

/** The concept graphs of collections, kept in memory and in files. They follow changes: chunks whose text and title did not change are not read again. */
export interface ConceptIndexes {
  load(collection: CollectionInfo, maxConcepts: number): Promise<LoadedGraph>
  /**
   * Makes the graphs that questions have loaded of a collection ready for chunks that will replace its own, so that no question waits for them. Until
   * the collection is replaced, questions use the graphs of its present chunks.
   */
  prepare(collection: string, contentDigest: string, chunks: readonly StoredChunk[]): Promise<void>
}

interface Loaded {
  graph: ConceptGraph
  fromFile: boolean
}

/** The graph of one state of a collection. */
interface State {
  collectionDigest: string
  loading: Promise<Loaded>
}

interface Entry {
  collection: string
  maxConcepts: number
  now: State
  /** Prepared for the chunks that will replace the present ones. */
  next: State | null
}

const derivationOf = (input: string, maxConcepts: number): Derivation => ({
  artefact: 'concepts',
  input,
  code: `concepts ${EXTRACTOR_VERSION}`,
  max_concepts: maxConcepts,
})

async function fingerprintOf(chunks: readonly StoredChunk[], maxConcepts: number): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify([EXTRACTOR_VERSION, maxConcepts]))
  const pause = createPauses()
  for (const { document, title, chunkIndex, content } of chunks) {
    hash.update(JSON.stringify([document, title, chunkIndex, content]))
    await pause()
  }
  return hash.digest('hex')
}

const digestOf = (contentDigest: string, chunkCount: number): string => `${contentDigest} ${chunkCount}`

/** Keeps the indexes below `folder`, one file per collection and setting, and what was read in the chunks of each collection. */
export function createConceptIndexes(store: VectorStore, folder: string): ConceptIndexes {
  const entries = new Map<string, Entry>()
  const namespaceOf = (collection: string, maxConcepts: number): string => `${collection}-concepts-${maxConcepts}`

  /** A function of its own, so that nothing keeps the texts that were read once they are kept in another form. */
  async function readStore(collection: string, maxConcepts: number) {
    const chunks = await store.chunks(collection)
    return { fingerprint: await fingerprintOf(chunks, maxConcepts), chunks: await keepChunks(chunks) }
  }

  async function loadOrBuild(collection: string, maxConcepts: number): Promise<Loaded> {
    // The next step may need much memory for a while, and no vectors: the next search reads them again.
    await store.releaseVectors(collection)
    giveBackFreedMemory()
    const { chunks, fingerprint } = await readStore(collection, maxConcepts)
    const cached = await readIndexFile(join(folder, `${namespaceOf(collection, maxConcepts)}.json`), fingerprint)
    if (cached !== null) return { graph: new ConceptGraph(cached, chunks), fromFile: true }
    return build(collection, maxConcepts, chunks, fingerprint)
  }

  async function build(collection: string, maxConcepts: number, chunks: Chunks, fingerprint: string): Promise<Loaded> {
    const recordsFile = join(folder, `${collection}-chunks.gz`)
    const records = await readRecords(chunks, await readRecordsFile(recordsFile))
    await writeRecordsFile(recordsFile, records)
    const index = await indexOfRecords(records, maxConcepts, fingerprint)
    giveBackFreedMemory()
    await writeIndexFile(join(folder, `${namespaceOf(collection, maxConcepts)}.json`), index)
    return { graph: new ConceptGraph(index, chunks), fromFile: false }
  }

  async function prepare(collection: string, contentDigest: string, chunks: readonly StoredChunk[]): Promise<void> {
    const loaded = [...entries.values()].filter((entry) => entry.collection === collection)
    if (loaded.length === 0) return
    const ordered = documentOrder(chunks).map((position) => chunks[position]!)
    const kept = await keepChunks(ordered)
    for (const entry of loaded) {
      const { maxConcepts } = entry
      const loading = fingerprintOf(ordered, maxConcepts).then((fingerprint) =>
        build(collection, maxConcepts, kept, fingerprint),
      )
      const state = { collectionDigest: digestOf(contentDigest, chunks.length), loading }
      await loading
      entry.next = state
    }
  }

  /** The state of an entry for a digest, which becomes its present one. */
  function stateOf(entry: Entry | undefined, collectionDigest: string): State | null {
    if (entry?.next?.collectionDigest === collectionDigest) {
      entry.now = entry.next
      entry.next = null
    }
    return entry?.now.collectionDigest === collectionDigest ? entry.now : null
  }

  async function load(collection: CollectionInfo, maxConcepts: number): Promise<LoadedGraph> {
    const started = performance.now()
    const { name } = collection
    const namespace = namespaceOf(name, maxConcepts)
    let digest = digestOf(collection.contentDigest, collection.chunkCount)
    let state = stateOf(entries.get(namespace), digest)
    if (state === null) {
      // The collection may have been replaced since the caller looked: what is built is what the store has.
      const current = (await store.info(name)) ?? collection
      digest = digestOf(current.contentDigest, current.chunkCount)
      state = stateOf(entries.get(namespace), digest)
    }
    const inMemory = state !== null
    if (state === null) {
      state = { collectionDigest: digest, loading: loadOrBuild(name, maxConcepts) }
      entries.set(namespace, { collection: name, maxConcepts, now: state, next: null })
    }
    try {
      const { graph, fromFile } = await state.loading
      return {
        graph,
        cacheHit: inMemory || fromFile,
        seconds: (performance.now() - started) / 1000,
        namespace,
        derivation: derivationOf(graph.index.fingerprint, maxConcepts),
      }
    } catch (error) {
      if (entries.get(namespace)?.now === state) entries.delete(namespace)
      throw error
    }
  }

  return { load, prepare }
}
