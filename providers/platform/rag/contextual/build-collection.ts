import { createHash } from 'node:crypto'
import type { ChatCompletion } from '../../../../contract/index.ts'
import { ModelCallError } from '../../models/model-host.ts'
import type { ModelHost } from '../../models/model-host.ts'
import { createPauses } from '../../sliced-work.ts'
import { renderBlurbTask } from '../../models/prompts/blurb-task.ts'
import { embedMissing } from '../../vector-store/stored-vectors.ts'
import type { StoredChunk, VectorStore } from '../../vector-store/vector-store.ts'
import type { ProfileCollections } from '../approach.ts'
import { mapBounded } from '../bounded.ts'
import { RagError } from '../rag-error.ts'
import { requireCollection } from '../steps/collection.ts'
import { withoutThinking } from '../steps/generate.ts'
import type { BlurbCache } from './blurb-cache.ts'
import { outlineOf, type ChunkSection } from './section-of-chunk.ts'

const BLURB_CONCURRENCY = 4
const EMBED_BATCH = 64
/** A blurb that runs on would drown the chunk it introduces. */
const MAX_BLURB_CHARS = 1000

export interface ContextualBuildDeps {
  store: VectorStore
  models: ModelHost
  cache: BlurbCache
  collections: ProfileCollections
  /** Chunks that have their blurb, of all. */
  onProgress?: (done: number, total: number) => void
  signal?: AbortSignal
}

