import type { ConsumerManifest } from '../../../contract/manifests/consumer.ts'
import type { PluginAuth, PluginRouter } from '../../../contract/manifests/plugin.ts'
import type { Principal } from './principals.ts'

/** Services with a token that opens their own routes only. */
export type OwnTokenPrincipal = 'rerank_adapter' | 'ray' | 'asset_worker' | 'asset_baker'

/** Who may use a route. */
export type RoutePolicy =
  | { kind: 'open' }
  /** One of these principals; `behindEdge` routes need the edge's key too, where the edge asks for one. */
  | { kind: 'identity'; allow: readonly Principal[]; behindEdge: boolean }
  /** The gateway's key, or the operator. */
  | { kind: 'gateway' }
  /** A token of the route's own, or the operator, whatever the mode; 503 while that token is not configured. */
  | { kind: 'own_token'; of: OwnTokenPrincipal }
  /** The edge's key in place of an identity, also while the edge itself asks for none. */
  | { kind: 'edge_key' }
  /** The graph engine's key in `X-API-Key`, which its own scope checks. */
  | { kind: 'graph_key' }
  /** No route of ours: every authenticated caller may learn that it does not exist. */
  | { kind: 'unknown' }

/** Describes what of the manifest the policies depend on. */
export interface PolicySurface {
  plugin: Pick<ConsumerManifest['plugin'], 'route_prefix' | 'auth'>
  /** Of the further plugins that run. */
  routers?: readonly PluginRouter[]
}

const OPEN: RoutePolicy = { kind: 'open' }
const GATEWAY: RoutePolicy = { kind: 'gateway' }
const GRAPH_KEY: RoutePolicy = { kind: 'graph_key' }
/** A job is a command that runs on a cluster: never open, also while identity is disabled. */
const RAY_JOBS: RoutePolicy = { kind: 'own_token', of: 'ray' }
const ASSET_WORKER: RoutePolicy = { kind: 'own_token', of: 'asset_worker' }
const ASSET_BAKER: RoutePolicy = { kind: 'own_token', of: 'asset_baker' }
const OPERATOR: RoutePolicy = { kind: 'identity', allow: ['operator'], behindEdge: true }
const ANY_USER: RoutePolicy = { kind: 'identity', allow: ['operator', 'user'], behindEdge: true }
/** Stateless document work: extraction, chunking, evaluation. */
const DOCUMENT_WORK: RoutePolicy = { kind: 'identity', allow: ['operator', 'notebook', 'user'], behindEdge: true }
/** Records of users: services act for every user, a user for itself only. */
const USER_RECORDS: RoutePolicy = {
  kind: 'identity',
  allow: ['operator', 'workflow', 'chatui', 'user'],
  behindEdge: true,
}
/** Research: as with records, but the chat interface has no part in it. */
const USER_RESEARCH: RoutePolicy = { kind: 'identity', allow: ['operator', 'workflow', 'user'], behindEdge: true }
/** Stored objects: as with records, a user has its own only. */
const USER_OBJECTS: RoutePolicy = { kind: 'identity', allow: ['operator', 'workflow', 'user'], behindEdge: true }
/** The workflow engine is a product of its own, not one of the backend's routes: a caller that may ask an alias may start a workflow. */
const WEBHOOK: RoutePolicy = { kind: 'identity', allow: ['operator', 'gateway', 'user'], behindEdge: false }

/** Lists what the manifest's `auth` means for the plugin's routes. Only `open` makes them public. */
const PLUGIN_AUTH: Record<PluginAuth, RoutePolicy> = {
  inherit: ANY_USER,
  'key-auth': { kind: 'edge_key' },
  open: OPEN,
}

/**
 * The policy of every route, by `METHOD /pattern`. A route that is missing here keeps the platform from starting.
 */
