import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { joinAliases } from '../../../contract/manifests/aliases.ts'
import type { AliasDeclaration } from '../../../contract/manifests/consumer.ts'
import { PACES_FOLDER } from '../../../core/http/pace-exchange.ts'
import { KnownModels } from '../../../core/model-records/known-models.ts'
import { isRemoteModel } from '../../../contract/manifests/model-backends.ts'
import { allowOrigin } from '../../kit/host-guard.ts'
import { createLogger } from '../../kit/logger.ts'
import type { Logger } from '../../kit/logger.ts'
import { closeGracefully, createHttpServer, listenDeclared } from '../../kit/server.ts'
import { registerDraftRoutes } from '../drafting/routes.ts'
import { registerChunkRoutes } from '../ingestion/chunking/routes.ts'
import { createClosingList } from '../jobs/closing-list.ts'
import type { ClosingList } from '../jobs/closing-list.ts'
import { PlatformConfigError } from './config.ts'
import type { PlatformConfig } from './config.ts'
import { registerEvaluatorRoutes } from '../evaluator/routes.ts'
import { requireKnownAliases } from '../gateway/alias-backend.ts'
import type { AliasBackend } from '../gateway/alias-backend.ts'
import { createGateway } from '../gateway/gateway.ts'
import { createResponseCache } from '../gateway/response-cache.ts'
import { openGraph } from './graph-part.ts'
import type { GraphPart } from './graph-part.ts'
import { registerExtractionRoutes } from '../specified/extraction/routes.ts'
import { guardRoutes } from '../identity/guard.ts'
import { identityProblem } from '../identity/identity-settings.ts'
import { routePolicies } from '../identity/route-policy.ts'
import { converterParser, isConvertible, speechParser } from '../ingestion/parsers.ts'
import { IngestionService } from '../ingestion/ingestion-service.ts'
import { registerIngestionRoutes } from '../ingestion/routes.ts'
import { measureRequests, registerMetricsRoute } from './metrics/platform-metrics.ts'
import { createModelHost } from '../models/create-model-host.ts'
import { loadBuiltinModels } from '../models/load-builtin.ts'
import { modelErrorResponse } from '../models/model-error-response.ts'
import type { ModelHost } from '../models/model-host.ts'
import { withAddresses } from './model-addresses.ts'
import { openStore, startsWith, systemProblem } from './open-store.ts'
import { furtherPlugins, mountPlugins } from './plugins/mount-plugins.ts'
import { pluginList } from '../rag/plugin-list.ts'
import { createOwnEngine } from '../rag/own/own-engine.ts'
import { createRagPlugin } from '../rag/plugin.ts'
import { remoteProbes } from './readiness.ts'
import { openRecords } from './records-part.ts'
import { registerRayRoutes } from '../specified/compatibility/ray-routes.ts'
import { registerWorkflowRoutes } from '../specified/compatibility/workflow-routes.ts'
import { registerRerankAdapter } from '../specified/compatibility/rerank-adapter.ts'
import { httpReranker, modelReranker, rerankInBatches } from '../models/tei/reranker.ts'
import type { RerankerOf } from '../models/tei/reranker.ts'
import { registerRerankerRoutes } from '../models/tei/server.ts'
import { tracedModels } from '../trace/traced-parts.ts'
import { startWarnings } from './start-warnings.ts'
import { registerStatusRoutes } from './status-routes.ts'
import { collectionsOf } from '../stores/vector-store/collection-names.ts'
import { registerSearchRoutes } from '../stores/vector-store/routes.ts'
import { openSqliteVectorStore } from '../stores/vector-store/sqlite-vector-store.ts'
import type { VectorStore } from '../stores/vector-store/vector-store.ts'
import { openWeaviateVectorStore } from '../stores/vector-store/weaviate-vector-store.ts'
import { embeddedWorkflow, remoteWorkflow } from './workflow-part.ts'
import type { WorkflowPart } from './workflow-part.ts'

export interface RunningPlatform {
  url: string
  port: number
  close(): Promise<void>
}

/** Describes what the parts of the platform share while they are put together. */
interface Parts {
  config: PlatformConfig
  app: FastifyInstance
  store: VectorStore
  models: ModelHost
  closing: ClosingList
  logger: Logger
  /** The one reranker of all callers: hybrid search, the graph's queries, the adapter. */
  rerankerOf: RerankerOf
}

/** The parts that approaches reach as services of their own. */
interface Engines {
  graph: GraphPart
  workflow: WorkflowPart
}

/** Limits how long requests under way may finish when the platform closes. */
const CLOSE_GRACE_MS = 5000
const CACHE_ENTRIES = 500
/** Below the time that a host gives a start, so that a service that hangs is named. */
const START_PROBE_MS = 10_000
const CACHE_BYTES = 64 * 1024 * 1024

