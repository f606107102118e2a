import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { createHttpClient, HttpFault } from '../../../../core/http/http-client.ts'
import { callerSignal } from '../../../kit/caller-signal.ts'
import { HttpError } from '../../../kit/http-error.ts'
import type { ClosingList } from '../../jobs/closing-list.ts'

/** Another server that some of its routes are passed on to. */
export interface ProxyTarget {
  /** For people: "The workflow engine". */
  name: string
  /** Base address without a trailing slash. */
  url: string
  /** Credential of this platform for that server. */
  headers: Readonly<Record<string, string>>
  timeoutMs: number
  maxResponseBytes: number
}

/** A method, a path here and the path there, which has the same ids. */
export type ProxiedRoute = readonly [method: 'GET' | 'POST' | 'PUT' | 'DELETE', here: string, there: string]

/** Matches what a caller may be sent as it is; anything else could be a page that runs at this address. */
const PASSED_TYPES = /^(?:application\/(?:[\w.-]+\+)?json|text\/plain)\b/i

/** Passes routes on with method, query and JSON body. `target` may be why there is none: 503 then, and nothing is called. */
export function registerProxy(
  app: FastifyInstance,
  routes: readonly ProxiedRoute[],
  target: ProxyTarget | string,
  closing: ClosingList,
  bodyLimit?: number,
): void {
  const proxy = typeof target === 'string' ? null : createProxy(target)
  if (proxy !== null) closing.add(() => proxy.close())
  for (const [method, url, there] of routes)
    app.route({
      method,
      url,
      ...(bodyLimit === undefined || method === 'GET' ? {} : { bodyLimit }),
      handler: async (request, reply) => {
        const path = there.replaceAll(/:(\w+)/g, (_, name: string) => pathId(request, name))
        if (proxy === null) throw new HttpError(503, target)
        return proxy.forward(request, reply, path)
      },
    })
}

/**
 * Passes requests on, within a limit of seconds and bytes. 502: the target cannot be reached, redirects, refuses our credential or sends too much; 504: it takes
 * too long. Neither credential nor cookies of the caller reach it.
 */
function createProxy({ name, url, headers, timeoutMs, maxResponseBytes }: ProxyTarget) {
  const client = createHttpClient(headers)
  return {
    async forward(request: FastifyRequest, reply: FastifyReply, path: string): Promise<FastifyReply> {
      const { status, type, text } = await answerOf(request, path, callerSignal(request, reply)).catch(
        (cause: unknown) => {
          const fault = cause instanceof HttpFault ? cause.fault : null
          if (fault === 'timeout') throw new HttpError(504, `${name} gave no answer within ${timeoutMs} ms`, { cause })
          if (fault === 'too_large') throw new HttpError(502, `${name} sent more than ${maxResponseBytes} bytes`)
          throw new HttpError(502, `${name} cannot be reached`, { cause })
        },
      )
      if (status === 401 || status === 403) throw new HttpError(502, `${name} refused the credential of this platform`)
      if (status >= 300 && status < 400) throw new HttpError(502, `${name} answered with a redirect (HTTP ${status})`)
      void reply.code(status).header('x-content-type-options', 'nosniff')
      if (status === 204) return reply.send()
      return reply.type(PASSED_TYPES.test(type) ? type : 'application/octet-stream').send(Buffer.from(text))
    },
    close: () => client.close(),
  }

  async function answerOf(request: FastifyRequest, path: string, signal: AbortSignal) {
    const query = /\?.*$/.exec(request.url)?.[0] ?? ''
    const answer = await client.send(`${url}${path}${query}`, {
      method: request.method,
      headers: { accept: 'application/json, text/plain' },
      json: (request.body as object | null) ?? undefined,
      signal,
      timeoutMs,
      limitBytes: maxResponseBytes,
    })
    const type = [answer.headers['content-type']].flat()[0] ?? ''
    return { status: answer.status, type, text: answer.text }
  }
}

/** Ids of jobs and workflows: nothing in them has a meaning in a path. */
const ID = /^[A-Za-z0-9_-]{1,100}$/

/** The id in a path. Throws 404 for one that cannot exist. */
function pathId(request: FastifyRequest, name: string): string {
  const id = (request.params as Record<string, unknown>)[name]
  if (typeof id !== 'string' || !ID.test(id)) throw new HttpError(404, 'Not Found')
  return id
}
