/**
 * Every environment variable of the program, once. Readers take names and defaults from here (`VariableName` is the only type of name that they
 * accept), `docs/guide/settings.md` is generated from it, and a test compares it with what the sources read.
 */

/** Programs that read a variable, in the order of the generated page. */
export const PROGRAMS = {
  runner: 'Runs: command line and control panel',
  app: 'Command line, engine and desktop app',
  platform: 'Embedded platform',
  converter: 'Document converter',
  adapter: 'Converter adapter',
  stt: 'Speech to text',
  tts: 'Text to speech',
  models: 'Model downloads (converter, speech to text, text to speech)',
  internal: 'Set by the program itself for its child processes',
} as const
export type Program = keyof typeof PROGRAMS

export interface Variable {
  by: Program
  /** What the value looks like. */
  form: string
  /** The value that an unset variable has; null where there is none or where it is computed, which `what` then explains. */
  default: string | null
  /** One or two sentences: what it sets. */
  what: string
  /** Field of the control panel's settings or name of its token that replaces it there. */
  setting?: string
  /** Option of the command line that replaces it. */
  option?: string
  /** A credential: never printed, logged or stored in artifacts. */
  isSecret?: true
}

const LIST = 'list, separated by commas'
const PATH = 'path'
const URL_FORM = 'http or https address'
const SECONDS = 'whole seconds, 1 to 3600'
const PORT = 'port, 0 for any free one'
const LEVEL = 'fatal, error, warn, info, debug, trace or silent'
const SERVICE_LEVEL = 'error, warn, info, debug or silent'
const AUTH = 'required or disabled'
const BYTES = 'bytes'
const TOKEN = 'token'

/** What each service of its own process reads under its prefix. */
const boundary = <Prefix extends 'DOCCONV' | 'STT' | 'TTS', Upload extends 'MAX_FILE_SIZE' | 'MAX_UPLOAD_BYTES'>(
  by: Program,
  prefix: Prefix,
  upload: Upload,
  uploadDefault: number,
  authDefault: string | null = 'required',
) => {
  type Name =
    `${Prefix}_${Upload | 'API_TOKEN' | 'AUTH_MODE' | 'CORS_ORIGINS' | 'TRUSTED_HOSTS' | 'UPLOAD_TIMEOUT_SECONDS' | 'CONCURRENCY' | 'INFERENCE_TIMEOUT_SECONDS'}`
  return {
    [`${prefix}_API_TOKEN`]: { by, form: TOKEN, default: null, what: 'Token that callers send.', isSecret: true },
    [`${prefix}_AUTH_MODE`]: {
      by,
      form: AUTH,
      default: authDefault,
      what:
        authDefault === null
          ? 'Whether callers must send the token; required when a token is set, else disabled.'
          : 'Whether callers must send the token. Required without a token refuses every guarded route.',
    },
    [`${prefix}_CORS_ORIGINS`]: { by, form: LIST, default: null, what: 'Origins of browser pages that may call.' },
    [`${prefix}_TRUSTED_HOSTS`]: {
      by,
      form: LIST,
      default: 'host.docker.internal',
      what: 'Host names besides those of loopback under which clients on this machine may call.',
    },
    [`${prefix}_${upload}`]: { by, form: BYTES, default: String(uploadDefault), what: 'Largest file of a request.' },
    [`${prefix}_UPLOAD_TIMEOUT_SECONDS`]: { by, form: SECONDS, default: '120', what: 'Time for an upload to arrive.' },
    [`${prefix}_CONCURRENCY`]: {
      by,
      form: 'whole number, 1 to 64',
      default: '1',
      what: 'Requests at a time; one more gets 429.',
    },
    [`${prefix}_INFERENCE_TIMEOUT_SECONDS`]: { by, form: SECONDS, default: '900', what: 'Time for one request.' },
  } as Record<Name, Variable>
}

const MIB = 1024 * 1024