/**
 * Starts every surface of the platform on one address. `secretOf` gives named secrets of the model set. Rejects, with everything closed
 * again, when a part cannot start.
 */
export async function startPlatform(
  config: PlatformConfig,
  secretOf: (name: string) => string | undefined,
): Promise<RunningPlatform> {
  const closing = createClosingList()
  try {
    return await compose(config, secretOf, closing)
  } catch (error) {
    await closing.closeAll()
    throw error
  }
}

async function compose(
  config: PlatformConfig,
  secretOf: (name: string) => string | undefined,
  closing: ClosingList,
): Promise<RunningPlatform> {
  try {
    mkdirSync(config.stateDir, { recursive: true })
  } catch (error) {
    throw systemProblem(`RAG_LADDER_STATE_DIR: ${config.stateDir} cannot be made`, error)
  }
  const known = new KnownModels(config.modelRecordsDir)
  const host = createModelHost(config.models, {
    known,
    pacesDir: join(config.modelRecordsDir, PACES_FOLDER),
    secret: secretOf,
    onnxCacheDir: config.modelCacheDir,
    loadBuiltin: loadBuiltinModels,
  })
  const models = tracedModels(withAddresses(host, config.models, config.stateDir))
  closing.add(() => models.close())
  const store = await openVectorStore(config, closing)
  const logger = createLogger('platform', config.logLevel)
  for (const warning of config.warnings) logger.warn(warning)
  void startWarnings(config).then((warnings) => warnings.forEach((warning) => logger.warn(warning)))
  const app = createHttpServer({
    logger,
    translate: modelErrorResponse,
    requestTimeoutMs: config.requestTimeoutMs,
    // Containers name the machine that they run on host.docker.internal.
    trusted: { hosts: config.trustedHosts, origins: config.corsOrigins },
    gate: async (request, reply) => {
      allowOrigin(config.corsOrigins, request, reply)
    },
  })
  const routes = openDoor(app, config, logger)
  const requestFamilies = measureRequests(app)
  let own: string | null = null
  const rerankerOf = await openReranker(config, closing)
  const parts: Parts = { config, app, store, models, closing, logger, rerankerOf }
  const graph = openGraph(parts)
  if (config.graphEngineUrl !== null) await startsWith('GRAPHENGINE_URL', () => graph.probe())
  const workflow = await openWorkflow({ ...parts, baseUrl: () => own ?? 'http://not-listening.invalid' })
  const backend = await openAliasBackend({ ...parts, graph, workflow })
  const gateway = createGateway({
    project: config.consumer.project,
    aliases: servedAliases(config),
    backend,
    models,
    cache: createResponseCache({ ttlMs: config.gatewayCacheTtlMs, maxEntries: CACHE_ENTRIES, maxBytes: CACHE_BYTES }),
    listed: config.gatewayListed,
    // An ingestion of another process is not seen from here.
    dataVersion: async () => (config.ragPluginUrl === null ? `${await storeVersion(store)}\n${graph.version()}` : null),
  })
  gateway.register(app)
  registerChunkRoutes(app, { embed: (texts, signal) => models.embed('embed', texts, 'document', signal) })
  registerDraftRoutes(app, { models })
  registerSearchRoutes(app, {
    store,
    embedQuery: async (text, signal) => (await models.embed('embed', [text], 'query', signal))[0]!,
  })
  registerEvaluatorRoutes(app, models)
  const ingestion = await openIngestion({ ...parts, graph, backend })
  const converter = config.converter === null ? null : converterParser(config.converter)
  if (converter !== null) closing.add(() => converter.close())
  registerExtractionRoutes(app, { settings: config.extraction, converter, isDocument: isConvertible })
  const recordsFile = join(config.stateDir, 'platform.sqlite')
  const records = await openStore(config.database === null ? recordsFile : 'DATABASE_URL', () =>
    openRecords({
      app,
      file: recordsFile,
      config,
      models,
      corpora: {
        collections: config.consumer.ingestion_profiles.map((profile) => collectionsOf(profile).plain),
        store,
        rerank: (query, texts, signal) => rerankInBatches(rerankerOf(models), query, texts, signal),
      },
      logger,
      closing,
    }),
  )
  registerRerankerRoutes(app, models, config.version)
  registerRayRoutes(app, config.ray, closing)
  registerWorkflowRoutes(app, config.workflowApi, closing)
  registerRerankAdapter(app, { reranker: rerankerOf(models), timeoutMs: config.rerankAdapter.timeoutMs })
  const usage = () => ({
    model_calls: models.usage(),
    alias_calls: gateway.aliasCalls(),
    model_usage: models.modelUsage(),
    model_records: known.records(),
  })
  registerStatusRoutes(app, {
    version: config.version,
    revision: config.revision,
    models: models.resolved(),
    usage,
    // The lists that a question is answered from; what is elsewhere does not work again by a restart of this process.
    own: {
      ingestion: async () => ingestion.list({ limit: 1 }),
      ...(config.vectorStore.url === null ? { vector_store: () => store.list() } : {}),
      ...(config.graphEngineUrl === null ? { graph_engine: () => graph.probe() } : {}),
    },
    probes: {
      vector_store: () => store.list(),
      ingestion: async () => ingestion.list({ limit: 1 }),
      database: () => records.probe(),
      object_store: () => records.probeObjects(),
      gateway: () => gateway.modelList(false),
      graph_engine: () => graph.probe(),
      workflow_engine: () => workflow.probe(),
      ...remoteProbes(config),
    },
    plugins: async () => {
      const { plugins } = await pluginList({ consumer: config.consumer, backend, ...pluginVariables(config, secretOf) })
      return { plugins: [...plugins, ...furtherPlugins(config.plugins, secretOf)] }
    },
    routes,
  })
  await mountPlugins({
    app,
    plugins: config.plugins,
    variable: secretOf,
    answer: (alias, question, signal) =>
      backend.answer(alias, { model: alias, messages: [{ role: 'user', content: question }] }, signal),
  })
  registerMetricsRoute(app, requestFamilies, { version: config.version, usage })
  closing.add(() => closeGracefully(app, CLOSE_GRACE_MS))
  const port = config.port ?? DEFAULT_PORT
  const declared = { port, isDefault: config.port === null }
  const listening = await listenDeclared(app, config.host, declared).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE')
      throw new PlatformConfigError([
        `port ${port} on ${config.host} is taken: end the program that uses it, or choose another port by PLATFORM_PORT`,
      ])
    throw systemProblem(`cannot listen on ${config.host} port ${port}`, error)
  })
  own = listening.url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
  return { ...listening, url: own, close: () => closing.closeAll() }
}