/** Outcome of a build. `blurbs` counts the model calls it made; the others came from the cache. */
export interface ContextualBuild {
  collection: string
  chunks: number
  blurbs: number
  cached_blurbs: number
  content_digest: string
  /** True when the collection was already built from the same chunks and models: nothing was called or written. */
  reused: boolean
  seconds: number
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** What is asked of the blurb model for each chunk, rendered when needed: all at once could exceed the memory. */
async function blurbTasks(chunks: readonly StoredChunk[], pause: () => Promise<void>) {
  const byDocument = Map.groupBy(chunks.keys(), (index) => chunks[index]!.document)
  const documents = new Map<string, { whole: ReassembledDocument; sectionAt: (offset: number) => ChunkSection }>()
  const positions = chunks.map(() => 0)
  for (const [document, indexes] of byDocument) {
    await pause()
    const whole = reassembleDocument(indexes.map((index) => chunks[index]!))
    documents.set(document, { whole, sectionAt: outlineOf(whole.text, chunks[indexes[0]!]!.title) })
    for (const [position, index] of indexes.entries()) positions[index] = position
  }
  return (index: number, maxChars = MAX_DOCUMENT_CHARS) => {
    const { document, title, content } = chunks[index]!
    const { whole, sectionAt } = documents.get(document)!
    const position = positions[index]!
    return renderBlurbTask({
      documentTitle: title,
      ...sectionAt(whole.starts[position]!),
      document: documentAround(whole, position, content.length, maxChars),
      chunk: content,
    })
  }
}

/** Changes with any chunk, any word of the blurb prompts, the blurb model and the embedding model. */
function digestOf(chunks: readonly StoredChunk[], keys: readonly string[], embedModel: string): string {
  const hash = createHash('sha256').update(JSON.stringify(['contextual', 1, embedModel]))
  for (const [index, chunk] of chunks.entries()) {
    const { document, title, chunkIndex, startChar, endChar, content, indexText } = chunk
    hash.update(JSON.stringify([document, title, chunkIndex, startChar, endChar, content, indexText, keys[index]]))
  }
  return hash.digest('hex')
}

/** Shows the model less of the document, by half each time, where its context is too small. */
async function askBlurb(
  deps: ContextualBuildDeps,
  chunk: StoredChunk,
  task: (maxChars: number) => ReturnType<typeof renderBlurbTask>,
  maxChars = MAX_DOCUMENT_CHARS,
): Promise<string> {
  const asked = { messages: task(maxChars), temperature: 0 }
  let completion: ChatCompletion
  try {
    completion = await deps.models.chat('contextual_blurb', asked, deps.signal)
  } catch (error) {
    const less = maxChars / 2
    const isTooLong = error instanceof ModelCallError && error.code === 'context_length_exceeded'
    if (!isTooLong || less < LEAST_DOCUMENT_CHARS) throw error
    return askBlurb(deps, chunk, task, less)
  }
  const blurb = withoutThinking(completion.choices[0]?.message.content ?? '').slice(0, MAX_BLURB_CHARS)
  if (blurb === '')
    throw new RagError(
      'model_answer_invalid',
      `the blurb model returned no text for chunk ${chunk.chunkIndex} of ${chunk.document}`,
    )
  return blurb
}

/** Chunks that the collection has already, blurb included, keep their vectors. */
async function embedAll(
  deps: ContextualBuildDeps,
  texts: readonly string[],
  pause: () => Promise<void>,
): Promise<Float32Array[]> {
  const { store, models, collections, signal = new AbortController().signal } = deps
  const { embed } = await embedMissing(store, collections.contextual, models.embeddingSpace(), (some, within) =>
    models.embed('embed', some, 'document', within),
  )
  const vectors: Float32Array[] = []
  for (let start = 0; start < texts.length; start += EMBED_BATCH) {
    signal.throwIfAborted()
    await pause()
    vectors.push(...(await embed(texts.slice(start, start + EMBED_BATCH), signal)))
  }
  if (vectors.length !== texts.length)
    throw new RagError(
      'model_answer_invalid',
      `the embedding model returned ${vectors.length} vectors for ${texts.length} texts`,
    )
  return vectors
}

/**
 * Derives the contextual collection from a profile's plain chunks: each is indexed with a blurb before it that states where it is in its
 * document. Blurbs are kept as they come, so a build that failed pays only for the missing ones. Nothing of an existing collection
 * is touched before all blurbs and vectors are there; then it is replaced at once.
 */
export async function buildContextual(deps: ContextualBuildDeps): Promise<ContextualBuild> {
  const started = performance.now()
  const { store, models, cache, collections } = deps
  const plain = await requireCollection('plain', deps)
  const chunks = await store.chunks(plain.name)
  if (chunks.length === 0)
    throw new RagError(
      'collection_missing',
      `collection ${plain.name} holds no chunks: ingest profile '${collections.profile}' first`,
    )
  const pause = createPauses(deps.signal)
  const taskOf = await blurbTasks(chunks, pause)
  const blurbModel = models.modelName('contextual_blurb')
  const embedModel = models.embeddingSpace()
  const keys: string[] = []
  for (const index of chunks.keys()) {
    await pause()
    keys.push(sha256(JSON.stringify([blurbModel, taskOf(index)])))
  }
  const contentDigest = digestOf(chunks, keys, embedModel)
  const head = { collection: collections.contextual, chunks: chunks.length, content_digest: contentDigest }
  const seconds = () => (performance.now() - started) / 1000

  const existing = await store.info(collections.contextual)
  if (existing?.contentDigest === contentDigest)
    return { ...head, blurbs: 0, cached_blurbs: 0, reused: true, seconds: seconds() }

  let done = 0
  let asked = 0
  deps.onProgress?.(done, chunks.length)
  const blurbs = await mapBounded(chunks, BLURB_CONCURRENCY, async (chunk, index) => {
    deps.signal?.throwIfAborted()
    // Kept blurbs come without a wait.
    await pause()
    const key = keys[index]!
    let blurb = cache.get(key)
    if (blurb === null) {
      asked += 1
      blurb = await askBlurb(deps, chunk, (maxChars) => taskOf(index, maxChars))
      cache.put(key, blurbModel, blurb)
    }
    done += 1
    deps.onProgress?.(done, chunks.length)
    return blurb
  })
  const contextual = chunks.map((chunk, index) => ({ ...chunk, indexText: `${blurbs[index]!}\n\n${chunk.indexText}` }))
  const embeddings = await embedAll(
    deps,
    contextual.map((chunk) => chunk.indexText),
    pause,
  )
  const dimensions = embeddings[0]!.length
  await store.replace(
    collections.contextual,
    { dimensions, contentDigest, embeddingModel: embedModel },
    contextual,
    embeddings,
  )
  return { ...head, blurbs: asked, cached_blurbs: chunks.length - asked, reused: false, seconds: seconds() }
}

/** Longest document text put beside a chunk, in UTF-16 units: beyond it small models lose the chunk. */
export const MAX_DOCUMENT_CHARS = 24_000

/** Less would not describe the document. */
const LEAST_DOCUMENT_CHARS = 1500
const HEAD_SHARE = 1 / 6
const CUT = '\n[…]\n'

/** A document put together from its chunks, and where each chunk's text starts in it. */
interface ReassembledDocument {
  text: string
  starts: number[]
}

/** What was between two chunks was white space; a paragraph break when there was room for one. */
function filler(gap: number): string {
  if (gap <= 0) return ''
  return gap === 1 ? ' ' : '\n\n'
}

/** Joins the chunks of one document by their offsets; text that overlapping chunks share appears once. */
export function reassembleDocument(chunks: readonly StoredChunk[]): ReassembledDocument {
  const starts = chunks.map(() => 0)
  const order = chunks.map((_, index) => index).sort((a, b) => chunks[a]!.startChar - chunks[b]!.startChar)
  let text = ''
  let end: number | null = null
  for (const index of order) {
    const chunk = chunks[index]!
    if (end === null || chunk.startChar >= end) {
      text += filler(end === null ? 0 : chunk.startChar - end)
      starts[index] = text.length
      text += chunk.content
      end = chunk.endChar
    } else {
      const shared = end - chunk.startChar
      starts[index] = Math.max(0, text.length - shared)
      text += chunk.content.slice(shared)
      end = Math.max(end, chunk.endChar)
    }
  }
  return { text, starts }
}

/** The document, or for a long one its beginning and the surroundings of the chunk. */
export function documentAround(
  document: ReassembledDocument,
  index: number,
  chunkLength: number,
  maxChars = MAX_DOCUMENT_CHARS,
): string {
  const { text, starts } = document
  if (text.length <= maxChars) return text
  const head = Math.floor(maxChars * HEAD_SHARE)
  const middle = starts[index]! + chunkLength / 2
  const room = maxChars - head - 2 * CUT.length
  const from = Math.max(0, Math.min(Math.round(middle - room / 2), text.length - room))
  if (from <= head) return text.slice(0, maxChars - CUT.length) + CUT
  const rest = text.slice(from, from + room)
  return `${text.slice(0, head)}${CUT}${rest}${from + room < text.length ? CUT : ''}`
}
