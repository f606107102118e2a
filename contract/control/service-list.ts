// One descriptor per service: the platform and the services that run beside it. Engine (start, address, credential, routes that pages may call),
// command line, Settings guide and pages read this table.
// To add one: a descriptor here, its variables in contract/settings/service-variables.ts, and its folder providers/<name> with main.ts.

type ServiceMethod = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** A route of a local service that pages may call through the engine. */
export interface ServiceRoute {
  method: ServiceMethod
  /** `:name` matches one segment, a last `*` for one or more: model ids hold slashes. */
  path: string
  /** 0: no body. The service's own, smaller limit answers first; this one keeps a mistake from being streamed for ever. */
  maxBodyBytes: number
}

/**
 * Describes how the engine runs a service as a child of its own.
 *
 * The child gets its port (0: any free one) and its credential by the variables named here, and `RAG_LADDER_STATE_DIR`, a folder of its own;
 * the rest of the environment is the engine's, so that a person sets limits, models and modes as the service documents them. It listens on
 * 127.0.0.1, then sends `{ type: 'ready', port, url }` over its message channel (`announceReady` of `core/process-life.ts`) and
 * ends when that channel closes (`exitWithHost`). It works when `healthPath` answers 200; 503 with the status `loading` or `starting`
 * is waited for. Exit code 70 after a 504 is a normal restart; every other exit counts as a failure. A restart takes the same port.
 */
export interface ServiceChild {
  /** Taken when it is free; 0: any. */
  defaultPort: number
  /** States where the child reads its port from. */
  portVariable: string
  /** Overrides the default port, in the engine's environment. */
  portSetting: string
  /** States where the child reads its credential from; set in the engine's environment, it is used instead of one made for this launch. */
  tokenVariable: string
  /** States where other services read this one's address from; set in the engine's environment, the service runs elsewhere, at that address. */
  endpointVariable: string
  healthPath: string
  /** with_engine: at once. on_demand: when a page, a run or another service first needs it. */
  start: 'with_engine' | 'on_demand'
  /** Services that it calls: started before it, their addresses and credentials in its environment. */
  needs: readonly string[]
  /** Limits how long it may load before it counts as broken. */
  startTimeoutMs: number
}

interface ServiceDescriptor {
  /** Title of its variables in the settings guide. */
  title: string
  /** Holds what it is for, as pages show it. */
  job: string
  /** Holds what pages may ask of it: everything else is refused by the engine with `not_supported`. */
  routes: readonly ServiceRoute[]
  /** The route that lists its models, those that are not installed included. */
  modelsPath?: string
  /** Absent for the platform, which serves one dataset at a time and is started for it. */
  child?: ServiceChild
}

const JSON_BYTES = 1024 * 1024
const UPLOAD_BYTES = 256 * 1024 * 1024

const get = (path: string): ServiceRoute => ({ method: 'GET', path, maxBodyBytes: 0 })
const post = (path: string, maxBodyBytes = JSON_BYTES): ServiceRoute => ({ method: 'POST', path, maxBodyBytes })
const upload = (path: string): ServiceRoute => post(path, UPLOAD_BYTES)
const put = (path: string): ServiceRoute => ({ method: 'PUT', path, maxBodyBytes: JSON_BYTES })
const remove = (path: string): ServiceRoute => ({ method: 'DELETE', path, maxBodyBytes: 0 })

export const SERVICES = {
  platform: {
    title: 'Embedded platform',
    job: 'Ingests documents and answers questions',
    routes: [get('/health'), get('/v1/models'), post('/v1/chat/completions')],
  },
  converter: {
    title: 'Document converter',
    job: 'Turns PDF, Office and images into text',
    routes: [
      get('/health'),
      get('/v1/models'),
      post('/v1/models/*'),
      remove('/v1/models/*'),
      upload('/v1/document/convert'),
      upload('/v1/document/page'),
    ],
    modelsPath: '/v1/models',
    child: {
      defaultPort: 18_159,
      portVariable: 'DOCCONV_PORT',
      portSetting: 'DOCCONV_PORT',
      tokenVariable: 'DOCCONV_API_TOKEN',
      endpointVariable: 'DOCCONV_ENDPOINT',
      healthPath: '/health',
      start: 'on_demand',
      needs: [],
      startTimeoutMs: 60_000,
    },
  },
  'converter-adapter': {
    title: 'Converter adapter',
    job: 'Hands conversions to a graph engine elsewhere',
    routes: [get('/health')],
    child: {
      defaultPort: 0,
      portVariable: 'DOCCONV_ADAPTER_PORT',
      portSetting: 'DOCCONV_ADAPTER_PORT',
      tokenVariable: 'DOCCONV_ADAPTER_API_TOKEN',
      endpointVariable: 'DOCCONV_ADAPTER_ENDPOINT',
      healthPath: '/health',
      start: 'on_demand',
      needs: ['converter'],
      startTimeoutMs: 60_000,
    },
  },
  stt: {
    title: 'Speech to text',
    job: 'Turns speech into text',
    routes: [
      get('/health'),
      get('/v1/models'),
      upload('/v1/audio/transcriptions'),
      upload('/v1/audio/transcriptions/advanced'),
    ],
    modelsPath: '/v1/models',
    child: {
      defaultPort: 63_042,
      portVariable: 'STT_PORT',
      portSetting: 'STT_PORT',
      tokenVariable: 'STT_API_TOKEN',
      endpointVariable: 'STT_ENDPOINT',
      healthPath: '/health',
      start: 'on_demand',
      needs: [],
      // A model of more than a gigabyte is fetched at the first start.
      startTimeoutMs: 60 * 60_000,
    },
  },
  tts: {
    title: 'Text to speech',
    job: 'Reads text aloud',
    routes: [
      get('/health'),
      get('/languages'),
      get('/v1/models'),
      get('/v1/registry'),
      get('/v1/models/*'),
      post('/v1/models/*'),
      remove('/v1/models/*'),
      upload('/v1/audio/speech'),
      upload('/v1/audio/speech/upload'),
      get('/v1/audio/voices'),
      get('/voices'),
      upload('/voices'),
      upload('/voices/check'),
      get('/voices/:name'),
      put('/voices/:name'),
      remove('/voices/:name'),
      get('/voices/:name/download'),
    ],
    modelsPath: '/v1/registry',
    child: {
      // Containers look for the host's service here; started by hand it takes 4123.
      defaultPort: 63_044,
      portVariable: 'PORT',
      portSetting: 'TTSVOICE_LOCALHOST_PORT',
      tokenVariable: 'TTS_API_TOKEN',
      endpointVariable: 'TTS_ENDPOINT',
      healthPath: '/health',
      start: 'on_demand',
      needs: [],
      startTimeoutMs: 60_000,
    },
  },
} as const satisfies Record<string, ServiceDescriptor>

/** In the order of every list. */
export type ServiceName = keyof typeof SERVICES
export const SERVICE_NAMES = Object.keys(SERVICES) as [ServiceName, ...ServiceName[]]

/** Services that the engine runs as children of their own. */
export type LocalServiceName = Exclude<ServiceName, 'platform'>

export const serviceDescriptor = (name: ServiceName): ServiceDescriptor => SERVICES[name]
