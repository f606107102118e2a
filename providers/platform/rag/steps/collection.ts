import type { CollectionInfo } from '../../vector-store/vector-store.ts'
import type { ApproachServices } from '../approach.ts'
import { RagError } from '../rag-error.ts'

/**
 * The collection a search is about to use. A missing one, and one embedded by another model than the question will be, are
 * refused: distances between two models' vectors mean nothing.
 */
export async function requireCollection(
  kind: 'plain' | 'contextual',
  { store, collections, models }: Pick<ApproachServices, 'store' | 'collections' | 'models'>,
): Promise<CollectionInfo> {
  const name = collections[kind]
  const { profile } = collections
  const info = await store.info(name)
  const remedy =
    kind === 'plain' ? `ingest profile '${profile}'` : `ingest profile '${profile}' and build its contextual collection`
  if (info === null) throw new RagError('collection_missing', `collection ${name} does not exist: ${remedy} first`)
  const current = models.modelName('embed')
  if (info.embeddingModel !== current)
    throw new RagError(
      'collection_outdated',
      `collection ${name} was embedded by ${info.embeddingModel}, questions now by ${current}: ${remedy} again`,
    )
  return info
}
