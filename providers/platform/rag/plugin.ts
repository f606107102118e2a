// The plugin answers questions, each by the approach that its alias names. In: an alias and a chat request. Out: a completion with the answer, its sources,
// its model calls and their cost, or a `RagError` that a caller can act on.
//   1. alias-table.ts knows the aliases: an approach with its parameters each.
//   2. `answer` below meters the model calls of one question (call-meter.ts) and hands it to its approach.
//   3. approaches/registry.ts lists the approaches, and what each needs to be available. One file each: start with approaches/vanilla.ts.
//   4. steps/ has what approaches share: embed the question, search, rerank, fill a budget of tokens, ask the model (steps/generate.ts).
//   5. response/completion.ts wraps the answer; response/sources.ts lists what it rests on.
// Larger approaches have folders: agent/ (tool calls), graph/ (queries of the graph engine), lazy-graph/ (an index of concepts), adaptive/ (a workflow).
// contextual/ builds the collection whose chunks carry a blurb of their document, tree/ the one with summaries of clusters of chunks. routes.ts serves the plugin alone, over HTTP.
import type { CollectionHealth, PluginHealth, RagPlugin } from './rag-plugin.ts'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Derivation } from '../../../contract/evidence/derivation.ts'
import type { Citations } from '../../../contract/evidence/rag-extension.ts'
import { type ChatCompletion, type ChatRequest, messageText } from '../../../contract/http/chat.ts'
import type { ConsumerManifest } from '../../../contract/manifests/consumer.ts'
import { profileNamed } from '../../../contract/manifests/rechunked-profile.ts'
import type { FlavorsManifest } from '../../../contract/manifests/flavors.ts'
import { messageOf } from '../../../core/json.ts'
import { HttpError } from '../../kit/http-error.ts'
import { ModelCallError, type ModelHost, type OnText } from '../models/model-host.ts'
import { withWaitClock, type WaitClock } from '../models/model-waits.ts'
import { trimmedPieces } from '../../../core/thinking.ts'
import { modelReranker } from '../models/tei/reranker.ts'
import type { RerankerOf } from '../models/tei/reranker.ts'
import { collectionsOf } from '../stores/vector-store/collection-names.ts'
import type { CollectionInfo, VectorStore } from '../stores/vector-store/vector-store.ts'
import { tracedGraph, tracedStore } from '../trace/traced-parts.ts'
import { aliasTable, graphProfiles } from './alias-table.ts'
import type { AliasTable } from './alias-table.ts'
import type { ApproachAnswer, Engines, ProfileCollections } from './approach.ts'
import { approachOf, availabilityOf, type PlatformData } from './approaches/registry.ts'
import { meterCalls } from './call-meter.ts'
import { openBlurbCache } from './contextual/blurb-cache.ts'
import { createCollectionBuilds } from './collection-builds.ts'
import { buildContextual } from './contextual/build-collection.ts'
import type { Logger } from '../../kit/logger.ts'
import { createConceptIndexes } from './lazy-graph/concept-indexes.ts'
import { modelFailure, RagError, rerankFailure } from './rag-error.ts'
import { isLimited, requireSupported } from './response/answer-limits.ts'
import { answerRecord } from './response/answer-record.ts'
import { citationsOf } from './response/citations.ts'
import { completionOf, streamFrames } from './response/completion.ts'
import { registerRagRoutes } from './routes.ts'
import { createTrials } from './trial.ts'
import { buildTree } from './tree/build-tree.ts'

export interface RagPluginDeps extends Engines {
  /** Declares aliases, ingestion profiles and graph query profiles. */
  aliases: ConsumerManifest
  flavors: FlavorsManifest
  /** The ingestion profile whose collections are searched. */
  profile: string
  store: VectorStore
  models: ModelHost
  /** The role `rerank` of the models unless given. */
  rerankerOf?: RerankerOf
  /** Folder for what can be rebuilt: blurbs and concept indexes. Made when missing. */
  stateDir: string
  /** Such as `/rag`. */
  routePrefix: string
  logger?: Pick<Logger, 'warn'>
}

function profileCollections(consumer: ConsumerManifest, profile: string): ProfileCollections {
  const declared = profileNamed(consumer.ingestion_profiles, profile)
  if (declared === undefined) throw new RagError('unknown_profile', `Unknown rag_ingestion profile: '${profile}'`)
  return { profile, ...collectionsOf(declared) }
}

function questionOf(request: ChatRequest): string {
  const last = request.messages.findLast((message) => message.role === 'user')
  const question = last === undefined ? '' : messageText(last).trim()
  if (question === '') throw new RagError('empty_question', 'the last user message holds no text to answer')
  return question
}