/** Taken when it is free, so that a chat client or a container keeps one address. */
const DEFAULT_PORT = 4871

/** Guards every route from here on; logs a warning when no caller can be let in. */
function openDoor(app: FastifyInstance, { consumer, identity, edge, plugins }: PlatformConfig, logger: Logger) {
  const problem = identityProblem(identity)
  if (problem !== null) logger.error(problem)
  const routers = plugins.flatMap(({ manifest, isAllowed }) => (isAllowed ? manifest.routers : []))
  return guardRoutes(app, { policies: routePolicies({ ...consumer, routers }), identity, edge })
}

/** The store at VECTOR_STORE_URL, which `/ready` asks, else one file of this process. */
async function openVectorStore({ vectorStore, stateDir }: PlatformConfig, closing: ClosingList): Promise<VectorStore> {
  if (vectorStore.url !== null) {
    const store = openWeaviateVectorStore(vectorStore.url, vectorStore.apiKey)
    closing.add(() => store.close())
    await startsWith('VECTOR_STORE_URL', () => store.list())
    return store
  }
  const file = join(stateDir, 'vectors.sqlite')
  const store = await openStore(file, () => openSqliteVectorStore(file))
  closing.add(() => store.close())
  // Opening reads the first page only: damage after it shows when the collections are listed.
  await openStore(file, () => store.list())
  return store
}

/** The service at RERANKER_URL, which must score one text, else the role `rerank` of the models. */
async function openReranker({ rerankAdapter }: PlatformConfig, closing: ClosingList): Promise<RerankerOf> {
  const { url, apiKey } = rerankAdapter
  if (url === null) return modelReranker
  const reranker = httpReranker(url, apiKey)
  closing.add(() => reranker.close())
  const signal = AbortSignal.timeout(START_PROBE_MS)
  await startsWith('RERANKER_URL', () => rerankInBatches(reranker, 'start', ['start'], signal))
  return () => reranker
}

function pluginVariables({ models }: PlatformConfig, variable: (name: string) => string | undefined) {
  const secrets = Object.values(models.roles).flatMap((choice) => (isRemoteModel(choice) ? [choice.api_key_env] : []))
  const named = new Set(['RAG_PROFILE', 'RAG_MODEL_SET', 'RAG_PLUGIN_URL', ...secrets.filter((name) => name !== null)])
  return { variables: [...named], variable }
}

