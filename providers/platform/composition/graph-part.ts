import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { createHttpClient } from '../../../core/http/http-client.ts'
import type { Logger } from '../../kit/logger.ts'
import type { ClosingList } from '../jobs/closing-list.ts'
import { PlatformConfigError, type PlatformConfig } from './config.ts'
import { createGraphWorkspaces } from '../stores/graph-engine/create-graph-engine.ts'
import { GraphEngineError } from '../stores/graph-engine/errors.ts'
import type { GraphEngineErrorCode } from '../stores/graph-engine/errors.ts'
import type { GraphEngine } from '../stores/graph-engine/graph-engine.ts'
import { graphTargetClient } from '../stores/graph-engine/graph-target.ts'
import { httpGraphTargetClient } from '../specified/compatibility/lightrag/client.ts'
import { registerGraphEngineRoutes } from '../specified/compatibility/lightrag/server.ts'
import type { GraphTargetClient } from '../ingestion/graph-phases.ts'
import type { ModelHost } from '../models/model-host.ts'
import { embeddedGraphQueries } from '../rag/graph/embedded-graph-queries.ts'
import type { GraphQueries } from '../rag/graph/graph-queries.ts'
import { httpGraphQueries } from '../rag/graph/http-graph-queries.ts'
import { rerankInBatches } from '../models/tei/reranker.ts'
import type { RerankerOf } from '../models/tei/reranker.ts'

/** States where the engine's own routes are. */
const GRAPH_ENGINE_PREFIX = '/graph-engine'

/** The platform's graph engine, in this process or in another. */
export interface GraphPart {
  queries: GraphQueries
  /** Returns where the documents of an ingestion profile go. */
  target(profile: string): GraphTargetClient
  /** Changes whenever what queries can see changes; empty where that cannot be seen. */
  version(): string
  /** Resolves when the engine works. */
  probe(): Promise<unknown>
}

interface GraphDeps {
  config: PlatformConfig
  app: FastifyInstance
  models: ModelHost
  rerankerOf: RerankerOf
  logger: Logger
  closing: ClosingList
}

/** The graph engine of the active profile in this process, or the one at `graphEngineUrl`. */
export function openGraph(deps: GraphDeps): GraphPart {
  const { graphEngineUrl: url, identity } = deps.config
  return url === null ? embeddedGraph(deps) : remoteGraph(url, identity.graphEngineKey, deps.closing)
}

/** The engine in this process, with its routes and a file per ingestion profile. Throws `PlatformConfigError` when the active profile's file cannot be used. */
function embeddedGraph({ config, app, models, rerankerOf, logger, closing }: GraphDeps): GraphPart {
  const folder = join(config.stateDir, 'graph')
  mkdirSync(folder, { recursive: true })
  const workspaces = createGraphWorkspaces(
    folder,
    {
      models,
      rerank: ({ query, documents, models: metered }, signal) =>
        rerankInBatches(rerankerOf(metered), query, documents, signal),
      apiKey: config.identity.graphEngineKey,
      onError: (error, where) => logger.error({ err: error, where }, 'graph engine'),
    },
    (profile) => config.consumer.ingestion_profiles.find(({ name }) => name === profile)?.entity_types,
  )
  closing.add(() => workspaces.close())
  const engine = openOrProblem(() => workspaces.open(config.profile))
  void app.register(
    (scope) => registerGraphEngineRoutes(scope, (name) => (name === null ? engine : workspaces.opened(name))),
    { prefix: GRAPH_ENGINE_PREFIX },
  )
  return {
    queries: embeddedGraphQueries(engine),
    target: (name) => graphTargetClient(workspaces.open(name)),
    version: () => engine.version(),
    probe: async () => engine.pipelineStatus(),
  }
}

const REMEDIES: Partial<Record<GraphEngineErrorCode, string>> = {
  file_in_use: 'End the other platform, or give this one another folder by RAG_LADDER_STATE_DIR',
}
const OTHER_FILE = 'Move it away and ingest the corpus again, or start a run with a cold reset (Cold start)'

function openOrProblem(open: () => GraphEngine): GraphEngine {
  try {
    return open()
  } catch (error) {
    if (error instanceof GraphEngineError)
      throw new PlatformConfigError([`${error.message}. ${REMEDIES[error.code] ?? OTHER_FILE}`])
    throw error
  }
}

/** An engine over HTTP: this platform's in another process, or a real LightRAG. */
function remoteGraph(url: string, apiKey: string | null, closing: ClosingList): GraphPart {
  const queries = httpGraphQueries({ url, apiKey })
  closing.add(() => queries.close())
  return {
    queries,
    target: () => httpGraphTargetClient(url, apiKey),
    version: () => '',
    // Its health is open; the state of its pipeline is not, so that a wrong key shows.
    async probe() {
      const headers: Record<string, string> = apiKey === null ? {} : { 'x-api-key': apiKey }
      const { status } = await createHttpClient(headers).send(`${url}/documents/pipeline_status`, {
        timeoutMs: PROBE_MS,
      })
      if (status === 401 || status === 403)
        throw new Error(`the graph engine refuses the key (HTTP ${status}): correct GRAPHENGINE_API_KEY`)
      if (status !== 200) throw new Error(`the graph engine answered HTTP ${status}`)
    },
  }
}

const PROBE_MS = 3000
