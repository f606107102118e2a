import { createHash, hash } from 'node:crypto'
import { canonicalJson } from '../../../../core/canonical-json.ts'
import type { Derivation } from '../../../../contract/evidence/derivation.ts'
import type { ChatCompletion } from '../../../../contract/http/chat.ts'
import { isTooLong } from '../../models/model-host.ts'
import { createPauses } from '../../stores/graph-engine/sliced-work.ts'
import { renderBlurbTask } from '../../models/prompts/blurb-task.ts'
import type { BlurbTask } from '../../models/prompts/blurb-task.ts'
import type { StoredChunk } from '../../stores/vector-store/vector-store.ts'
import { mapBounded } from '../bounded.ts'
import {
  embedAll,
  isOwnFault,
  mostFailedOf,
  plainChunks,
  removeDamaged,
  type DerivedBuildDeps,
} from '../derived-collection.ts'
import { RagError } from '../rag-error.ts'
import { withoutThinking } from '../../../../core/thinking.ts'
import { outlineOf, type ChunkSection } from './section-of-chunk.ts'

const BLURB_CONCURRENCY = 4
/** A blurb that runs on would drown the chunk it introduces. */
const MAX_BLURB_CHARS = 1000

/** Outcome of a build. `blurbs` counts the model calls it made; the others came from the cache. */
export interface ContextualBuild {
  collection: string
  chunks: number
  blurbs: number
  cached_blurbs: number
  /** Chunks that are indexed without a blurb because its call failed, and how the first of them failed. The next build asks for them again. */
  failed: number
  failure: string | null
  content_digest: string
  /** States what was wrong with the collection that was there, and in which file; absent where it was intact. */
  damage?: string
  /** True when the collection was already built from the same chunks and models: nothing was called or written. */
  reused: boolean
  seconds: number
}

/** Returns what is asked of the blurb model for each chunk, rendered when needed: all at once could exceed the memory. */
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

const EMPTY_TASK: BlurbTask = { documentTitle: '', headings: [], before: '', document: '', chunk: '' }

/** Version of the code that writes contexts by rules and puts them before chunks; raised when either gives something else for the same chunks. */
export const CONTEXTS_CODE = 'contexts 1'

/** Digest of every chunk and of every word of the prompts. */
function inputDigest(chunks: readonly StoredChunk[], keys: readonly string[]): string {
  const digest = createHash('sha256')
  for (const [index, chunk] of chunks.entries()) {
    const { document, title, chunkIndex, startChar, endChar, content, indexText } = chunk
    digest.update(JSON.stringify([document, title, chunkIndex, startChar, endChar, content, indexText, keys[index]]))
  }
  return digest.digest('hex')
}

