// The parts that every collection derived from the plain chunks of a profile shares: the contextual one and the tree.
import type { Logger } from '../../kit/logger.ts'
import { ModelCallError, type ModelCallErrorCode, type ModelHost } from '../models/model-host.ts'
import { createPauses } from '../stores/graph-engine/sliced-work.ts'
import { embedMissing } from '../stores/vector-store/stored-vectors.ts'
import type { StoredChunk, VectorStore } from '../stores/vector-store/vector-store.ts'
import type { ProfileCollections } from './approach.ts'
import type { BlurbCache } from './contextual/blurb-cache.ts'
import { RagError, type RagErrorCode } from './rag-error.ts'
import { requireCollection } from './steps/collection.ts'

export interface DerivedBuildDeps {
  store: VectorStore
  models: ModelHost
  /** Texts that a model has written for a build, so that a later one pays only for those that are missing. */
  cache: BlurbCache
  collections: ProfileCollections
  /** Texts that are there, of those that are known to be needed. */
  onProgress?: (done: number, total: number) => void
  /** Warns of a collection whose bytes were changed from outside. */
  logger?: Pick<Logger, 'warn'> | undefined
  signal?: AbortSignal
}

const EMBED_BATCH = 64
/** Share of the texts that may be missing; with more of them the collection would not be what its name says. One always may. */
const MOST_FAILED = 0.1

/** Texts of so many that may fail before the build does. */
export const mostFailedOf = (texts: number): number => Math.max(1, Math.floor(texts * MOST_FAILED))

/** Faults of one call: another text may well be written. */
const OWN_FAULTS: ReadonlySet<string> = new Set([
  'timeout',
  'upstream_error',
  'content_filtered',
  'refused',
  'bad_request',
  'context_length_exceeded',
  'invalid_response',
  'model_answer_invalid',
] satisfies (ModelCallErrorCode | RagErrorCode)[])
/** True for the failure of one call, after which the next one may well succeed. */
export const isOwnFault = (error: unknown): error is ModelCallError | RagError =>
  (error instanceof ModelCallError || error instanceof RagError) && OWN_FAULTS.has(error.code)

/** The chunks that a collection is derived from. Throws `RagError` with `collection_missing` where there are none. */
export async function plainChunks(deps: DerivedBuildDeps): Promise<StoredChunk[]> {
  const plain = await requireCollection('plain', deps)
  const chunks = await deps.store.chunks(plain.name)
  if (chunks.length > 0) return chunks
  throw new RagError(
    'collection_missing',
    `collection ${plain.name} holds no chunks: ingest profile '${deps.collections.profile}' first`,
  )
}

/** Removes a derived collection whose bytes were changed from outside, and returns what was wrong with it; null where it is intact or missing. */
export async function removeDamaged(name: string, { store, signal, logger }: DerivedBuildDeps): Promise<string | null> {
  const damage = (await store.damage?.(name, signal)) ?? null
  if (damage === null) return null
  logger?.warn(`${damage}; it is built again`)
  await store.remove(name)
  return damage
}

/** Embeds texts in their order; those that the collection has already keep their vectors. */
export async function embedAll(
  { store, models, signal = new AbortController().signal }: DerivedBuildDeps,
  collection: string,
  texts: readonly string[],
): Promise<Float32Array[]> {
  const pause = createPauses(signal)
  const { embed } = await embedMissing(store, collection, models.embeddingSpace(), (some, within) =>
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
