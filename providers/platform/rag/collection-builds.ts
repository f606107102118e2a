import { messageOf } from '../../../core/json.ts'
import type { ProfileCollections } from './approach.ts'

/** Describes how far a profile's latest build in this process came; counts are texts that a model writes. */
export interface BuildProgress {
  state: 'running' | 'completed' | 'failed'
  done: number
  total: number
  error: string | null
}

export interface CollectionBuilds<Build extends BuiltCollection> {
  /** Builds a profile's collection; a second caller joins a build that is under way. */
  build(collections: ProfileCollections): Promise<Build>
  progress(): Record<string, BuildProgress>
  /** Stops what is under way. */
  close(): Promise<void>
}

interface BuiltCollection {
  chunks: number
}

interface BuildWork {
  collections: ProfileCollections
  signal: AbortSignal
  onProgress: (done: number, total: number) => void
}

/** Runs builds of one kind in the background of requests: a caller that stops waiting loses nothing, the next call joins or reuses. */
export function createCollectionBuilds<Build extends BuiltCollection>(
  make: (work: BuildWork) => Promise<Build>,
): CollectionBuilds<Build> {
  const running = new Map<string, Promise<Build>>()
  const latest = new Map<string, BuildProgress>()
  const stop = new AbortController()

  async function run(collections: ProfileCollections): Promise<Build> {
    const progress: BuildProgress = { state: 'running', done: 0, total: 0, error: null }
    latest.set(collections.profile, progress)
    try {
      const onProgress = (done: number, total: number): void => void Object.assign(progress, { done, total })
      const build = await make({ collections, signal: stop.signal, onProgress })
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
    },
  }
}
