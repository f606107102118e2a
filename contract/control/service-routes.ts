import type { ServiceName } from './services.ts'

export type ServiceMethod = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** A route of a local service that pages may call through the engine. */
export interface ServiceRoute {
  method: ServiceMethod
  /** `:name` stands for one segment, a last `*` for one or more: model ids hold slashes. */
  path: string
  /** 0: no body. The service's own, smaller limit answers first; this one keeps a mistake from being streamed for ever. */
  maxBodyBytes: number
}

const JSON_BYTES = 1024 * 1024
const UPLOAD_BYTES = 256 * 1024 * 1024

const get = (path: string): ServiceRoute => ({ method: 'GET', path, maxBodyBytes: 0 })
const post = (path: string, maxBodyBytes = JSON_BYTES): ServiceRoute => ({ method: 'POST', path, maxBodyBytes })
const upload = (path: string): ServiceRoute => post(path, UPLOAD_BYTES)
const put = (path: string): ServiceRoute => ({ method: 'PUT', path, maxBodyBytes: JSON_BYTES })
const remove = (path: string): ServiceRoute => ({ method: 'DELETE', path, maxBodyBytes: 0 })

/**
 * What pages may ask of local services: everything else is refused by the engine with `not_supported`. A new page's route is added here and
 * nowhere else.
 */
export const SERVICE_ROUTES: Readonly<Record<ServiceName, readonly ServiceRoute[]>> = {
  platform: [get('/health'), get('/v1/models'), post('/v1/chat/completions')],
  converter: [
    get('/health'),
    get('/v1/models'),
    post('/v1/models/*'),
    remove('/v1/models/*'),
    upload('/v1/document/convert'),
    upload('/v1/document/page'),
  ],
  'converter-adapter': [get('/health')],
  stt: [
    get('/health'),
    get('/v1/models'),
    upload('/v1/audio/transcriptions'),
    upload('/v1/audio/transcriptions/advanced'),
    get('/v1/speakers'),
    post('/v1/speakers'),
    remove('/v1/speakers/:id'),
    upload('/v1/speakers/:id/sentences'),
    post('/v1/speakers/:id/fit'),
  ],
  tts: [
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
}

/**
 * Present, with a control error's code, when the engine itself refused: the body is that `ControlError` as JSON. Absent: status, type and
 * body are the service's own.
 */
export const CONTROL_REFUSAL_HEADER = 'x-control-error'

/**
 * Where a page calls a service: `fetch(serviceUrl('tts', '/v1/audio/speech'), { method: 'POST', body, headers, signal })`. The engine adds the
 * service's credential, starts the service when it is not there yet, and streams body and answer both ways; method, query, `content-type`,
 * `accept` and what is needed of the answer's headers pass. Works the same in a browser and below the desktop app's scheme. Encode
 * segments that hold other than plain letters with `encodeURIComponent`.
 */
export function serviceUrl(name: ServiceName, path: string): string {
  return `/control/services/${name}/proxy${path}`
}

/** The segments of a path, decoded; null for a path that could lead elsewhere. */
function segmentsOf(path: string): string[] | null {
  if (!path.startsWith('/')) return null
  try {
    const segments = path.slice(1).split('/').map(decodeURIComponent)
    return segments.some((segment) => /^\.{0,2}$|[/\\\x00-\x1f\x7f]/.test(segment)) ? null : segments
  } catch {
    return null
  }
}

function matches(pattern: string, segments: readonly string[]): boolean {
  const wanted = pattern.slice(1).split('/')
  const hasRest = wanted.at(-1) === '*'
  if (hasRest ? segments.length < wanted.length : segments.length !== wanted.length) return false
  return wanted.every((part, place) => part === '*' || part.startsWith(':') || part === segments[place])
}

/** The declared route of a call with its path in one spelling; null when there is none. `path` is as it came, without its query. */
export function findServiceRoute(
  name: ServiceName,
  method: string,
  path: string,
): { route: ServiceRoute; path: string } | null {
  const segments = segmentsOf(path)
  if (segments === null) return null
  const route = SERVICE_ROUTES[name].find((each) => each.method === method && matches(each.path, segments))
  return route === undefined ? null : { route, path: `/${segments.map(encodeURIComponent).join('/')}` }
}
