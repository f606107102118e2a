import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import {
  type ChatCompletion,
  type ChatRequest,
  type ConsumerManifest,
  type Flavor,
  type FlavorsManifest,
  messageText,
} from '../../../contract/index.ts'
import { HttpError } from '../../kit/http-error.ts'
import { ModelCallError, type ModelHost, type OnText } from '../models/model-host.ts'
import { trimmedPieces } from '../models/thinking.ts'
import { modelReranker } from '../tei/reranker.ts'
import type { RerankerOf } from '../tei/reranker.ts'
import type { StreamedText } from '../text-frames.ts'
import type { CollectionInfo, VectorStore } from '../vector-store/vector-store.ts'
import type { WorkflowClient } from './adaptive/workflow-client.ts'
import { aliasTable, graphProfiles } from './alias-table.ts'
import type { AliasTable } from './alias-table.ts'
import type { ProfileCollections } from './approach.ts'
import { approachOf, type Availability, availabilityOf, type PlatformData } from './approaches/registry.ts'
import { meterCalls } from './call-meter.ts'
import { openBlurbCache } from './contextual/blurb-cache.ts'
import type { ContextualBuild } from './contextual/build-collection.ts'
import { createContextualBuilder } from './contextual/builder.ts'
import type { BuildProgress } from './contextual/builder.ts'
import type { GraphQueries } from './graph/graph-queries.ts'
import { createConceptIndexes } from './lazy-graph/concept-indexes.ts'
import { modelFailure, RagError, rerankFailure } from './rag-error.ts'
import { isLimited, requireSupported } from './response/answer-limits.ts'
import { completionOf, streamFrames } from './response/completion.ts'
import { registerRagRoutes } from './routes.ts'

export interface RagPluginDeps {
  /** Declares aliases, ingestion profiles and graph query profiles. */
  aliases: ConsumerManifest
  flavors: FlavorsManifest
  /** The ingestion profile whose collections are searched; null answers nothing until one is chosen. */
  profile: string | null
  store: VectorStore
  models: ModelHost
  /** The role `rerank` of the models unless given. */
  rerankerOf?: RerankerOf
  /** Null or absent: the aliases that need the engine report that they are unavailable. */
  graph?: GraphQueries | null
  workflow?: WorkflowClient | null
  /** Folder for what can be rebuilt: blurbs and concept indexes. Made when missing. */
  stateDir: string
  /** Such as `/rag`. */
  routePrefix: string
}

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
  /** Builds `RagContextual_<profile>` or joins a build under way. Throws `RagError`. */
  buildContextual(profile: string): Promise<ContextualBuild>
  health(): Promise<PluginHealth>
  register(app: FastifyInstance): void
  close(): Promise<void>
}

function collectionsOf(consumer: ConsumerManifest, profile: string): ProfileCollections {
  const declared = consumer.ingestion_profiles.find(({ name }) => name === profile)
  if (declared === undefined) throw new RagError('unknown_profile', `Unknown rag_ingestion profile: '${profile}'`)
  return {
    profile,
    plain: `${declared.vector_target.collection_prefix}_${profile}`,
    contextual: `RagContextual_${profile}`,
  }
}

function questionOf(request: ChatRequest): string {
  const last = request.messages.findLast((message) => message.role === 'user')
  const question = last === undefined ? '' : messageText(last).trim()
  if (question === '') throw new RagError('empty_question', 'the last user message holds no text to answer')
  return question
}

