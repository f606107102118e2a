import { join } from 'node:path'
import type { Derivation } from '../../../../contract/evidence/derivation.ts'
import { plural } from '../../../../contract/words.ts'
import { secretsEqual } from '../../../kit/secrets.ts'
import { giveBackFreedMemory } from '../../models/freed-memory.ts'
import { createVectorCache, openGraphDatabase, withoutVectorCache } from './database.ts'
import { createDocumentStore, createExtractionStore } from './document-store.ts'
import { createIntake, docStatus, newTrackId, pageOf, trackStatus } from './documents.ts'
import { GraphEngineError } from './errors.ts'
import { extractorRecord, readExtractor } from './extractor.ts'
import { DEFAULT_LIMITS } from './graph-engine.ts'
import type { GraphEngine, GraphEngineDeps } from './graph-engine.ts'
import type { Received, DocumentInput } from './documents.ts'
import { createGraphHolder } from './graph/graph-holder.ts'
import { createDescriptionStore, withJoinedDescriptions } from './graph/joined-descriptions.ts'
import { creatingKnowledgeGraph, textsToEmbed } from './graph/knowledge-graph.ts'
import { mergingExtractions } from './graph/merged-graph.ts'
import type { ExtractedDocuments } from './resolution/resolve-names.ts'
import { pictureOf } from './graph/picture.ts'
import { createPipeline, embedTables } from './pipeline.ts'
import { createAnswering } from './query/run-query.ts'
import { findDamage, removeVectors } from './stored-digests.ts'
import { runInTurns } from './sliced-work.ts'

const VERSION = '1.0.0'

/**
 * Opens the engine on its file and resumes what an earlier process left unfinished. Throws `GraphEngineError` when the file cannot
 * be used or another process has it.
 */
