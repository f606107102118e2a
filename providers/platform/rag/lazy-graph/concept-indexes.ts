import { createHash, randomBytes } from 'node:crypto'
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { CollectionInfo, StoredChunk, VectorStore } from '../../vector-store/vector-store.ts'
import { buildConceptIndex } from './build-index.ts'
import { ConceptGraph } from './concept-graph.ts'
import { chunkConceptsOf } from './chunk-concepts.ts'
import { EXTRACTOR_VERSION, StoredConceptIndex } from './concept-index.ts'
import type { ConceptIndex } from './concept-index.ts'
import { stemHoldersOf } from './stem-holders.ts'

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

function fingerprintOf(chunks: readonly StoredChunk[], maxConcepts: number): string {
  const hash = createHash('sha256').update(JSON.stringify([EXTRACTOR_VERSION, maxConcepts]))
  for (const { document, title, chunkIndex, content } of chunks)
    hash.update(JSON.stringify([document, title, chunkIndex, content]))
  return hash.digest('hex')
}

/** Keeps the indexes below `folder`, one file per collection and setting, replaced when the collection's content changes. */
export function createConceptIndexes(store: VectorStore, folder: string): ConceptIndexes {
  const entries = new Map<string, Entry>()

  async function loadOrBuild(collection: string, maxConcepts: number, file: string): Promise<Loaded> {
    const chunks = await store.chunks(collection)
    const fingerprint = fingerprintOf(chunks, maxConcepts)
    const cached = await readIndexFile(file, fingerprint)
    if (cached !== null) return { graph: new ConceptGraph(cached, chunks), fromFile: true }
    const index = await buildConceptIndex(chunks, maxConcepts, fingerprint)
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

/** A cached index, or null when there is none for this fingerprint. A file that cannot be understood is as good as none. */
export async function readIndexFile(file: string, fingerprint: string): Promise<ConceptIndex | null> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
  try {
    const parsed = StoredConceptIndex.safeParse(JSON.parse(text))
    if (!parsed.success || parsed.data.fingerprint !== fingerprint) return null
    const { chunks, terms, ...rest } = parsed.data
    return { ...rest, chunks: chunkConceptsOf(chunks), terms: stemHoldersOf(terms) }
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Chunks, or stems, in one piece of the file. */
const AT_ONCE = 500

/** The file's text in pieces: all of it at once would be a list of lists again. */
function* storedForm({ fingerprint, concepts, chunks, singles, terms, edges }: ConceptIndex): Generator<string> {
  const head = JSON.stringify({ fingerprint, concepts })
  yield `${head.slice(0, -1)},"chunks":[`
  yield* inPieces(chunks)
  yield `],"terms":[`
  yield* inPieces(terms)
  yield `],${JSON.stringify({ singles, edges }).slice(1)}`
}

function* inPieces(items: Iterable<unknown>): Generator<string> {
  let piece: string[] = []
  let separator = ''
  for (const item of items) {
    piece.push(JSON.stringify(item))
    if (piece.length < AT_ONCE) continue
    yield separator + piece.join(',')
    piece = []
    separator = ','
  }
  if (piece.length > 0) yield separator + piece.join(',')
}

/** Replaces the cached index at once: a reader sees the old file or the new one, whenever the process dies. */
export async function writeIndexFile(file: string, index: ConceptIndex): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  const temporary = `${file}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`
  try {
    const handle = await open(temporary, 'wx')
    try {
      await handle.writeFile(storedForm(index))
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, file)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  // Windows cannot open a folder for syncing; its rename is durable on its own.
  if (process.platform !== 'win32') await syncFolder(dirname(file))
}