/** Shows the model less of the document, by half each time, where its context is too small. */
async function askBlurb(
  deps: DerivedBuildDeps,
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
    if (!isTooLong(error) || less < LEAST_DOCUMENT_CHARS) throw error
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

/**
 * Derives the contextual collection from a profile's plain chunks: each is indexed with a blurb before it that states where it is in its
 * document. Blurbs are kept as they come, so a build that failed pays only for the missing ones. Nothing of an existing collection
 * is touched before all blurbs and vectors are there; then it is replaced at once.
 */
export async function buildContextual(deps: DerivedBuildDeps): Promise<ContextualBuild> {
  const started = performance.now()
  const { store, models, cache, collections } = deps
  const chunks = await plainChunks(deps)
  const pause = createPauses(deps.signal)
  const taskOf = await blurbTasks(chunks, pause)
  const blurbModel = models.writer('contextual_blurb')
  // A model's text is paid for, and depends on its prompt alone; rules depend on their code.
  const writer = models.isBuiltin('contextual_blurb') ? `${blurbModel}, ${CONTEXTS_CODE}` : blurbModel
  const embedModel = models.embeddingSpace()
  const keys: string[] = []
  for (const index of chunks.keys()) {
    await pause()
    keys.push(hash('sha256', JSON.stringify([writer, taskOf(index)])))
  }
  const derivation: Derivation = {
    artefact: 'contexts',
    input: inputDigest(chunks, keys),
    code: CONTEXTS_CODE,
    model: blurbModel,
    prompt: hash('sha256', JSON.stringify(renderBlurbTask(EMPTY_TASK))).slice(0, 16),
    embedding: embedModel,
  }
  const contentDigest = hash('sha256', canonicalJson(derivation))
  const seconds = () => (performance.now() - started) / 1000

  const damage = await removeDamaged(collections.contextual, deps)
  const head = {
    collection: collections.contextual,
    chunks: chunks.length,
    content_digest: contentDigest,
    ...(damage === null ? {} : { damage }),
  }
  const existing = await store.info(collections.contextual)
  if (existing?.contentDigest === contentDigest)
    return { ...head, blurbs: 0, cached_blurbs: 0, failed: 0, failure: null, reused: true, seconds: seconds() }

  let done = 0
  let asked = 0
  const failures = new Map<number, string>()
  const mostFailed = mostFailedOf(chunks.length)
  deps.onProgress?.(done, chunks.length)
  const blurbs = await mapBounded(chunks, BLURB_CONCURRENCY, async (chunk, index) => {
    deps.signal?.throwIfAborted()
    // Kept blurbs come without a wait.
    await pause()
    const key = keys[index]!
    let blurb = cache.get(key)
    if (blurb === null) {
      asked += 1
      try {
        blurb = await askBlurb(deps, chunk, (maxChars) => taskOf(index, maxChars))
        cache.put(key, blurbModel, blurb)
      } catch (error) {
        if (!isOwnFault(error) || deps.signal?.aborted === true || failures.size >= mostFailed) throw error
        failures.set(index, error.message)
        deps.logger?.warn(
          `chunk ${chunk.chunkIndex} of ${chunk.document} is indexed without its context: ${error.message}`,
        )
      }
    }
    done += 1
    deps.onProgress?.(done, chunks.length)
    return blurb
  })
  const contextual = chunks.map((chunk, index) => ({
    ...chunk,
    indexText: blurbs[index] === null ? chunk.indexText : `${blurbs[index]!}\n\n${chunk.indexText}`,
  }))
  const texts = contextual.map((chunk) => chunk.indexText)
  const embeddings = await embedAll(deps, collections.contextual, texts)
  const dimensions = embeddings[0]!.length
  const failed = failures.size
  // Without some of its contexts the collection is another one, which the next build completes.
  const digest =
    failed === 0
      ? contentDigest
      : hash('sha256', JSON.stringify([contentDigest, [...failures.keys()].sort((a, b) => a - b)]))
  const made =
    failed === 0 ? derivation : { ...derivation, contexts: { chunks: chunks.length, without_context: failed } }
  await store.replace(
    collections.contextual,
    { dimensions, contentDigest: digest, embeddingModel: embedModel, derivation: made },
    contextual,
    embeddings,
  )
  return {
    ...head,
    content_digest: digest,
    blurbs: asked - failed,
    cached_blurbs: chunks.length - asked,
    failed,
    failure: failures.values().next().value ?? null,
    reused: false,
    seconds: seconds(),
  }
}

/** Longest document text put beside a chunk, in UTF-16 units: beyond it small models lose the chunk. */
export const MAX_DOCUMENT_CHARS = 24_000

/** Less would not describe the document. */
const LEAST_DOCUMENT_CHARS = 1500
const HEAD_SHARE = 1 / 6
/** The surroundings of a chunk in a long document move on by so many parts of their length. */
const SHARED_STEPS = 4
const CUT = '\n[…]\n'

/** A document put together from its chunks, and where each chunk's text starts in it. */
interface ReassembledDocument {
  text: string
  starts: number[]
}

/** Restores what was between two chunks: white space, or a paragraph break when there was room for one. */
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
  // Neighbouring chunks share their surroundings, so that a service's prompt cache serves them too.
  const step = Math.floor(room / SHARED_STEPS)
  const wanted = Math.round((middle - room / 2) / step) * step
  const from = Math.max(0, Math.min(wanted, text.length - room))
  if (from <= head) return text.slice(0, maxChars - CUT.length) + CUT
  const rest = text.slice(from, from + room)
  return `${text.slice(0, head)}${CUT}${rest}${from + room < text.length ? CUT : ''}`
}