export function createGraphEngine(deps: GraphEngineDeps): GraphEngine {
  const limits = { ...DEFAULT_LIMITS, ...deps.limits }
  const clock = deps.clock ?? Date.now
  const database = openGraphDatabase(deps.stateFile)
  const documents = createDocumentStore(database)
  const extractions = createExtractionStore(database)
  const vectors = deps.models.isBuiltin('embed')
    ? withoutVectorCache(database)
    : createVectorCache(database, deps.models.embeddingSpace())
  const descriptions = createDescriptionStore(database)
  const holder = createGraphHolder(() => {
    pipeline.wake(0)
  })
  const pipeline = createPipeline({
    documents,
    extractions,
    holder,
    models: deps.models,
    limits,
    entityTypes: deps.entityTypes,
    clock,
    onPublished() {
      published = { version: currentVersion(), derivations: currentDerivations() }
    },
    onError: deps.onError ?? (() => undefined),
    async build(alsoDocuments, signal) {
      const stored = readDocuments(alsoDocuments)
      const read = await runInTurns(mergingExtractions(stored, limits.descriptionsKept), signal)
      const joining = { store: descriptions, models: deps.models, signal, onError: deps.onError ?? (() => undefined) }
      const merged = await withJoinedDescriptions(read, joining)
      giveBackFreedMemory()
      const texts = textsToEmbed(merged)
      const { tables, keys } = await embedTables(texts, vectors, deps.models, limits.embedBatch, signal)
      // Vectors of documents that are not in this graph now may be needed again soon.
      const { pending, processing, failed } = documents.counts()
      if (pending + processing + failed === alsoDocuments.length) vectors.keepOnly(keys)
      giveBackFreedMemory()
      return runInTurns(creatingKnowledgeGraph(merged, tables), signal)
    },
  })

  /** The extracted chunks of the graph's documents. One document is in memory at a time: all extractions together are larger than the graph. */
  function readDocuments(alsoDocuments: readonly string[]): ExtractedDocuments {
    const ids = extractions.readable(alsoDocuments)
    return {
      *[Symbol.iterator]() {
        for (const id of ids) yield extractions.extracted(id)
      },
    }
  }

  const extractor = extractorRecord(deps.models, deps.entityTypes, limits.chunkChars)
  const intake = createIntake({ documents, extractModel: extractor, limits, clock })
  const answering = createAnswering({
    graph: (signal) => holder.get(signal),
    models: deps.models,
    rerank: deps.rerank,
    limits,
  })

  const afterRemoval = (count: number): number => {
    if (count > 0) holder.invalidate()
    pipeline.wake(0)
    return count
  }

  /** An ingestion leaves documents out: like those that it replaces, they stay readable until its graph is there. */
  const retain = (filePaths: readonly string[]): number => {
    const count = documents.remove(documents.idsElsewhere(new Set(filePaths)))
    if (count > 0) holder.outdate()
    pipeline.wake(0)
    return count
  }

  // Between the request of a change and the next graph, answers come from the last one: so does what is said of it.
  let published: { version: string; derivations: Derivation[] } | null = null
  const answersFrom = () => (holder.answers ? published : null)
  const currentVersion = () => `${documents.digest()} ${deps.models.embeddingSpace()}`

  const receive = (inputs: readonly DocumentInput[], kind: 'upload' | 'insert'): Received => {
    const received = intake(inputs, kind)
    if (received.changed) holder.outdate()
    pipeline.wake(received.queued)
    return received
  }

  // Read from every document, and asked for with every question.
  let made: { input: string; records: Derivation[] } | null = null
  const currentDerivations = (): Derivation[] => {
    const input = documents.digest()
    if (made?.input !== input) {
      const common = { artefact: 'graph', input, embedding: deps.models.embeddingSpace() } as const
      const extraction = extractions.health()
      const records = documents.extractors().map(({ extractModel, documents: read }) => ({
        ...common,
        ...(readExtractor(extractModel) ?? { model: extractModel, code: 'unknown' }),
        documents: read,
        extraction,
      }))
      made = { input, records }
    }
    return made.records
  }

  documents.recover(clock())
  // The graph of documents that were all read is built by the first question, or by an ingestion for approaches that read it: with vectors of
  // another model that is work for hours, which other approaches do not need.
  if (documents.counts().pending > 0) pipeline.wake(0)

  return {
    limits,
    insert: (inputs, kind = 'insert') => receive(inputs, kind).response,
    upload: (inputs) =>
      receive(
        inputs.map((input) => ({ ...input, replace: true })),
        'upload',
      ),
    pipelineStatus: () => ({ ...pipeline.status(), progress: extractions.progress() }),
    track: (trackId) => trackStatus(trackId, documents.ofTrack(trackId)),
    documents: (request) => pageOf(request, documents.page(request), documents.counts()),
    statusCounts() {
      const counts = documents.counts()
      return { all: Object.values(counts).reduce((sum, count) => sum + count, 0), ...counts }
    },
    hasDocuments: () => documents.has('processed') || (holder.answers && holder.outdated),
    document(id) {
      const found = documents.find(id)
      return found === null ? null : docStatus(found)
    },
    remove: (ids) => afterRemoval(documents.remove(ids)),
    retain,
    async clear() {
      pipeline.cancel()
      await pipeline.idle()
      return afterRemoval(documents.clear())
    },
    reprocessFailed() {
      const failed = documents.failedIds()
      if (failed.length === 0) return null
      const trackId = newTrackId('retry', clock())
      documents.together(() => {
        for (const id of failed) {
          documents.requeue(id, trackId, clock())
        }
      })
      pipeline.wake(failed.length)
      return { trackId, count: failed.length }
    },
    cancel: () => pipeline.cancel(),
    idle: (signal) => pipeline.idle(signal),
    query: async (request, options) => (await answering(request, options)).finish(),
    queryInParts: answering,
    graph: async (limit, signal) => pictureOf(await holder.get(signal), limit),
    version: () => answersFrom()?.version ?? currentVersion(),
    health: () => ({
      status: 'healthy',
      working_directory: deps.stateFile,
      input_directory: null,
      configuration: {
        llm_binding: 'rag-ladder',
        llm_model: deps.models.modelName('graph_query'),
        extract_model: deps.models.modelName('graph_extract'),
        embedding_model: deps.models.modelName('embed'),
        enable_rerank: deps.rerank !== null,
        max_parallel_insert: limits.parallelDocuments,
      },
      auth_mode: deps.apiKey === null ? 'disabled' : 'enabled',
      pipeline_busy: pipeline.status().busy,
      core_version: VERSION,
      api_version: VERSION,
    }),
    checkKey(given) {
      if (deps.apiKey === null) return 'ok'
      if (given === undefined || given === '') return 'missing'
      return secretsEqual(given, deps.apiKey) ? 'ok' : 'wrong'
    },
    extraction: () => extractions.health(),
    derivations: () => answersFrom()?.derivations ?? currentDerivations(),
    async isCurrent(count) {
      const found = documents.extractors()
      const isCounted = found.reduce((sum, { documents: each }) => sum + each, 0) >= count
      if (!isCounted || found.some(({ extractModel }) => extractModel !== extractor)) return false
      const damage = await findDamage(database)
      const isIntact = damage.documents.length + damage.vectors.length === 0
      // Only a run that reads the graph asks: its graph is built before the first question.
      if (isIntact && holder.outdated) pipeline.wake(0)
      return isIntact
    },
    async repair(signal) {
      const damage = await findDamage(database, signal)
      if (damage.documents.length + damage.vectors.length === 0) return null
      const paths = damage.documents.flatMap((id) => documents.find(id)?.filePath ?? [])
      removeVectors(database, damage.vectors)
      documents.remove(damage.documents)
      holder.invalidate()
      pipeline.wake(0)
      const what = [
        ...(paths.length === 0 ? [] : [`what is stored of ${paths.join(', ')}`]),
        ...(damage.vectors.length === 0 ? [] : [plural(damage.vectors.length, 'vector')]),
      ]
      return `${deps.stateFile}: ${what.join(' and ')} is not as it was written`
    },
    async close() {
      await pipeline.close()
      holder.fail(new GraphEngineError('engine_closed', 'the graph engine is closed'))
      database.close()
    },
  }
}

/** One engine per ingestion profile, each with its own file, so that switching the profile neither loses nor mixes graphs. */
export interface GraphWorkspaces {
  /** The engine of a profile, opened at its first use. Throws `GraphEngineError`, or `RangeError` for a name that is not a file name. */
  open(profile: string): GraphEngine
  /** The engine of a profile if it is open. */
  opened(profile: string): GraphEngine | null
  close(): Promise<void>
}

/** Workspaces as files `<profile>.sqlite` of one folder, which must exist. */
export function createGraphWorkspaces(
  folder: string,
  deps: Omit<GraphEngineDeps, 'stateFile' | 'entityTypes'>,
  entityTypesOf: (profile: string) => readonly string[] | undefined = () => undefined,
): GraphWorkspaces {
  const engines = new Map<string, GraphEngine>()
  return {
    open(profile) {
      if (!/^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/.test(profile))
        throw new RangeError(
          `'${profile}' is not a valid workspace name: expected up to 128 letters, digits, '_', '.' and '-'`,
        )
      const engine =
        engines.get(profile) ??
        createGraphEngine({
          ...deps,
          entityTypes: entityTypesOf(profile),
          stateFile: join(folder, `${profile}.sqlite`),
        })
      engines.set(profile, engine)
      return engine
    },
    opened: (profile) => engines.get(profile) ?? null,
    async close() {
      await Promise.all([...engines.values()].map((engine) => engine.close()))
      engines.clear()
    },
  }
}
