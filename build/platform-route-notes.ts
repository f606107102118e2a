import { EVALUATE_LIMITS } from '../contract/http/evaluate.ts'
import { GRAPH_QUERY_LIMITS } from '../contract/http/graph-engine.ts'
import { RERANK_ADAPTER_LIMITS } from '../contract/http/rerank.ts'
import type { VariableName } from '../contract/settings/variables.ts'

/** Describes what a person must know of a route besides its policy. */
export interface RouteNote {
  what: string
  /** Limits of its own; every JSON body has at most 16 MiB. */
  limits?: string
  settings?: readonly VariableName[]
}

export interface RouteSection {
  title: string
  /** The product whose routes these are, or are shaped like. */
  counterpart: string
  routes: Readonly<Record<string, RouteNote>>
}

const IDENTITY = ['BACKEND_IDENTITY_AUTH', 'BACKEND_JWT_SECRET', 'BACKEND_JWT_CLAIMS'] as const
const TASKS = [
  'TASK_WORKER_CONCURRENCY',
  'TASK_WORKER_PREFETCH_MULTIPLIER',
  'TASK_TIME_LIMIT_SECONDS',
  'TASK_SOFT_TIME_LIMIT_SECONDS',
  'TASK_BROKER_VISIBILITY_TIMEOUT_SECONDS',
  'TASK_SIGNING_SECRET',
  'DATABASE_URL',
  'BACKEND_DB_POOL_MIN',
  'BACKEND_DB_POOL_MAX',
] as const
const WORKER_SETTINGS = [
  'ASSET_WORKER_API_TOKEN',
  'ASSET_WORKER_MAX_UPLOAD_MB',
  'ASSET_WORKER_TIMEOUT_SECONDS',
  'ASSET_WORKER_CONCURRENCY',
] as const
const BAKER_SETTINGS = [
  'ASSET_BAKER_API_TOKEN',
  'ASSET_BAKER_MAX_UPLOAD_MB',
  'ASSET_BAKER_TIMEOUT_SECONDS',
  'ASSET_BAKER_CONCURRENCY',
  'ASSET_BAKER_TARGET_TRIS',
  'ASSET_BAKER_TEX_SIZE',
  'ASSET_BAKER_CANONICAL_SIZE',
  'ASSET_BAKER_BRIGHTNESS_MIN',
] as const
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** The page `docs/platform.md` in its order: every route of the policy table once. `rag` is the plugin's route prefix. */
export function routeSections(rag: string): readonly RouteSection[] {
  const graph = '/graph-engine'
  const upload = 'One file of 16 MiB'
  return [
    {
      title: 'State',
      counterpart: "The specified platform's FastAPI backend; `/health/liveliness` and `/health/readiness`: LiteLLM",
      routes: {
        'GET /': { what: 'Welcome' },
        'GET /health': { what: 'Liveness, version and models' },
        'GET /ready': { what: 'Probes exactly what is configured; 503 when one fails', limits: '3 s a probe' },
        'GET /health/liveliness': { what: "Liveness in the gateway's form" },
        'GET /health/readiness': { what: "Readiness in the gateway's form" },
        'GET /metrics': { what: 'Requests, model calls and this process for Prometheus' },
        'GET /plugins': { what: 'Plugins with route prefix, auth and masked variables' },
        'GET /internal/usage': { what: 'Model and alias calls since the start (our own)' },
        'GET /internal/routes': { what: 'Every route with its policy and body limit (our own)' },
      },
    },
    {
      title: 'Backend',
      counterpart: "The specified platform's FastAPI backend: Chonkie, Ragas and ingestion",
      routes: {
        'POST /api/chunk': { what: 'Cuts a text into chunks', limits: '1,000,000 characters; chunk size 1 to 8192' },
        'POST /api/questions/draft': {
          what: 'Drafts questions that passages answer, by one model call (our own)',
          limits: '2 passages of 20,000 characters, 10 questions',
        },
        'POST /api/rag/search': { what: 'Searches a collection (our own)', limits: '8,000 characters, 200 hits' },
        'POST /api/rag/evaluate': {
          what: 'Scores answers by metrics',
          limits: `${EVALUATE_LIMITS.records} records; question ${EVALUATE_LIMITS.question}, answer ${EVALUATE_LIMITS.answer} characters, ${EVALUATE_LIMITS.contexts} contexts`,
        },
        'POST /api/rag/ingestions': {
          what: 'Starts an ingestion, or returns the one that has the same content',
          settings: [
            'RAG_INGESTION_CORPUS_ROOT',
            'RAG_INGESTION_MAX_FILE_BYTES',
            'RAG_INGESTION_MAX_CORPUS_BYTES',
            'RAG_INGESTION_MAX_FILES',
            'RAG_INGESTION_EXECUTION_LEASE_SECONDS',
          ],
        },
        'GET /api/rag/ingestions': { what: 'Ingestions, newest first', limits: '200 a page' },
        'GET /api/rag/ingestions/:id': { what: 'One ingestion with its phases' },
        'POST /api/rag/ingestions/:id/cancel': { what: 'Requests cancellation' },
        'DELETE /api/rag/ingestions/profiles/:profile': { what: 'Removes what a profile has ingested (our own)' },
      },
    },
    {
      title: 'Documents, objects and jobs',
      counterpart: "The specified platform's FastAPI backend; states of jobs: Celery; objects: Supabase Storage",
      routes: {
        'POST /documents/extract': {
          what: 'Text of a document, through the converter; 502 with one message when that fails',
          settings: ['EXTRACTION_MAX_FILE_SIZE', 'EXTRACTION_TIMEOUT_SECONDS', 'DOCCONV_ENDPOINT'],
        },
        'POST /storage/upload': {
          what: 'Stores a file in a bucket; 409 for a name that is taken',
          limits: 'File names of 255 letters, digits, dots, hyphens, underscores and spaces',
          settings: [
            'MAX_UPLOAD_BYTES',
            'STORAGE_BUCKETS',
            'STORAGE_QUOTA_BYTES',
            'S3_ENDPOINT',
            'S3_BUCKET',
            'S3_REGION',
            'S3_ACCESS_KEY_ID',
            'S3_SECRET_ACCESS_KEY',
            'S3_FORCE_PATH_STYLE',
          ],
        },
        'GET /storage/objects/:bucket/:name': { what: 'The bytes of an object, as an attachment (our own)' },
        'GET /jobs': { what: 'Background jobs of a user, newest first (our own)', limits: '100 a page' },
        'GET /jobs/:job_id': {
          what: 'State, result and log of a background job; 403 for one that another secret signed',
          settings: TASKS,
        },
        'POST /jobs/:job_id/cancel': { what: 'Requests cancellation; 409 for a job that has ended (our own)' },
      },
    },
    {
      title: 'Memory',
      counterpart:
        "The specified platform's FastAPI backend: `POST /memory/consolidate`; the other routes are our own, for its specified records",
      routes: {
        'POST /memory/facts': {
          what: 'Stores a fact about a user',
          limits: '2,000 characters',
          settings: ['MEMORY_MAX_FACTS'],
        },
        'GET /memory/facts': { what: 'Facts of a user, newest first', limits: '100 a page' },
        'DELETE /memory/facts/:fact_id': { what: 'Removes a fact' },
        'POST /memory/search': { what: 'Facts of a user by meaning', limits: '4,000 characters, 50 hits' },
        'POST /memory/sessions': { what: 'Opens a session', limits: 'Title of 200 characters' },
        'GET /memory/sessions': { what: 'Sessions of a user, newest first', limits: '100 a page' },
        'GET /memory/sessions/:session_id': { what: 'A session with its messages' },
        'POST /memory/sessions/:session_id/messages': { what: 'Adds a message', limits: '16,000 characters' },
        'DELETE /memory/sessions/:session_id': { what: 'Removes a session; its facts stay' },
        'POST /memory/consolidate': {
          what: 'Takes facts from unread messages, as a background job with a log',
          settings: TASKS,
        },
      },
    },
    {
      title: 'Research',
      counterpart: "The specified platform's FastAPI backend",
      routes: {
        'POST /research/start': {
          what: 'Starts a research session as a background job; 429 for one too many',
          limits: '4,000 characters, 10 loops',
          settings: ['RESEARCH_MAX_CONCURRENT', 'RESEARCH_SESSION_LEASE_SECONDS', 'SEARXNG_URL', ...TASKS],
        },
        'GET /research/sessions': { what: 'Sessions of a user, newest first', limits: '100 a page' },
        'GET /research/:session_id/status': { what: 'State of a session' },
        'GET /research/:session_id/result': { what: 'Answer, report and sources; 409 until it is done' },
        'GET /research/:session_id/logs': { what: 'What a session has done so far' },
        'POST /research/:session_id/cancel': { what: 'Requests cancellation; 409 for a session that has ended' },
      },
    },
    {
      title: 'Media',
      counterpart: "The specified platform's FastAPI backend; hosted provider: the queue of fal",
      routes: {
        'POST /media/generate': {
          what: 'Starts a media operation as a background job; 402 over a cap, 503 for a disabled provider',
          limits: 'Images of ComfyUI of 64 to 4,096 pixels a side, 150 steps, cfg 30; timeout of 3600 s',
          settings: [
            'MEDIA_REQUEST_MAX_BYTES',
            'MEDIA_INPUT_MAX_BYTES',
            'MEDIA_INPUT_MAX_PIXELS',
            'MEDIA_LOCAL_ENABLED',
            'COMFYUI_URL',
            'COMFYUI_CHECKPOINT',
            'MEDIA_FAL_ENABLED',
            'MEDIA_FAL_MODELS',
            'FAL_API_KEY',
            'FAL_ENDPOINT',
            'HOSTED_PROVIDER_TIMEOUT_SECONDS',
            'IMAGEGEN_MAX_IMAGE_BYTES',
          ],
        },
        'GET /media/operations': { what: 'Operations of a user, newest first (our own)', limits: '100 a page' },
        'GET /media/operations/:operation_id': {
          what: 'State, artifacts, cost, licence and provenance of an operation',
          settings: ['MEDIA_OPERATION_TTL_SECONDS'],
        },
        'POST /media/operations/:operation_id/cancel': {
          what: 'Requests cancellation, which the provider confirms; 409 for an operation that has ended or has no request id yet',
        },
        'POST /media/operations/:operation_id/reconcile': {
          what: 'Commits or releases the cost of an operation whose outcome is unknown',
        },
        'GET /media/spend': {
          what: 'Reserved and spent amounts by consumer and project (our own)',
          settings: [
            'MEDIA_BUDGET_ENABLED',
            'MEDIA_BUDGET_STORE',
            'MEDIA_BUDGET_CURRENCY',
            'MEDIA_BUDGET_DEFAULT_USD',
            'MEDIA_BUDGET_CONSUMER_CAPS',
            'MEDIA_BUDGET_ALLOW_UNKNOWN_COST',
            'MEDIA_BUDGET_RETENTION_DAYS',
          ],
        },
      },
    },
    {
      title: 'Images',
      counterpart: "The specified platform's simple image route in front of ComfyUI; the local image provider draws",
      routes: {
        'POST /imagegen/generate': {
          what: 'Has ComfyUI draw an image and waits for it; 400 for invalid fields, 504 with `prompt_id` at the deadline',
          limits: '64 to 4,096 pixels a side, 150 steps, cfg 30, 4,000 characters, 32 callers that wait',
          settings: ['IMAGEGEN_COMPLETION_TIMEOUT_SECONDS', 'MEDIA_LOCAL_ENABLED', 'COMFYUI_URL', 'COMFYUI_CHECKPOINT'],
        },
        'GET /imagegen/image/:filename': {
          what: 'A generated image; those of other users are 404',
          settings: ['IMAGEGEN_MAX_IMAGE_BYTES'],
        },
      },
    },
    {
      title: 'Plugin',
      counterpart: "The specified platform's RAG plugin",
      routes: {
        [`GET ${rag}/health`]: { what: 'State of the approaches' },
        [`POST ${rag}/:approach/v1/chat/completions`]: {
          what: 'Asks an approach; the answer carries `rag_extension`',
          settings: ['RAG_PLUGIN_URL', 'RAG_PROFILE'],
        },
        [`POST ${rag}/contextual/build`]: { what: 'Builds the contextual collection of a profile' },
        [`POST ${rag}/tree/build`]: { what: 'Builds the tree of summaries of a profile' },
      },
    },
    {
      title: 'Gateway',
      counterpart: 'LiteLLM (OpenAI API)',
      routes: {
        'GET /v1/models': { what: 'Aliases and models', settings: ['GATEWAY_LIST_MODELS'] },
        'GET /v1/models/*': { what: 'One alias or model' },
        'POST /v1/chat/completions': {
          what: 'Asks an alias or a model',
          settings: ['GATEWAY_MASTER_KEY', 'GATEWAY_CACHE_TTL_SECONDS'],
        },
        'POST /v1/embeddings': { what: 'Embeds texts', limits: '2,048 texts' },
        ...Object.fromEntries(
          METHODS.map((method) => [`${method} /v1/*`, { what: "Other paths: 404 in the API's form" }]),
        ),
      },
    },
    {
      title: 'Reranker and rerank adapter',
      counterpart: 'TEI; the adapter: the rerank binding of LightRAG (Jina, Cohere)',
      routes: {
        'POST /rerank': {
          what: 'Scores texts for a query',
          limits: '32 texts',
          settings: ['RERANKER_URL', 'RERANKER_API_KEY'],
        },
        'POST /embed': { what: 'Embeds texts' },
        'GET /info': { what: 'The reranking model' },
        [`POST ${graph}/rerank`]: {
          what: 'Ranks documents, in batches of 32',
          limits: `${RERANK_ADAPTER_LIMITS.documents} documents of ${RERANK_ADAPTER_LIMITS.document} characters; query ${RERANK_ADAPTER_LIMITS.query}`,
          settings: ['GRAPHENGINE_RERANK_ADAPTER_TOKEN', 'GRAPHENGINE_RERANK_ADAPTER_TIMEOUT_SECONDS'],
        },
      },
    },
    {
      title: 'Graph engine',
      counterpart:
        'LightRAG; with `GRAPHENGINE_URL` the engine there answers in its place, and these routes do not exist',
      routes: {
        [`GET ${graph}/health`]: { what: 'State of the engine', settings: ['GRAPHENGINE_URL', 'GRAPHENGINE_API_KEY'] },
        [`GET ${graph}/graph`]: { what: 'Entities and relations for a picture (our own)' },
        [`POST ${graph}/query`]: {
          what: 'Asks the graph',
          limits: `${GRAPH_QUERY_LIMITS.query} characters, 3 at least`,
        },
        [`POST ${graph}/query/data`]: { what: 'What an answer would rest on' },
        [`POST ${graph}/query/stream`]: { what: 'Asks the graph, as lines of JSON' },
        [`POST ${graph}/documents/upload`]: { what: 'Adds a document', limits: upload },
        [`POST ${graph}/documents/text`]: { what: 'Adds a text' },
        [`POST ${graph}/documents/texts`]: { what: 'Adds texts', limits: '10,000 texts' },
        [`POST ${graph}/documents/paginated`]: { what: 'Documents by page', limits: '10 to 200 a page' },
        [`POST ${graph}/documents/reprocess_failed`]: { what: 'Processes failed documents again' },
        [`POST ${graph}/documents/cancel_pipeline`]: { what: 'Stops processing' },
        [`GET ${graph}/documents/pipeline_status`]: { what: 'What is processed at present' },
        [`GET ${graph}/documents/track_status/:trackId`]: { what: 'Documents of one upload' },
        [`GET ${graph}/documents/status_counts`]: { what: 'Documents by state' },
        [`DELETE ${graph}/documents`]: { what: 'Removes every document' },
        [`DELETE ${graph}/documents/delete_document`]: { what: 'Removes documents', limits: '10,000 ids' },
      },
    },
    {
      title: 'Job server',
      counterpart:
        'Ray (job API of its dashboard), at `RAY_URL`; 503 without it. `RAY_JOB_API_TOKEN` is needed in every mode',
      routes: {
        'GET /api/ray/version': {
          what: 'Version of Ray',
          settings: ['RAY_URL', 'RAY_AUTH_TOKEN', 'RAY_TIMEOUT_SECONDS', 'RAY_MAX_RESPONSE_BYTES'],
        },
        'GET /api/ray/jobs': { what: 'Jobs' },
        'POST /api/ray/jobs': { what: 'Submits a job', limits: 'Body of 1 MiB' },
        'GET /api/ray/jobs/:submission_id': { what: 'State of a job' },
        'DELETE /api/ray/jobs/:submission_id': { what: 'Removes an ended job' },
        'GET /api/ray/jobs/:submission_id/logs': { what: 'Log of a job' },
        'POST /api/ray/jobs/:submission_id/stop': { what: 'Stops a job' },
      },
    },
    {
      title: 'Asset worker and asset baker',
      counterpart:
        "The specified platform's processors of 3D models; the worker: glTF-Transform; the baker there: Blender. Results are kept for seven days and count towards `STORAGE_QUOTA_BYTES`",
      routes: {
        'GET /asset-worker/health': { what: 'Models under way and places' },
        'POST /asset-worker/gltf/postprocess': {
          what: 'Places, scales and optimizes a GLB file; 422 names what is wrong with it',
          limits:
            'One file of ASSET_WORKER_MAX_UPLOAD_MB; 429 before the body is read; 504 at the deadline; textures of 2,048 pixels',
          settings: WORKER_SETTINGS,
        },
        'POST /asset-worker/gltf/postprocess/ref': {
          what: 'The same for a stored object',
          limits: 'Buckets of STORAGE_BUCKETS; 429 before the body is read',
        },
        'GET /asset-worker/gltf/artifacts/:name': { what: 'A result, by its SHA-256' },
        'GET /asset-baker/health': { what: 'Models under way and places' },
        'POST /asset-baker/assets/bake': {
          what: 'Brings a GLB file to triangle budget, texture limit and canonical size; 422 for a model that is too dark',
          limits: 'One file of ASSET_BAKER_MAX_UPLOAD_MB; 429 before the body is read; 504 at the deadline',
          settings: BAKER_SETTINGS,
        },
        'POST /asset-baker/assets/bake/ref': {
          what: 'The same for a stored object',
          limits: 'Buckets of STORAGE_BUCKETS; 429 before the body is read',
        },
        'GET /asset-baker/assets/artifacts/:name': { what: 'A result, by its SHA-256' },
      },
    },
    {
      title: 'Workflow API',
      counterpart: 'n8n (public API), at `WORKFLOW_URL`; 503 without it or without `WORKFLOW_API_KEY`',
      routes: {
        'GET /workflows': {
          what: 'Workflows',
          settings: [
            'WORKFLOW_URL',
            'WORKFLOW_API_KEY',
            'WORKFLOW_SEED_HTTP_TIMEOUT_MS',
            'WORKFLOW_SEED_MAX_RESPONSE_BYTES',
          ],
        },
        'POST /workflows': { what: 'Adds a workflow' },
        'GET /workflows/:workflow_id': { what: 'A workflow' },
        'PUT /workflows/:workflow_id': { what: 'Replaces a workflow' },
        'DELETE /workflows/:workflow_id': { what: 'Removes a workflow' },
        'POST /workflows/:workflow_id/activate': { what: 'Activates a workflow' },
        'POST /workflows/:workflow_id/deactivate': { what: 'Deactivates a workflow' },
      },
    },
    {
      title: 'Workflow engine',
      counterpart: 'n8n; with `WORKFLOW_URL` the engine there answers in its place, and these routes do not exist',
      routes: Object.fromEntries(
        METHODS.map((method) => [
          `${method} /webhook/:path`,
          {
            what: 'Starts the active workflow of that path',
            ...(method === 'POST' ? { settings: ['WORKFLOW_URL', 'WORKFLOW_WEBHOOK_TOKEN'] as const } : {}),
          },
        ]),
      ),
    },
  ]
}

/** Settings of every route that needs an identity. */
export const IDENTITY_SETTINGS: readonly VariableName[] = [...IDENTITY, 'BACKEND_EDGE_AUTH', 'BACKEND_EDGE_API_KEY']
