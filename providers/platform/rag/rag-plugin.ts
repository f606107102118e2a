import type { FastifyInstance } from 'fastify'
import type { Flavor } from '../../../contract/manifests/flavors.ts'
import type { AliasAvailability, AliasBackend } from '../gateway/alias-backend.ts'
import type { BuildProgress } from './collection-builds.ts'
import type { TreeBuild } from './tree/build-tree.ts'
import type { ContextualBuild } from './contextual/build-collection.ts'

/** The consumer's plugin: every alias answered, over HTTP and in process. Its failures are `RagError`, also those of models. */
export interface RagPlugin extends Required<AliasBackend> {
  availability(alias: string): Promise<AliasAvailability | null>
  flavor(alias: string): Flavor | null
  /** Builds `RagContextual_<profile>` or joins a build under way. Throws `RagError`. */
  buildContextual(profile: string): Promise<ContextualBuild>
  /** Builds `RagTree_<profile>`, which a language model summarises, or joins a build under way. Throws `RagError`. */
  buildTree(profile: string): Promise<TreeBuild>
  health(): Promise<PluginHealth>
  register(app: FastifyInstance): void
  close(): Promise<void>
}

/** Body of `GET /rag/health`. A collection is null while it does not exist. */
export interface PluginHealth {
  status: 'healthy' | 'not_ready'
  /** Why it is not ready. */
  reason: string | null
  profile: string
  collections: { plain: CollectionHealth | null; contextual: CollectionHealth | null }
  aliases: ({ alias: string; base: string } & AliasAvailability)[]
  /** Contextual builds of this process by profile; counts of chunks. */
  contextual_builds: Record<string, BuildProgress>
  /** The same of trees. */
  tree_builds: Record<string, BuildProgress>
}

export interface CollectionHealth {
  name: string
  chunks: number
  content_digest: string
  embedding_model: string
}
