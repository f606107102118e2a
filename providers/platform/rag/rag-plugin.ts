import type { FastifyInstance } from 'fastify'
import type { ChatCompletion, ChatRequest } from '../../../contract/http/chat.ts'
import type { Flavor } from '../../../contract/manifests/flavors.ts'
import type { OnText } from '../models/model-host.ts'
import type { StreamedText } from '../http/text-frames.ts'
import type { StoredChunk } from '../stores/vector-store/vector-store.ts'
import type { Availability } from './approaches/registry.ts'
import type { BuildProgress } from './collection-builds.ts'
import type { TreeBuild } from './tree/build-tree.ts'
import type { ContextualBuild } from './contextual/build-collection.ts'

/** The consumer's plugin: every alias answered, over HTTP and in process. */
export interface RagPlugin {
  /**
   * Answers the last user message of a request; `onText` receives pieces of the answer's text as the model writes its last step. Throws `RagError`,
   * also for model failures.
   */
  answer(alias: string, request: ChatRequest, signal?: AbortSignal, onText?: OnText): Promise<ChatCompletion>
  /** A completion as its last server-sent frames, after the text that was streamed. */
  streamFrames(completion: ChatCompletion, streamed?: StreamedText | null): string[]
  /** Null for an alias that is not declared. */
  availability(alias: string): Promise<Availability | null>
  flavor(alias: string): Flavor | null
  /** Declared aliases in the order of the manifest. */
  aliases(): string[]
  /**
   * Makes what questions read ready for chunks that are about to replace those of a collection. What cannot be made now is made by the next
   * question.
   */
  prepare(collection: string, contentDigest: string, chunks: readonly StoredChunk[]): Promise<void>
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
  aliases: { alias: string; base: string; available: boolean; reason: string | null; needs_ingestion?: boolean }[]
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
