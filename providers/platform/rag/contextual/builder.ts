import type { Logger } from '../../../kit/logger.ts'
import type { ModelHost } from '../../models/model-host.ts'
import type { VectorStore } from '../../stores/vector-store/vector-store.ts'
import { createCollectionBuilds, type CollectionBuilds } from '../collection-builds.ts'
import type { BlurbCache } from './blurb-cache.ts'
import { buildContextual, type ContextualBuild } from './build-collection.ts'

/** Builds of contextual collections; closing stops what is under way and closes the blurb cache. */
export function createContextualBuilder(deps: {
  store: VectorStore
  models: ModelHost
  cache: BlurbCache
  logger?: Pick<Logger, 'warn'> | undefined
}): CollectionBuilds<ContextualBuild> {
  const builds = createCollectionBuilds((work) => buildContextual({ ...deps, ...work }))
  return {
    ...builds,
    close: async () => {
      await builds.close()
      deps.cache.close()
    },
  }
}