export function routePolicies({ plugin, routers = [] }: PolicySurface): ReadonlyMap<string, RoutePolicy> {
  const pluginRoute = PLUGIN_AUTH[plugin.auth]
  const rag = plugin.route_prefix
  const graph = '/graph-engine'
  return policyMap([
    // State. Probes carry no credential, and these bodies name dependencies and models only.
    ['GET /', OPEN],
    ['GET /health', OPEN],
    ['GET /ready', OPEN],
    ['GET /health/liveliness', OPEN],
    ['GET /health/readiness', OPEN],
    ['GET /metrics', OPERATOR],
    ['GET /plugins', OPERATOR],
    ['GET /internal/usage', OPERATOR],
    ['GET /internal/routes', OPERATOR],

    // Backend.
    ['POST /api/chunk', DOCUMENT_WORK],
    ['POST /api/questions/draft', OPERATOR],
    ['POST /api/rag/search', ANY_USER],
    ['POST /api/rag/evaluate', DOCUMENT_WORK],
    ['POST /api/rag/ingestions', OPERATOR],
    ['GET /api/rag/ingestions', OPERATOR],
    ['GET /api/rag/ingestions/:id', OPERATOR],
    ['POST /api/rag/ingestions/:id/cancel', OPERATOR],
    ['DELETE /api/rag/ingestions/profiles/:profile', OPERATOR],

    // Documents, objects and background jobs.
    ['POST /documents/extract', DOCUMENT_WORK],
    ['POST /storage/upload', USER_OBJECTS],
    ['GET /storage/objects/:bucket/:name', USER_OBJECTS],
    ['GET /jobs', USER_RECORDS],
    ['GET /jobs/:job_id', USER_RECORDS],
    ['POST /jobs/:job_id/cancel', USER_RECORDS],

    // Memory.
    ['POST /memory/facts', USER_RECORDS],
    ['GET /memory/facts', USER_RECORDS],
    ['DELETE /memory/facts/:fact_id', USER_RECORDS],
    ['POST /memory/search', USER_RECORDS],
    ['POST /memory/sessions', USER_RECORDS],
    ['GET /memory/sessions', USER_RECORDS],
    ['GET /memory/sessions/:session_id', USER_RECORDS],
    ['POST /memory/sessions/:session_id/messages', USER_RECORDS],
    ['DELETE /memory/sessions/:session_id', USER_RECORDS],
    ['POST /memory/consolidate', USER_RECORDS],

    // Research.
    ['POST /research/start', USER_RESEARCH],
    ['GET /research/sessions', USER_RESEARCH],
    ['GET /research/:session_id/status', USER_RESEARCH],
    ['GET /research/:session_id/result', USER_RESEARCH],
    ['GET /research/:session_id/logs', USER_RESEARCH],
    ['POST /research/:session_id/cancel', USER_RESEARCH],

    // Media. Bundled workflows have no part in it; only an operator settles what a lost submission cost.
    ['POST /media/generate', ANY_USER],
    ['GET /media/operations', ANY_USER],
    ['GET /media/operations/:operation_id', ANY_USER],
    ['POST /media/operations/:operation_id/cancel', ANY_USER],
    ['POST /media/operations/:operation_id/reconcile', OPERATOR],
    ['GET /media/spend', ANY_USER],

    // Images in the older form, which bundled workflows and the chat interface use.
    ['POST /imagegen/generate', USER_RECORDS],
    ['GET /imagegen/image/:filename', USER_RECORDS],

    // Plugin. Building a collection replaces what others read: no choice of the manifest opens it.
    [`GET ${rag}/health`, pluginRoute],
    [`POST ${rag}/:approach/v1/chat/completions`, pluginRoute],
    [`POST ${rag}/contextual/build`, OPERATOR],
    [`POST ${rag}/tree/build`, OPERATOR],

    // Further plugins.
    ...routers.flatMap(({ prefix, auth, routes }) =>
      routes.map((route) => {
        const [method, path] = route.split(' ') as [string, string]
        return [`${method} ${prefix}${path}`, PLUGIN_AUTH[auth]] as const
      }),
    ),

    // Gateway.
    ['GET /v1/models', GATEWAY],
    ['GET /v1/models/*', GATEWAY],
    ['POST /v1/chat/completions', GATEWAY],
    ['POST /v1/embeddings', GATEWAY],
    ...['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((method) => [`${method} /v1/*`, GATEWAY] as const),

    // Reranker.
    ['POST /rerank', OPERATOR],
    ['POST /embed', OPERATOR],
    ['GET /info', OPERATOR],
    [`POST ${graph}/rerank`, { kind: 'own_token', of: 'rerank_adapter' }],

    // Graph engine.
    [`GET ${graph}/health`, OPEN],
    [`GET ${graph}/graph`, GRAPH_KEY],
    [`POST ${graph}/query`, GRAPH_KEY],
    [`POST ${graph}/query/data`, GRAPH_KEY],
    [`POST ${graph}/query/stream`, GRAPH_KEY],
    [`POST ${graph}/documents/upload`, GRAPH_KEY],
    [`POST ${graph}/documents/text`, GRAPH_KEY],
    [`POST ${graph}/documents/texts`, GRAPH_KEY],
    [`POST ${graph}/documents/paginated`, GRAPH_KEY],
    [`POST ${graph}/documents/reprocess_failed`, GRAPH_KEY],
    [`POST ${graph}/documents/cancel_pipeline`, GRAPH_KEY],
    [`GET ${graph}/documents/pipeline_status`, GRAPH_KEY],
    [`GET ${graph}/documents/track_status/:trackId`, GRAPH_KEY],
    [`GET ${graph}/documents/status_counts`, GRAPH_KEY],
    [`DELETE ${graph}/documents`, GRAPH_KEY],
    [`DELETE ${graph}/documents/delete_document`, GRAPH_KEY],

    // Job server.
    ['GET /api/ray/version', RAY_JOBS],
    ['GET /api/ray/jobs', RAY_JOBS],
    ['POST /api/ray/jobs', RAY_JOBS],
    ['GET /api/ray/jobs/:submission_id', RAY_JOBS],
    ['DELETE /api/ray/jobs/:submission_id', RAY_JOBS],
    ['GET /api/ray/jobs/:submission_id/logs', RAY_JOBS],
    ['POST /api/ray/jobs/:submission_id/stop', RAY_JOBS],

    // Processors of 3D models, each with a token of its own.
    ['GET /asset-worker/health', OPEN],
    ['POST /asset-worker/gltf/postprocess', ASSET_WORKER],
    ['POST /asset-worker/gltf/postprocess/ref', ASSET_WORKER],
    ['GET /asset-worker/gltf/artifacts/:name', ASSET_WORKER],
    ['GET /asset-baker/health', OPEN],
    ['POST /asset-baker/assets/bake', ASSET_BAKER],
    ['POST /asset-baker/assets/bake/ref', ASSET_BAKER],
    ['GET /asset-baker/assets/artifacts/:name', ASSET_BAKER],

    // Workflow engine. Its public API changes what runs there with its credentials: operators only.
    ['GET /workflows', OPERATOR],
    ['POST /workflows', OPERATOR],
    ['GET /workflows/:workflow_id', OPERATOR],
    ['PUT /workflows/:workflow_id', OPERATOR],
    ['DELETE /workflows/:workflow_id', OPERATOR],
    ['POST /workflows/:workflow_id/activate', OPERATOR],
    ['POST /workflows/:workflow_id/deactivate', OPERATOR],
    ...['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((method) => [`${method} /webhook/:path`, WEBHOOK] as const),
  ])
}

function policyMap(entries: readonly (readonly [string, RoutePolicy])[]): Map<string, RoutePolicy> {
  const policies = new Map(entries)
  if (policies.size === entries.length) return policies
  throw new Error('a route has two access policies in identity/route-policy.ts')
}
