import { Transform, type Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { request as forward, type Dispatcher } from 'undici'
import { connectionsTo } from '../../../core/http/connections.ts'
import type { ControlError, ControlErrorCode } from '../../../contract/control/control-error.ts'
import { CONTROL_REFUSAL_HEADER, findServiceRoute, serviceUrl } from '../../../contract/control/service-routes.ts'
import { ServiceName } from '../../../contract/control/services.ts'
import { messageOf } from '../../../core/json.ts'
import { isUnexpected, toControlError } from '../control-failure.ts'
import type { ServiceAddress } from '../services/local-service.ts'
import { checkCaller, type AccessRules } from './access.ts'

interface ServiceRouteOptions {
  rules: AccessRules
  addressOf: (name: ServiceName) => Promise<ServiceAddress>
  report: (error: unknown) => void
}

/** Request headers that are forwarded: neither cookies, nor the token, nor the page's address. */
const REQUEST_HEADERS = ['content-type', 'content-length', 'accept'] as const
/** Response headers that are forwarded. */
const RESPONSE_HEADERS = ['content-type', 'content-length', 'content-disposition', 'retry-after', 'location'] as const
/** Limits how long the rest of a refused body may still arrive before its connection is cut: closing at once would lose the answer. */
const LINGER_MS = 2000

const STATUS: Partial<Record<ControlErrorCode, number>> = {
  not_supported: 404,
  request_too_large: 413,
  service_state: 409,
  service_failed: 503,
  unreachable: 502,
  unexpected: 500,
}

class RequestTooLarge extends Error {}

/** Counts a body on its way; ends with `RequestTooLarge` beyond the limit. */
function limited(maxBytes: number): Transform {
  let seen = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      seen += chunk.length
      done(seen > maxBytes ? new RequestTooLarge() : null, chunk)
    },
  })
}

const tooLarge = (maxBytes: number): ControlError => ({
  code: 'request_too_large',
  message: `no more than ${maxBytes} bytes can be sent there`,
  retryable: false,
})

/** Discards the rest of a request for a moment before its connection is closed. */
function lingerOn({ raw }: FastifyRequest): void {
  raw.unpipe()
  raw.resume()
  const cut = setTimeout(() => raw.socket.destroy(), LINGER_MS)
  raw.once('close', () => clearTimeout(cut)).once('end', () => clearTimeout(cut))
}

/** The engine's own refusal, distinguished from a service's answer by a header. */
function refuse(request: FastifyRequest, reply: FastifyReply, error: ControlError, status: number): FastifyReply {
  if (!request.raw.complete) reply.raw.once('finish', () => lingerOn(request))
  return reply
    .code(status)
    .type('application/json')
    .header('cache-control', 'no-store')
    .header(CONTROL_REFUSAL_HEADER, error.code)
    .send(JSON.stringify(error))
}

interface Call {
  name: ServiceName
  method: Dispatcher.HttpMethod
  /** With its query. */
  path: string
  maxBodyBytes: number
}

/** The declared call of a request; null when it is not declared. */
function callOf({ method, url }: FastifyRequest<{ Params: { name: string } }>, name: string): Call | null {
  const service = ServiceName.safeParse(name)
  if (!service.success) return null
  const [path = '', query] = url.slice(serviceUrl(service.data, '').length).split(/\?(.*)/s, 2)
  const found = findServiceRoute(service.data, method, path)
  if (found === null) return null
  return {
    name: service.data,
    method: method,
    path: found.path + (query === undefined ? '' : `?${query}`),
    maxBodyBytes: found.route.maxBodyBytes,
  }
}

async function relay(
  request: FastifyRequest,
  reply: FastifyReply,
  { url, token, edgeKey = null }: ServiceAddress,
  { method, path, maxBodyBytes }: Call,
): Promise<FastifyReply> {
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  const sent = REQUEST_HEADERS.flatMap((name) => {
    const value = request.headers[name]
    return value === undefined || (maxBodyBytes === 0 && name !== 'accept') ? [] : [[name, value] as const]
  })
  const body = maxBodyBytes === 0 ? null : limited(maxBodyBytes)
  if (body !== null) request.raw.pipe(body)
  const target = new URL(url.replace(/\/+$/, '') + path)
  const answer = await forward(target, {
    method,
    body: body as Readable | null,
    headers: {
      ...Object.fromEntries(sent),
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(edgeKey === null ? {} : { apikey: edgeKey }),
    },
    signal: gone.signal,
    dispatcher: connectionsTo(target),
  })
  // A service may answer before it has received the whole body, usually with a refusal.
  if (!request.raw.complete) reply.raw.once('finish', () => lingerOn(request))
  for (const name of RESPONSE_HEADERS) {
    const value = answer.headers[name]
    if (value !== undefined) reply.header(name, value)
  }
  // Opened as a page it would have our origin, so it is always a download.
  if (answer.headers['content-disposition'] === undefined) reply.header('content-disposition', 'attachment')
  return reply.code(answer.statusCode).header('cache-control', 'no-store').send(answer.body)
}

/**
 * Lets pages call the declared routes of local services, through the same door as the control API: `<method>
 * /control/services/<name>/proxy/<path>`. Bodies and answers are streamed; the service's credential is added here and stays here.
 */
export function registerServiceRoute(app: FastifyInstance, { rules, addressOf, report }: ServiceRouteOptions): void {
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
    scope.addHook('onRequest', async (request, reply) => {
      const access = checkCaller(request.method, request.headers, rules)
      if (!access.ok) return refuse(request, reply, access.error, access.status)
    })
    scope.all<{ Params: { name: string } }>('/control/services/:name/proxy/*', async (request, reply) => {
      const call = callOf(request, request.params.name)
      if (call === null) {
        const message = 'that route of a service is not open to pages'
        return refuse(request, reply, { code: 'not_supported', message, retryable: false }, 404)
      }
      if (Number(request.headers['content-length'] ?? 0) > call.maxBodyBytes)
        return refuse(request, reply, tooLarge(call.maxBodyBytes), 413)
      let address: ServiceAddress
      try {
        address = await addressOf(call.name)
      } catch (error) {
        if (isUnexpected(error)) report(error)
        const failure = toControlError(error)
        return refuse(request, reply, failure, STATUS[failure.code] ?? 422)
      }
      try {
        return await relay(request, reply, address, call)
      } catch (error) {
        if (error instanceof RequestTooLarge) return refuse(request, reply, tooLarge(call.maxBodyBytes), 413)
        const reason = messageOf(error)
        const message = `${call.name} gave no answer: ${reason}`
        return refuse(request, reply, { code: 'unreachable', message, retryable: true }, 502)
      }
    })
  })
}