const DECLARED = {
  MATRIX_MODELS: {
    by: 'runner',
    form: LIST,
    default: null,
    what: 'Exactly these aliases; the canonical ones unless set. Excludes MATRIX_FLAVORS.',
    option: '--models',
  },
  MATRIX_FLAVORS: {
    by: 'runner',
    form: LIST,
    default: null,
    what: 'Flavors by name, by approach, or "all". Excludes MATRIX_MODELS.',
    option: '--flavors',
  },
  MATRIX_DATASET_ID: { by: 'runner', form: 'id', default: null, what: 'Dataset of the run.', option: '--dataset' },
  MATRIX_QUERIES_FILE: {
    by: 'runner',
    form: PATH,
    default: null,
    what: 'Questions file instead of the one in the catalogue.',
    option: '--queries',
  },
  MATRIX_RUN_ID: { by: 'runner', form: 'id', default: null, what: 'Name of the run.', option: '--run-id' },
  MATRIX_REPEATS: {
    by: 'runner',
    form: 'whole number, 1 to 20',
    default: null,
    what: 'Answers per question and approach; 1, or what the manifest declares, unless set.',
    option: '--repeats',
  },
  MATRIX_CONCURRENCY: {
    by: 'runner',
    form: 'whole number, 1 to 32',
    default: null,
    what: 'Cells at a time; what the manifest declares unless set.',
    option: '--concurrency',
    setting: 'concurrency',
  },
  RAG_MODEL_SET: {
    by: 'runner',
    form: 'name',
    default: null,
    what: "Set of manifests/models.yaml for the embedded platform; the manifest's default unless set.",
    option: '--model-set',
    setting: 'model_set',
  },
  MATRIX_MANIFEST_FILE: {
    by: 'runner',
    form: PATH,
    default: null,
    what: 'Experiment manifest instead of manifests/evaluation.yaml.',
    option: '--manifest',
  },
  MATRIX_CANONICAL_FILE: {
    by: 'runner',
    form: PATH,
    default: null,
    what: 'Evidence file (JSONL) of a run of one dataset, instead of the one in the results folder.',
  },
  MATRIX_SUMMARY_FILE: {
    by: 'runner',
    form: PATH,
    default: null,
    what: 'Aggregate file of a run of one dataset, instead of the one in the results folder.',
  },
  MATRIX_RESULTS_FILE: {
    by: 'runner',
    form: PATH,
    default: null,
    what: 'Matrix file of a run of one dataset, instead of the one in the results folder.',
  },
  MATRIX_GATEWAY_URL: {
    by: 'runner',
    form: URL_FORM,
    default: null,
    what: 'Gateway of a platform that runs elsewhere; the embedded platform unless set.',
    option: '--gateway',
    setting: 'gateway_url',
  },
  MATRIX_GATEWAY_API_KEY: {
    by: 'runner',
    form: TOKEN,
    default: null,
    what: 'Key of that gateway.',
    setting: 'gateway_api_key',
    isSecret: true,
  },
  MATRIX_PLATFORM_URL: {
    by: 'runner',
    form: URL_FORM,
    default: null,
    what: "Ingestion and evaluation of that platform, where they are not at the gateway's address.",
    option: '--platform',
    setting: 'platform_url',
  },
  MATRIX_PLATFORM_TOKEN: {
    by: 'runner',
    form: TOKEN,
    default: null,
    what: "Operator token of that platform: ingestion, evaluation, usage. The gateway's key is used unless set.",
    setting: 'platform_token',
    isSecret: true,
  },
  MATRIX_EDGE_API_KEY: {
    by: 'runner',
    form: TOKEN,
    default: null,
    what: 'Key of an edge in front of that platform.',
    isSecret: true,
  },
  MATRIX_EVALUATOR_URL: {
    by: 'runner',
    form: URL_FORM,
    default: null,
    what: "Another evaluator than the platform's own.",
    option: '--evaluator',
    setting: 'evaluator_url',
  },
  MATRIX_EVALUATOR_API_KEY: {
    by: 'runner',
    form: TOKEN,
    default: null,
    what: 'Key of that evaluator.',
    setting: 'evaluator_api_key',
    isSecret: true,
  },
  JUDGE_MODELS: {
    by: 'runner',
    form: LIST,
    default: null,
    what: 'Judges, two or more; judging is on when judges are named.',
    option: '--judge-models',
    setting: 'judge_models',
  },
  JUDGE_ENDPOINT: {
    by: 'runner',
    form: `${URL_FORM}, or "gateway"`,
    default: null,
    what: 'Chat endpoint of the judges; the gateway of the run unless set.',
    option: '--judge-endpoint',
    setting: 'judge_endpoint',
  },
  JUDGE_API_KEY: {
    by: 'runner',
    form: TOKEN,
    default: null,
    what: 'Key of that endpoint.',
    setting: 'judge_api_key',
    isSecret: true,
  },
  JUDGE_THINK: {
    by: 'runner',
    form: 'true, false or omit',
    default: null,
    what: 'Whether judges may think before they answer; omit sends no such field.',
  },
  JUDGE_FAMILIES: {
    by: 'runner',
    form: 'pairs such as judge-a=qwen,judge-b=llama',
    default: null,
    what: 'Model family of judges whose name does not show it.',
  },
  JUDGE_MANIFEST_FILE: {
    by: 'runner',
    form: PATH,
    default: null,
    what: 'Manifest with the judge panel instead of the one of the experiment.',
  },
  RAG_LADDER_PROJECT: {
    by: 'app',
    form: PATH,
    default: '.',
    what: 'Project folder with manifests/ and corpus/.',
    option: '--project',
  },
  RAG_LADDER_RESULTS: {
    by: 'app',
    form: PATH,
    default: 'results',
    what: 'Results folder of the engine, relative to the project.',
    option: '--results',
  },
  RAG_LADDER_USER_DIR: {
    by: 'app',
    form: PATH,
    default: null,
    what: "Folder of this person's own files (allowed addresses); the system's folder for configuration unless set.",
  },
  RAG_LADDER_TRUSTED_ADDRESSES: {
    by: 'app',
    form: LIST,
    default: null,
    what: 'Origins that credentials may be sent to, besides those allowed with `rag-ladder trust`.',
  },
  RAG_LADDER_ENGINE_NODE: {
    by: 'app',
    form: PATH,
    default: null,
    what: "Node program for the desktop app's child processes, where the Electron at hand is too old.",
  },
  RAG_LADDER_ENGINE_URL: {
    by: 'app',
    form: URL_FORM,
    default: null,
    what: 'A running engine for the desktop app to show instead of its own; for development only.',
  },
  RAG_LADDER_LOG: {
    by: 'runner',
    form: 'debug',
    default: null,
    what: 'With debug, a run reports why a cell is reused, skipped or tried again.',
    option: '--verbose',
  },
  RAG_LADDER_STACK: { by: 'app', form: '1', default: null, what: 'Prints the stack of an error of the command line.' },
  NO_COLOR: { by: 'app', form: 'any value', default: null, what: 'Prints without colours and without live progress.' },
  CI: { by: 'app', form: 'any value', default: null, what: 'Prints progress as lines instead of a live display.' },
  COLUMNS: { by: 'app', form: 'whole number', default: null, what: 'Width of printed tables; that of the terminal.' },
  PLATFORM_HOST: { by: 'platform', form: 'host', default: '127.0.0.1', what: 'Address that it listens on.' },
  PLATFORM_PORT: {
    by: 'platform',
    form: PORT,
    default: null,
    what: '4871 when that is free, else any free port, unless set.',
    option: '--port',
  },
  PLATFORM_TRUSTED_HOSTS: {
    by: 'platform',
    form: LIST,
    default: 'host.docker.internal',
    what: 'Host names besides those of loopback under which clients on this machine may call.',
  },
  PLATFORM_CORS_ORIGINS: { by: 'platform', form: LIST, default: null, what: 'Origins of browser pages that may call.' },
  PLATFORM_LOG_LEVEL: { by: 'platform', form: LEVEL, default: 'warn', what: 'What is logged.' },
  PLATFORM_REQUEST_TIMEOUT_SECONDS: {
    by: 'platform',
    form: 'seconds, at most 3600',
    default: '120',
    what: 'Time for a request to arrive, headers and body.',
  },
  GATEWAY_MASTER_KEY: {
    by: 'platform',
    form: TOKEN,
    default: null,
    what: 'Key of the gateway; the project keeps a random one unless set.',
    isSecret: true,
  },
  GATEWAY_CACHE_TTL_SECONDS: {
    by: 'platform',
    form: 'whole seconds, at most 86400',
    default: '0',
    what: 'How long the gateway keeps answers; 0 keeps only those whose request asks for it.',
  },
  GATEWAY_LIST_MODELS: {
    by: 'platform',
    form: 'aliases or all',
    default: 'aliases',
    what: 'What the list of models of the gateway contains.',
  },
  BACKEND_IDENTITY_AUTH: {
    by: 'platform',
    form: AUTH,
    default: 'required',
    what: 'Whether the backend’s routes need a credential. Any other value closes them with 503.',
  },
  BACKEND_INTERNAL_API_TOKEN: {
    by: 'platform',
    form: TOKEN,
    default: null,
    what: 'Operator token: ingestion, evaluation, usage. The project keeps a random one unless set.',
    isSecret: true,
  },
  BACKEND_NOTEBOOK_API_TOKEN: {
    by: 'platform',
    form: TOKEN,
    default: null,
    what: 'Token of notebooks.',
    isSecret: true,
  },
  BACKEND_WORKFLOW_API_TOKEN: {
    by: 'platform',
    form: TOKEN,
    default: null,
    what: 'Token of workflows.',
    isSecret: true,
  },
  BACKEND_CHATUI_API_TOKEN: {
    by: 'platform',
    form: TOKEN,
    default: null,
    what: 'Token of a chat interface.',
    isSecret: true,
  },
  RAY_JOB_API_TOKEN: { by: 'platform', form: TOKEN, default: null, what: 'Token of batch jobs.', isSecret: true },
  BACKEND_JWT_SECRET: {
    by: 'platform',
    form: 'at least 32 bytes',
    default: null,
    what: 'Shared secret of user tokens (HS256); user tokens are refused unless set.',
    isSecret: true,
  },
  BACKEND_JWT_CLAIMS: {
    by: 'platform',
    form: 'authenticated or minimal',
    default: 'authenticated',
    what: 'Claims that user tokens need besides sub and exp.',
  },
  BACKEND_EDGE_AUTH: {
    by: 'platform',
    form: 'disabled or key-auth',
    default: 'disabled',
    what: 'Whether the edge in front of the backend’s routes asks for a key.',
  },
  BACKEND_EDGE_API_KEY: { by: 'platform', form: TOKEN, default: null, what: 'Key of that edge.', isSecret: true },
  GRAPHENGINE_API_KEY: {
    by: 'platform',
    form: TOKEN,
    default: null,
    what: 'Key of the graph engine; the project keeps a random one unless set.',
    isSecret: true,
  },
  GRAPHENGINE_RERANK_ADAPTER_TOKEN: {
    by: 'platform',
    form: TOKEN,
    default: null,
    what: 'Token of the rerank adapter; the project keeps a random one unless set.',
    isSecret: true,
  },
  GRAPHENGINE_RERANK_ADAPTER_TIMEOUT_SECONDS: {
    by: 'platform',
    form: 'seconds, at most 3600',
    default: '30',
    what: 'Time for one request to the rerank adapter, all its batches included.',
  },
  RAG_PLUGIN_URL: { by: 'platform', form: URL_FORM, default: null, what: 'RAG plugin in another process.' },
  GRAPHENGINE_URL: {
    by: 'platform',
    form: URL_FORM,
    default: null,
    what: 'Graph engine in another process, such as LightRAG.',
  },
  WORKFLOW_URL: { by: 'platform', form: URL_FORM, default: null, what: 'Workflow engine in another process: n8n.' },
  WORKFLOW_WEBHOOK_TOKEN: {
    by: 'platform',
    form: TOKEN,
    default: null,
    what: 'Bearer token of its webhook.',
    isSecret: true,
  },
  RERANKER_URL: { by: 'platform', form: URL_FORM, default: null, what: 'Reranking service with the routes of TEI.' },
  RERANKER_API_KEY: { by: 'platform', form: TOKEN, default: null, what: 'Key of that service.', isSecret: true },
  DOCCONV_ENDPOINT: {
    by: 'platform',
    form: URL_FORM,
    default: null,
    what: 'Document converter, for ingestion and for the adapter; the supervised one when started by the app.',
  },
  STT_ENDPOINT: {
    by: 'platform',
    form: URL_FORM,
    default: null,
    what: 'Speech-to-text service, for ingestion of recordings; the supervised one when started by the app.',
  },
  RAG_INGESTION_CORPUS_ROOT: {
    by: 'platform',
    form: PATH,
    default: null,
    what: "Folder with the documents of all datasets; the project's corpus/ unless set.",
  },
  RAG_INGESTION_MAX_FILE_BYTES: {
    by: 'platform',
    form: BYTES,
    default: String(100 * MIB),
    what: 'Largest file of a corpus.',
  },
  RAG_INGESTION_MAX_CORPUS_BYTES: {
    by: 'platform',
    form: BYTES,
    default: String(1024 * MIB),
    what: 'Largest corpus.',
  },
  RAG_INGESTION_MAX_FILES: {
    by: 'platform',
    form: 'whole number',
    default: '10000',
    what: 'Most files of a corpus.',
  },
  RAG_INGESTION_EXECUTION_LEASE_SECONDS: {
    by: 'platform',
    form: 'whole seconds, 10 to 300',
    default: '30',
    what: 'How long an ingestion may be silent before another worker takes it.',
  },
  RAG_PROFILE: {
    by: 'platform',
    form: 'name',
    default: null,
    what: 'Ingestion profile whose collections are served; the first of consumer.yaml unless set.',
  },
  RAG_LADDER_MANIFESTS: {
    by: 'platform',
    form: PATH,
    default: null,
    what: "Folder of the manifests; the project's manifests/ unless set.",
  },
  RAG_LADDER_STATE_DIR: {
    by: 'platform',
    form: PATH,
    default: null,
    what: 'Folder of what a service keeps: stores, voices, speakers; .rag-ladder/<service> unless set.',
  },
  RAG_LADDER_MODEL_CACHE: {
    by: 'platform',
    form: PATH,
    default: null,
    what: 'Folder of models of the platform; models/ in its state folder unless set.',
  },
  RAG_LADDER_REVISION: {
    by: 'platform',
    form: 'commit',
    default: null,
    what: 'Commit of the program, for provenance; read from the checkout or package unless set.',
  },
  DOCCONV_HOST: { by: 'converter', form: 'host', default: '127.0.0.1', what: 'Address that it listens on.' },
  DOCCONV_PORT: { by: 'converter', form: PORT, default: '18159', what: 'Port that it listens on.' },
  DOCCONV_LOG_LEVEL: { by: 'converter', form: LEVEL, default: 'warn', what: 'What is logged.' },
  ...boundary('converter', 'DOCCONV', 'MAX_FILE_SIZE', 50 * MIB),
  DEVICE: {
    by: 'converter',
    form: 'cpu',
    default: 'cpu',
    what: 'Conversions run on the processor; cuda and mps are refused.',
  },
  DOCCONV_FORMULAS: {
    by: 'converter',
    form: 'true or false',
    default: 'true',
    what: 'Whether formulas are kept as such; else they become text.',
  },
  DOCCONV_CODE_BLOCKS: {
    by: 'converter',
    form: 'true or false',
    default: 'true',
    what: 'Whether code is kept as such; else it becomes text.',
  },
  DOCCONV_CACHE_DIR: {
    by: 'converter',
    form: PATH,
    default: null,
    what: 'Folder that recognition data is unpacked to; ~/.cache/rag-ladder unless set.',
  },
  DOCCONV_MAX_MEMORY_MIB: {
    by: 'converter',
    form: 'MiB, 256 or more',
    default: '2048',
    what: 'Memory that one conversion may use.',
  },
  DOCCONV_USE_OCR: {
    by: 'converter',
    form: 'auto, always or never',
    default: 'auto',
    what: 'Text recognition where a request does not choose.',
  },
  DOCCONV_TABLE_MODE: {
    by: 'converter',
    form: 'fast or accurate',
    default: 'fast',
    what: 'Reading of tables where a request does not choose; accurate needs the table model.',
  },
  DOCCONV_CHUNK_SIZE: {
    by: 'converter',
    form: 'tokens, 1 to 100000',
    default: '512',
    what: 'Size of chunks where a request does not choose.',
  },
  DOCCONV_CHUNK_OVERLAP: {
    by: 'converter',
    form: 'tokens, at most half of the size',
    default: '50',
    what: 'Overlap of chunks where a request does not choose.',
  },
  LIBREOFFICE_PATH: {
    by: 'converter',
    form: PATH,
    default: null,
    what: 'LibreOffice program for old Office files; searched on PATH and in the usual folders unless set.',
  },
  DOCCONV_ADAPTER_HOST: { by: 'adapter', form: 'host', default: '127.0.0.1', what: 'Address that it listens on.' },
  DOCCONV_ADAPTER_PORT: { by: 'adapter', form: PORT, default: '0', what: 'Port that it listens on.' },
  DOCCONV_ADAPTER_ENDPOINT: {
    by: 'adapter',
    form: URL_FORM,
    default: null,
    what: 'An adapter in another process, for the engine to use instead of its own.',
  },
  DOCCONV_ADAPTER_LOG_LEVEL: { by: 'adapter', form: LEVEL, default: 'warn', what: 'What is logged.' },
  DOCCONV_ADAPTER_AUTH_MODE: {
    by: 'adapter',
    form: AUTH,
    default: 'required',
    what: 'Whether callers must send the token.',
  },
  DOCCONV_ADAPTER_API_TOKEN: {
    by: 'adapter',
    form: TOKEN,
    default: null,
    what: 'Token that callers send.',
    isSecret: true,
  },
  DOCCONV_ADAPTER_MAX_JOBS: {
    by: 'adapter',
    form: 'whole number, 1 to 64',
    default: '2',
    what: 'Jobs at a time, finished ones that were not fetched included.',
  },
  DOCCONV_ADAPTER_RESULT_TTL_SECONDS: {
    by: 'adapter',
    form: SECONDS,
    default: '900',
    what: 'How long a result that was not fetched is kept.',
  },
  DOCCONV_ADAPTER_MAX_RESULT_BYTES: {
    by: 'adapter',
    form: BYTES,
    default: String(100 * MIB),
    what: 'Largest result of a conversion.',
  },
  DOCCONV_ADAPTER_UPSTREAM_MAX_ATTEMPTS: {
    by: 'adapter',
    form: 'whole number, 1 to 100',
    default: '3',
    what: 'Attempts of a conversion at the converter.',
  },
  DOCCONV_ADAPTER_DOWNLOAD_TIMEOUT_SECONDS: {
    by: 'adapter',
    form: SECONDS,
    default: '300',
    what: 'Time for the converter’s answer to arrive.',
  },
  DOCCONV_ADAPTER_TMPFS_SIZE: {
    by: 'adapter',
    form: 'size such as 512m',
    default: '512m',
    what: 'Room in its temporary folder; too little for its jobs is refused at the start.',
  },
  STT_HOST: { by: 'stt', form: 'host', default: '127.0.0.1', what: 'Address that it listens on.' },
  STT_PORT: { by: 'stt', form: PORT, default: '63042', what: 'Port; a free one when the default is taken.' },
  STT_LOG_LEVEL: { by: 'stt', form: SERVICE_LEVEL, default: 'warn', what: 'What is logged.' },
  ...boundary('stt', 'STT', 'MAX_UPLOAD_BYTES', 100 * MIB),
  STT_BACKEND: {
    by: 'stt',
    form: 'auto, onnx, sherpa or pocketsphinx',
    default: 'auto',
    what: 'Recognizer; auto takes the best that works without a download.',
  },
  STT_MODEL: {
    by: 'stt',
    form: 'name of a model',
    default: 'parakeet-tdt-0.6b-v3',
    what: 'Model of the backends onnx and sherpa.',
  },
  STT_MODEL_DIR: { by: 'stt', form: PATH, default: null, what: "Folder that already has the model's files." },
  STT_DEVICE: { by: 'stt', form: 'auto, cpu, cuda or mps', default: 'auto', what: 'Device of the model.' },
  STT_SHERPA_DIR: {
    by: 'stt',
    form: PATH,
    default: null,
    what: 'Folder with sherpa-onnx-node; sherpa/ beside the folder of models unless set.',
  },
  STT_MAX_AUDIO_SECONDS: {
    by: 'stt',
    form: 'whole seconds, at most 86400',
    default: '14400',
    what: 'Longest recording that is transcribed.',
  },
  PORT: { by: 'tts', form: PORT, default: '4123', what: 'Port; a free one when the default is taken.' },
  TTSVOICE_LOCALHOST_PORT: { by: 'tts', form: PORT, default: null, what: 'Port that the app starts the service on.' },
  TTS_ENDPOINT: {
    by: 'tts',
    form: URL_FORM,
    default: null,
    what: 'A service in another process, for the engine to use instead of its own.',
  },
  TTS_HOST: { by: 'tts', form: 'host', default: '127.0.0.1', what: 'Address that it listens on.' },
  TTS_LOG_LEVEL: { by: 'tts', form: SERVICE_LEVEL, default: 'warn', what: 'What is logged.' },
  ...boundary('tts', 'TTS', 'MAX_UPLOAD_BYTES', 10 * MIB, null),
  TTS_PROVIDER_SOURCE: {
    by: 'tts',
    form: 'ttsbasic-container-cpu, ttsbasic-container-gpu, ttsvoice-container-gpu, ttsvoice-localhost or disabled',
    default: 'ttsbasic-container-cpu',
    what: 'Backend of the platform whose default model and error bodies the service has.',
  },
  RAG_LADDER_MODELS_DIR: {
    by: 'models',
    form: PATH,
    default: null,
    what: "Folder of downloaded models; rag-ladder/models in the system's cache folder unless set.",
  },
  RAG_LADDER_OFFLINE: { by: 'models', form: '1', default: null, what: 'Downloads nothing.' },
  HF_HUB_OFFLINE: { by: 'models', form: '1', default: null, what: 'The same, under the name that the hub uses.' },
  HF_ENDPOINT: { by: 'models', form: URL_FORM, default: null, what: 'Mirror of the hub that models come from.' },
  RAG_LADDER_ENGINE_TOKEN: {
    by: 'internal',
    form: TOKEN,
    default: null,
    what: 'Launch token of the engine.',
    isSecret: true,
  },
  RAG_LADDER_ENGINE_PORT: { by: 'internal', form: PORT, default: '0', what: 'Port of the engine.' },
  RAG_LADDER_RENDERER_DIR: { by: 'internal', form: PATH, default: null, what: 'Folder of the built pages.' },
  RAG_LADDER_APP_ORIGIN: { by: 'internal', form: 'origin', default: null, what: "Origin of the desktop app's pages." },
  RAG_LADDER_HOST_LAUNCHES: {
    by: 'internal',
    form: '1',
    default: null,
    what: 'The host starts the engine’s children.',
  },
  RAG_LADDER_CHILD_ENTRY: { by: 'internal', form: PATH, default: null, what: 'Module that a utility process runs.' },
  RAG_LADDER_CHILD_CHANNEL: { by: 'internal', form: 'name', default: null, what: 'Channel of a utility process.' },
  ELECTRON_RENDERER_URL: { by: 'internal', form: URL_FORM, default: null, what: "Vite's server in development." },
} as const satisfies Record<string, Variable>

export type VariableName = keyof typeof DECLARED

/** By name, in the order of the generated page. */
export const VARIABLES: Readonly<Record<VariableName, Variable>> = DECLARED

/** The declared default of a variable. Throws where it has none: the reader must compute one. */
export function defaultOf(name: VariableName): string {
  const value = VARIABLES[name].default
  if (value === null) throw new TypeError(`${name} has no declared default`)
  return value
}
