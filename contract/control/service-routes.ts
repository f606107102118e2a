import { serviceDescriptor, type ServiceName, type ServiceRoute } from './service-list.ts'

/**
 * Present, with a control error's code, when the engine itself refused: the body is that `ControlError` as JSON. Absent: status, type and
 * body are the service's own.
 */
export const CONTROL_REFUSAL_HEADER = 'x-control-error'

/**
 * Returns where a page calls a service: `fetch(serviceUrl('tts', '/v1/audio/speech'), { method: 'POST', body, headers, signal })`. The engine adds the
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
  const route = serviceDescriptor(name).routes.find((each) => each.method === method && matches(each.path, segments))
  return route === undefined ? null : { route, path: `/${segments.map(encodeURIComponent).join('/')}` }
}
