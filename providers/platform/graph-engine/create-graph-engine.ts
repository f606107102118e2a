import { join } from 'node:path'
import { secretsEqual } from '../../kit/secrets.ts'
import { createVectorCache, openGraphDatabase } from './database.ts'
import { createDocumentStore, createExtractionStore } from './document-store.ts'
import { createIntake, docStatus, newTrackId, pageOf, trackStatus } from './documents.ts'
import { GraphEngineError } from './errors.ts'
import { DEFAULT_LIMITS } from './graph-engine.ts'
import type { GraphEngine, GraphEngineDeps } from './graph-engine.ts'
import { createGraphHolder } from './graph/graph-holder.ts'
import { createKnowledgeGraph, textsToEmbed } from './graph/knowledge-graph.ts'
import { mergeExtractions } from './graph/merge.ts'
import { pictureOf } from './graph/picture.ts'
import { createPipeline, embedTexts } from './pipeline.ts'
import { createAnswering } from './query/run-query.ts'

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
  const vectors = createVectorCache(database, deps.models.modelName('embed'))
  const holder = createGraphHolder(() => {
    pipeline.wake()
  })
  const pipeline = createPipeline({
    documents,
    extractions,
    holder,
    models: deps.models,
    limits,
    clock,
    onError: deps.onError ?? (() => undefined),
    async build(alsoDocuments, signal) {
      const chunks = extractions.extracted(['processed'], alsoDocuments)
      const merged = mergeExtractions(chunks, limits.descriptionsKept)
      const texts = textsToEmbed(merged, chunks)
      const embedded = await embedTexts(texts, vectors, deps.models, limits.embedBatch, signal)
      // Vectors of documents that are not in this graph now may be needed again soon.
      const { pending, processing, failed } = documents.counts()
      if (pending + processing + failed === alsoDocuments.length) vectors.keepOnly(texts.flat())
      return createKnowledgeGraph(merged, chunks, embedded)
    },
  })
  const intake = createIntake({ documents, extractModel: deps.models.modelName('graph_extract'), limits, clock })
  const answering = createAnswering({
    graph: (signal) => holder.get(signal),
    models: deps.models,
    rerank: deps.rerank,
    limits,
  })

  const afterRemoval = (count: number): number => {
    if (count > 0) holder.invalidate()
    pipeline.wake()
    return count
  }

  documents.recover(clock())
  pipeline.wake()

  return {
    limits,
    insert(inputs, kind = 'insert') {
      const { response, changed } = intake(inputs, kind)
      if (changed) holder.invalidate()
      pipeline.wake()
      return response
    },
    pipelineStatus: () => ({ ...pipeline.status(), progress: extractions.progress() }),
    track: (trackId) => trackStatus(trackId, documents.ofTrack(trackId)),
    documents: (request) => pageOf(request, documents.page(request), documents.counts()),
    statusCounts() {
      const counts = documents.counts()
      return { all: Object.values(counts).reduce((sum, count) => sum + count, 0), ...counts }
    },
    document(id) {
      const found = documents.find(id)
      return found === null ? null : docStatus(found)
    },
    remove: (ids) => afterRemoval(documents.remove(ids)),
    retain(filePaths) {
      const kept = new Set(filePaths)
      return afterRemoval(
        documents.remove(
          documents
            .all()
            .filter(({ filePath }) => !kept.has(filePath))
            .map(({ id }) => id),
        ),
      )
    },
    async clear() {
      pipeline.cancel()
      await pipeline.idle()
      return afterRemoval(documents.clear())
    },
    reprocessFailed() {
      const failed = documents.all().filter(({ status }) => status === 'failed')
      if (failed.length === 0) return null
      const trackId = newTrackId('retry', clock())
      for (const { id, extractModel } of failed)
        documents.requeue(id, { trackId, extractModel, forget: false }, clock())
      pipeline.wake()
      return { trackId, count: failed.length }
    },
    cancel: () => pipeline.cancel(),
    idle: (signal) => pipeline.idle(signal),
    query: async (request, options) => (await answering(request, options)).finish(),
    queryInParts: answering,
    graph: async (limit, signal) => pictureOf(await holder.get(signal), limit),
    version: () => `${documents.digest()} ${deps.models.modelName('embed')}`,
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
    async close() {
      await pipeline.close()
      holder.fail(new GraphEngineError('engine_closed', 'the graph engine is closed'))
      database.close()
    },
  }
}

/** One engine per ingestion profile, each with its own file, so that switching the profile neither loses nor mixes graphs. */
export interface GraphWorkspaces {
  /** The engine of a profile, opened at its first use. Throws `GraphEngineError`, or `RangeError` for a name that is no file name. */
  open(profile: string): GraphEngine
  /** The engine of a profile if it is open. */
  opened(profile: string): GraphEngine | null
  close(): Promise<void>
}

/** Workspaces as files `<profile>.sqlite` of one folder, which must exist. */
export function createGraphWorkspaces(folder: string, deps: Omit<GraphEngineDeps, 'stateFile'>): GraphWorkspaces {
  const engines = new Map<string, GraphEngine>()
  return {
    open(profile) {
      if (!/^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/.test(profile))
        throw new RangeError(
          `'${profile}' is not a valid workspace name: expected up to 128 letters, digits, '_', '.' and '-'`,
        )
      const engine =
        engines.get(profile) ?? createGraphEngine({ ...deps, stateFile: join(folder, `${profile}.sqlite`) })
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