/** Makes the plugin. Throws when the manifests do not fit together or the profile is not declared. */
export function createRagPlugin(deps: RagPluginDeps): RagPlugin {
  const { store, models, profile, rerankerOf = modelReranker } = deps
  const engines = { graph: deps.graph ?? null, workflow: deps.workflow ?? null }
  const aliases = aliasTable(deps.aliases, deps.flavors)
  const profiles = graphProfiles(deps.aliases)
  const active = profile === null ? null : collectionsOf(deps.aliases, profile)
  const data = { store, models, engines, active }
  mkdirSync(deps.stateDir, { recursive: true })
  const builder = createContextualBuilder({
    store,
    models,
    cache: openBlurbCache(join(deps.stateDir, 'blurbs.sqlite')),
  })
  const conceptIndexes = createConceptIndexes(store, join(deps.stateDir, 'concepts'))

  async function answer(
    alias: string,
    request: ChatRequest,
    signal?: AbortSignal,
    onText?: OnText,
  ): Promise<ChatCompletion> {
    const flavor = aliases.get(alias)
    if (flavor === undefined) throw new RagError('unknown_alias', `Unknown model alias: '${alias}'`)
    const question = questionOf(request)
    requireSupported(request)
    const meter = meterCalls(models)
    const started = performance.now()
    try {
      const approach = approachOf(flavor, engines)
      if (active === null)
        throw new RagError('no_active_profile', 'no ingestion profile is active: start the platform with one')
      const { models: metered, addRemote } = meter
      const services = {
        models: metered,
        reranker: rerankerOf(metered),
        addRemote,
        // Limits are applied to the whole answer: what was streamed could not be taken back.
        onText: onText === undefined || isLimited(request) ? undefined : trimmedPieces(onText),
        store,
        collections: active,
        conceptIndexes,
        graphProfiles: profiles,
        aliases,
      }
      const result = await approach(question, { ...services, ...engines }, signal)
      return completionOf(alias, result, meter.counts(), (performance.now() - started) / 1000, request)
    } catch (error) {
      const known = knownError(error, signal)
      throw known instanceof RagError ? known.tellCalls(meter.counts()) : known
    }
  }

  const plugin: RagPlugin = {
    answer,
    streamFrames,
    availability: async (alias) => {
      const flavor = aliases.get(alias)
      return flavor === undefined ? null : availabilityOf(flavor.base, data)
    },
    flavor: (alias) => aliases.get(alias) ?? null,
    aliases: () => [...aliases.keys()],
    buildContextual: async (name) => {
      try {
        return await builder.build(collectionsOf(deps.aliases, name))
      } catch (error) {
        throw knownError(error, undefined)
      }
    },
    health: () => pluginHealth({ ...data, table: aliases, builds: builder.progress() }),
    register: (app) => registerRagRoutes(app, plugin, deps.routePrefix),
    close: () => builder.close(),
  }
  return plugin
}

/** Failures that a caller may know about as `RagError`; anything else as it came. */
function knownError(error: unknown, signal: AbortSignal | undefined): unknown {
  if (error instanceof RagError) return error
  if (signal?.aborted === true) return new RagError('cancelled', 'the caller gave up', { cause: error })
  if (error instanceof ModelCallError) return modelFailure(error)
  return error instanceof HttpError ? rerankFailure(error) : error
}

interface CollectionHealth {
  name: string
  chunks: number
  content_digest: string
  embedding_model: string
}

/** Body of `GET /rag/health`. A collection is null while it does not exist. */
interface PluginHealth {
  status: 'healthy' | 'not_ready'
  /** Why it is not ready. */
  reason: string | null
  profile: string | null
  collections: { plain: CollectionHealth | null; contextual: CollectionHealth | null }
  aliases: { alias: string; base: string; available: boolean; reason: string | null; needs_ingestion?: boolean }[]
  /** Contextual builds of this process by profile; counts of chunks. */
  contextual_builds: Record<string, BuildProgress>
}

function shown(info: CollectionInfo | null): CollectionHealth | null {
  if (info === null) return null
  const { name, chunkCount, contentDigest, embeddingModel } = info
  return { name, chunks: chunkCount, content_digest: contentDigest, embedding_model: embeddingModel }
}

function whyNotReady(active: ProfileCollections | null, plain: CollectionHealth | null): string | null {
  if (active === null) return 'no ingestion profile is active'
  return plain === null ? `profile '${active.profile}' has not been ingested` : null
}

/** State of the plugin: active profile, its collections, every alias. */
async function pluginHealth(
  state: PlatformData & { table: AliasTable; builds: Record<string, BuildProgress> },
): Promise<PluginHealth> {
  const { store, table, active } = state
  const plain = active === null ? null : shown(await store.info(active.plain))
  const contextual = active === null ? null : shown(await store.info(active.contextual))
  const reason = whyNotReady(active, plain)
  return {
    status: reason === null ? 'healthy' : 'not_ready',
    reason,
    profile: active?.profile ?? null,
    collections: { plain, contextual },
    aliases: await Promise.all(
      [...table.values()].map(async ({ alias, base }) => ({ alias, base, ...(await availabilityOf(base, state)) })),
    ),
    contextual_builds: state.builds,
  }
}