/** The workflow engine in this process, seeded with the declared workflow, or the one at `workflowUrl`. */
async function openWorkflow(parts: Parts & { baseUrl: () => string }): Promise<WorkflowPart> {
  const { config, app, closing, logger, baseUrl } = parts
  const { webhook_path: webhookPath } = config.consumer.workflow
  const { gateway, operator } = config.identity.tokens
  const { url } = config.workflowApi
  if (url !== null) {
    const { workflowToken: token, workflowFile: file } = config
    return remoteWorkflow({ api: { ...config.workflowApi, url }, webhookPath, token, file, logger, closing })
  }
  const starters = config.consumer.aliases.filter(({ base }) => base === 'workflow-adaptive-rag')
  const loopAliases = new Set(starters.map(({ alias }) => alias))
  const token = gateway ?? operator ?? null
  return embeddedWorkflow({ app, logger, closing, file: config.workflowFile, webhookPath, baseUrl, token, loopAliases })
}

/** Ingestion with a worker in this process. */
async function openIngestion(parts: Parts & { graph: GraphPart; backend: AliasBackend }): Promise<IngestionService> {
  const { config, app, store, models, closing, logger, graph, backend } = parts
  const parsers = [
    ...(config.converter === null ? [] : [converterParser(config.converter)]),
    ...(config.speech === null ? [] : [speechParser(config.speech)]),
  ]
  for (const parser of parsers) closing.add(() => parser.close())
  const stateFile = join(config.stateDir, 'ingestion.sqlite')
  const service = await openStore(
    stateFile,
    () =>
      new IngestionService({
        stateFile,
        corpusRoots: { project: config.corpusRoot, own: config.ownDatasetsRoot },
        consumer: config.consumer.project,
        profiles: config.consumer.ingestion_profiles,
        store,
        embed: (texts, signal) => models.embed('embed', texts, 'document', signal),
        embeddingSpace: models.embeddingSpace(),
        limits: config.corpusLimits,
        leaseSeconds: config.ingestionLeaseSeconds,
        parsers,
        graph: (profile) => graph.target(profile),
        prepare: async (...written) => backend.prepare?.(...written),
        logger,
      }),
  )
  closing.add(() => service.close())
  await openStore(stateFile, () => service.list({ limit: 1 }))
  registerIngestionRoutes(app, service)
  service.start()
  return service
}

/** The declared aliases and the keyword baseline; a plugin elsewhere need not have the baseline. */
function servedAliases({ consumer, flavors, ragPluginUrl }: PlatformConfig): readonly AliasDeclaration[] {
  return ragPluginUrl === null ? [...joinAliases(consumer, flavors).aliases.values()] : consumer.aliases
}

/** The plugin in this process, its routes included, or the one at `ragPluginUrl`. Throws when a declared alias is unknown to it. */
async function openAliasBackend(parts: Parts & Engines): Promise<AliasBackend> {
  const { consumer, ragPluginUrl } = parts.config
  const blurbs = join(parts.config.stateDir, 'rag', 'blurbs.sqlite')
  const backend =
    ragPluginUrl === null
      ? await openStore(blurbs, () => embeddedPlugin(parts))
      : await remotePlugin(parts, ragPluginUrl)
  await requireKnownAliases(
    consumer.aliases.map(({ alias }) => alias),
    backend,
  )
  return backend
}

function embeddedPlugin(parts: Parts & Engines): AliasBackend {
  const { config, app, store, models, closing, rerankerOf, graph, workflow, logger } = parts
  const own = createOwnEngine(config.own, join(config.stateDir, 'approaches'), process.env)
  closing.add(() => own.close())
  const plugin = createRagPlugin({
    own,
    aliases: config.consumer,
    flavors: config.flavors,
    profile: config.profile,
    store,
    models,
    rerankerOf,
    graph: graph.queries,
    workflow: workflow.client,
    stateDir: join(config.stateDir, 'rag'),
    routePrefix: config.consumer.plugin.route_prefix,
    logger,
  })
  closing.add(() => plugin.close())
  plugin.register(app)
  return plugin
}

async function remotePlugin({ config, closing }: Parts, url: string): Promise<AliasBackend> {
  const { createHttpAliasBackend } = await import('../gateway/http-alias-backend.ts')
  const backend = createHttpAliasBackend({
    url,
    routePrefix: config.consumer.plugin.route_prefix,
    bases: new Map(config.consumer.aliases.map(({ alias, base }) => [alias, base])),
    token: config.identity.tokens.operator ?? null,
    edgeKey: config.edge.key,
  })
  closing.add(() => backend.close())
  return backend
}

async function storeVersion(store: VectorStore): Promise<string> {
  return (await store.list()).map(({ name, contentDigest }) => `${name}=${contentDigest}`).join('\n')
}
