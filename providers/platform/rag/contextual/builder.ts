import { messageOf } from '../../../../core/json.ts'
import type { Logger } from '../../../kit/logger.ts'
import type { ModelHost } from '../../models/model-host.ts'
import type { VectorStore } from '../../stores/vector-store/vector-store.ts'
import type { ProfileCollections } from '../approach.ts'
import type { BlurbCache } from './blurb-cache.ts'
import { buildContextual, type ContextualBuild } from './build-collection.ts'

/** Describes how far a profile's latest build in this process came; counts are chunks with a blurb. */
export interface BuildProgress {
  state: 'running' | 'completed' | 'failed'
  done: number
  total: number
  error: string | null
}

export interface ContextualBuilder {
  /** Builds a profile's contextual collection; a second caller joins a build that is under way. */
  build(collections: ProfileCollections): Promise<ContextualBuild>
  progress(): Record<string, BuildProgress>
  /** Stops what is under way and closes the blurb cache. */
  close(): Promise<void>
}

/** Runs builds in the background of requests: a caller that stops waiting loses nothing, the next call joins or reuses. */
export function createContextualBuilder(deps: {
  store: VectorStore
  models: ModelHost
  cache: BlurbCache
  logger?: Pick<Logger, 'warn'> | undefined
}): ContextualBuilder {
  const running = new Map<string, Promise<ContextualBuild>>()
  const latest = new Map<string, BuildProgress>()
  const stop = new AbortController()

  async function run(collections: ProfileCollections): Promise<ContextualBuild> {
    const progress: BuildProgress = { state: 'running', done: 0, total: 0, error: null }
    latest.set(collections.profile, progress)
    try {
      const build = await buildContextual({
        ...deps,
        collections,
        signal: stop.signal,
        onProgress: (done, total) => Object.assign(progress, { done, total }),
      })
      Object.assign(progress, { state: 'completed', done: build.chunks, total: build.chunks })
      return build
    } catch (error) {
      Object.assign(progress, { state: 'failed', error: messageOf(error) })
      throw error
    } finally {
      running.delete(collections.profile)
    }
  }

  return {
    build: (collections) => {
      const current = running.get(collections.profile) ?? run(collections)
      running.set(collections.profile, current)
      return current
    },
    progress: () => Object.fromEntries([...latest].map(([profile, progress]) => [profile, { ...progress }])),
    close: async () => {
      stop.abort(new Error('the platform is stopping'))
      await Promise.allSettled(running.values())
      deps.cache.close()
    },
  }
}
