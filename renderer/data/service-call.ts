import { serviceUrl } from '../../contract/control/service-routes.ts'
import type { ServiceName } from '../../contract/control/services.ts'
import { pageKeyHeader } from './page-key.ts'

/** A service refused or failed; the message is its own and states what to do. */
export class ServiceCallError extends Error {
  override readonly name = 'ServiceCallError'
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** The answer of a local service, reached through the engine. Throws `ServiceCallError`. */
export async function callService(service: ServiceName, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers)
  for (const [name, value] of Object.entries(pageKeyHeader())) headers.set(name, value)
  const answer = await fetch(serviceUrl(service, path), { ...init, headers })
  if (answer.ok) return answer
  throw new ServiceCallError(answer.status, sentence(answer.status, await answer.text()))
}

/** Services word their errors as the products do whose clients they serve. */
function sentence(status: number, body: string): string {
  try {
    const { detail, error, message } = JSON.parse(body) as Record<string, unknown>
    if (typeof message === 'string') return message
    if (typeof detail === 'string') return detail
    if (Array.isArray(detail)) return detail.map(({ msg }: { msg?: unknown }) => String(msg)).join('; ')
    const inner = (error as { message?: unknown } | undefined)?.message
    if (typeof inner === 'string') return inner
  } catch {
    // Not JSON: the status is all that is known.
  }
  return `the service answered ${status}`
}