/** Makes the plugin. Throws when the manifests do not fit together or the profile is not declared. */
export function createRagPlugin(deps: RagPluginDeps): RagPlugin {
  const { models, profile, rerankerOf = modelReranker } = deps
  const store = tracedStore(deps.store)
  const engines = { graph: tracedGraph(deps.graph), workflow: deps.workflow, own: deps.own }
  const aliases = aliasTable(deps.aliases, deps.flavors)
  const profiles = graphProfiles(deps.aliases)
  const active = profileCollections(deps.aliases, profile)
  const data = { store, models, engines, active }
  mkdirSync(deps.stateDir, { recursive: true })
  const writing = { store, models, cache: openBlurbCache(join(deps.stateDir, 'blurbs.sqlite')), logger: deps.logger }
  const contexts = createCollectionBuilds((work) => buildContextual({ ...writing, ...work }))
  const trees = createCollectionBuilds((work) => buildTree({ ...writing, ...work }))
  const conceptIndexes = createConceptIndexes(store, join(deps.stateDir, 'concepts'))
  const trials = createTrials()

  /** One question, from its alias to the completion that the caller gets. */
  async function answer(
    clock: WaitClock,
    alias: string,
    request: ChatRequest,
    signal?: AbortSignal,
    onText?: OnText,
  ): Promise<ChatCompletion> {
    // 1. Find the alias, and read the question.
    const declared = aliases.get(alias)
    if (declared === undefined) throw new RagError('unknown_alias', `Unknown model alias: '${alias}'`)
    const trial = trials.open(declared, request.trial)
    const flavor = trial?.flavor ?? declared
    const question = questionOf(request)
    requireSupported(request)
    // 2. Meter the question's own model calls, and record what it reads.
    const meter = meterCalls(models)
    const started = performance.now()
    const read = new Map<string, Derivation>()
    try {
      // 3. Choose the approach, and give it what it may use.
      const approach = approachOf(flavor, models)
      const { models: metered, addRemote } = meter
      const services = {
        models: metered,
        reranker: rerankerOf(metered),
        addRemote,
        addWait: (waitedMs: number) => clock.addMs(waitedMs),
        onRead: (made: readonly Derivation[]) => {
          for (const each of made) read.set(JSON.stringify(each), each)
        },
        // Limits are applied to the whole answer: what was streamed could not be taken back.
        onText: onText === undefined || isLimited(request) ? undefined : trimmedPieces(onText),
        store,
        collections: trial?.profile === undefined ? active : profileCollections(deps.aliases, trial.profile),
        conceptIndexes,
        graphProfiles: profiles,
        aliases,
        contextBudget: request.context_budget ?? null,
        trial: trial?.services,
      }
      // 4. Retrieve and write the answer: rag/approaches has one file for each approach.
      const result = await approach(question, { ...services, ...engines }, signal)
      // 5. Wrap the answer with its sources, derivations, calls and time.
      const seconds = (performance.now() - started) / 1000
      const derivations = [...read.values()]
      // An answer that a workflow delegated carries the records of its delegate, and that of its answer.
      const isOwn = result.metadata?.derivations === undefined
      const record = isOwn ? answerRecord(meter, models, rerankerOf, derivations) : null
      const made = record === null ? derivations : [...derivations, record]
      const citations = isOwn ? citationsOf(result, meter.lastChat(), models) : null
      const recorded = withRecords(result, made, citations)
      const counts = { ...meter.counts(), waitedMs: clock.waitedMs }
      return completionOf(alias, trial?.reported(recorded, counts) ?? recorded, counts, seconds, request)
    } catch (error) {
      const known = knownError(error, signal)
      throw known instanceof RagError ? known.tellCalls(meter.counts()) : known
    }
  }

  const plugin: RagPlugin = {
    answer: (...asked) => withWaitClock((clock) => answer(clock, ...asked)),
    streamFrames,
    availability: async (alias) => {
      const flavor = aliases.get(alias)
      return flavor === undefined ? null : availabilityOf(flavor, data)
    },
    flavor: (alias) => aliases.get(alias) ?? null,
    prepare: async (collection, contentDigest, chunks) => {
      try {
        await conceptIndexes.prepare(collection, contentDigest, chunks)
      } catch (error) {
        const reason = messageOf(error)
        deps.logger?.warn(`the concepts of ${collection} wait for the next question: ${reason}`)
      }
    },
    buildContextual: async (name) => {
      try {
        return await contexts.build(profileCollections(deps.aliases, name))
      } catch (error) {
        throw knownError(error, undefined)
      }
    },
    buildTree: async (name) => {
      try {
        return await trees.build(profileCollections(deps.aliases, name))
      } catch (error) {
        throw knownError(error, undefined)
      }
    },
    health: async () => ({
      ...(await pluginHealth({ ...data, table: aliases })),
      contextual_builds: contexts.progress(),
      tree_builds: trees.progress(),
    }),
    register: (app) => registerRagRoutes(app, plugin, deps.routePrefix),
    close: async () => {
      await trees.close()
      await contexts.close()
      writing.cache.close()
    },
  }
  return plugin
}

function withRecords(result: ApproachAnswer, derivations: Derivation[], citations: Citations | null): ApproachAnswer {
  const records = {
    ...(derivations.length === 0 ? {} : { derivations }),
    ...(citations === null ? {} : { citations }),
  }
  return { ...result, metadata: { ...result.metadata, ...records } }
}

/** Failures that a caller may know about as `RagError`; anything else as it came. */
function knownError(error: unknown, signal: AbortSignal | undefined): unknown {
  if (error instanceof RagError) return error
  if (signal?.aborted === true) return new RagError('cancelled', 'the caller gave up', { cause: error })
  if (error instanceof ModelCallError) return modelFailure(error)
  return error instanceof HttpError ? rerankFailure(error) : error
}

function shown(info: CollectionInfo | null): CollectionHealth | null {
  if (info === null) return null
  const { name, chunkCount, contentDigest, embeddingModel } = info
  return { name, chunks: chunkCount, content_digest: contentDigest, embedding_model: embeddingModel }
}

/** State of the plugin: active profile, its collections, every alias. */
async function pluginHealth(
  state: PlatformData & { table: AliasTable },
): Promise<Omit<PluginHealth, 'contextual_builds' | 'tree_builds'>> {
  const { store, table, active } = state
  const plain = shown(await store.info(active.plain))
  const contextual = shown(await store.info(active.contextual))
  return {
    status: plain === null ? 'not_ready' : 'healthy',
    reason: plain === null ? `profile '${active.profile}' has not been ingested` : null,
    profile: active.profile,
    collections: { plain, contextual },
    aliases: await Promise.all(
      [...table.values()].map(async ({ alias, base }) => ({
        alias,
        base,
        ...(await availabilityOf({ alias, base }, state)),
      })),
    ),
  }
}
