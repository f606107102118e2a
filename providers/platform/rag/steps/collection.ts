import type { TermStatistics } from '../../models/model-host.ts'
import type { CollectionInfo } from '../../stores/vector-store/vector-store.ts'
import type { ApproachServices } from '../approach.ts'
import { RagError } from '../rag-error.ts'

/** Names what else is built, by collection. */
const BUILT = { plain: '', contextual: ' and build its contextual collection', tree: ' and build its tree' } as const

/**
 * The collection a search is about to use. A missing one, and one embedded by another model, or with other settings of it, than the question will
 * be, are refused: distances between such vectors mean nothing.
 */
export async function requireCollection(
  kind: 'plain' | 'contextual' | 'tree',
  { store, collections, models, onRead }: Pick<ApproachServices, 'store' | 'collections' | 'models' | 'onRead'>,
): Promise<CollectionInfo> {
  const name = collections[kind]
  const { profile } = collections
  const info = await store.info(name)
  const remedy = `ingest profile '${profile}'${BUILT[kind]}`
  if (info === null) throw new RagError('collection_missing', `collection ${name} does not exist: ${remedy} first`)
  const current = models.embeddingSpace()
  if (info.embeddingModel !== current)
    throw new RagError(
      'collection_outdated',
      `collection ${name} was embedded by ${info.embeddingModel}, questions now by ${current}: ${remedy} again`,
    )
  if (info.derivation !== undefined) onRead?.([info.derivation])
  return info
}

/** Returns what a collection knows of a question's words; nothing where no built-in model would use it. */
export async function termStatistics(
  question: string,
  collection: string,
  { models, store }: Pick<ApproachServices, 'models' | 'store'>,
): Promise<TermStatistics | undefined> {
  const used = models.isBuiltin('embed') || models.isBuiltin('rerank')
  return used ? store.termStatistics(collection, question) : undefined
}
