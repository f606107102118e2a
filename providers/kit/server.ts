import { fastify, LogController } from 'fastify'
import type { FastifyBaseLogger, FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { errorResponse, protocolErrorResponse } from './error-family.ts'
import type { ErrorFamily } from './http-error.ts'
import { hostGuard } from './host-guard.ts'
import type { TrustedNames } from './host-guard.ts'
import { HttpError } from './http-error.ts'
import { InvalidRequestError } from './validate.ts'

/** Largest body of a JSON route that declares no limit of its own. */
const DEFAULT_BODY_LIMIT_BYTES = 16 * 1024 * 1024

export interface HttpServerOptions {
  logger: FastifyBaseLogger
  bodyLimitBytes?: number
  /** A request may take this long to arrive, headers and body; routes with uploads set their own with `uploadDeadline`. */
  requestTimeoutMs?: number
  /** Turns a domain error into what the caller may know; null leaves it an internal error. */
  translate?: (error: Error) => HttpError | null
  /** The rest of a refused body may arrive for this long before its connection is cut. */
  lingerMs?: number
  /** Names besides loopback's own that requests on loopback may carry. */
  trusted?: TrustedNames
  /** Decides who may come in: runs after the host check and before any limit of the body. */
  gate?: (request: FastifyRequest, reply: FastifyReply) => Promise<void>
  /** The 413 for a body over the limit. */
  tooLarge?: (limitBytes: number) => HttpError
}

declare module 'fastify' {
  interface FastifyInstance {
    boundary: Required<Pick<HttpServerOptions, 'translate' | 'lingerMs' | 'tooLarge'>>
  }
}

/** No route has a JSON schema: zod validates. What the framework loads for such schemas is a tenth of the start. */
const refuseSchemas = (): never => {
  throw new Error('a route declares a JSON schema: validate with zod instead')
}

/**
 * A server with the boundary that every provider shares: body limits before parsing, deadlines for slow senders, typed error bodies
 * (family `detail` until a scope chooses another with `useErrorFamily`), no foreign Host or Origin on loopback.
 */
export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const requestTimeoutMs = options.requestTimeoutMs ?? 120_000
  const app = fastify({
    schemaController: { compilersFactory: { buildValidator: refuseSchemas, buildSerializer: refuseSchemas } },
    loggerInstance: options.logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: options.bodyLimitBytes ?? DEFAULT_BODY_LIMIT_BYTES,
    requestTimeout: requestTimeoutMs,
    http: { connectionsCheckingInterval: 1000, headersTimeout: Math.min(20_000, requestTimeoutMs) },
    forceCloseConnections: 'idle',
    return503OnClosing: true,
    clientErrorHandler: (error, socket) => {
      if (error.code === 'ECONNRESET' || !socket.writable) return
      socket.end(protocolErrorResponse(error.code))
    },
    // Malformed paths never reach a route; the framework's own answer would repeat them.
    frameworkErrors: (error, _request, reply: FastifyReply) => {
      const status = error.statusCode ?? 400
      void reply.code(status).send({ detail: status === 414 ? 'The path is too long' : 'Malformed path' })
    },
  })
  // Without it, a form of a foreign page could post text: only what a route declares is read.
  app.removeContentTypeParser('text/plain')
  app.decorate('boundary', {
    translate: options.translate ?? (() => null),
    lingerMs: options.lingerMs ?? 2000,
    tooLarge: options.tooLarge ?? bodyTooLarge,
  })
  useErrorFamily(app, 'detail')
  app.setNotFoundHandler(() => {
    throw new HttpError(404, 'Not Found')
  })
  app.addHook('onRequest', hostGuard(options.trusted))
  if (options.gate !== undefined) app.addHook('onRequest', options.gate)
  app.addHook('onRequest', refuseOversized)
  return app
}

/** Chooses the shape of error bodies for a scope (an instance inside `register`) and everything below it. */
export function useErrorFamily(app: FastifyInstance, family: ErrorFamily): void {
  app.setErrorHandler((error: Error, request, reply) => {
    const known = expected(error, request) ?? app.boundary.translate(error)
    const { status, headers, body } = errorResponse(family, known)
    if (status >= 500) {
      // A query may hold a credential.
      request.log.error({ err: error, path: request.url.split('?', 1)[0] }, 'request failed')
    }
    if (!request.raw.complete) linger(request, reply, app.boundary.lingerMs)
    return reply.code(status).headers(headers).send(body)
  })
}

/**
 * Lets a refused body run on for a moment, unread: closing at once would reset the connection under a caller who is still sending, and
 * the answer would be lost with it.
 */
function linger(request: FastifyRequest, reply: FastifyReply, lingerMs: number): void {
  void reply.removeHeader('connection')
  reply.raw.once('finish', () => {
    // Its connection goes with it, since it has not ended.
    const cut = setTimeout(() => void request.raw.destroy(), lingerMs)
    const done = () => {
      clearTimeout(cut)
    }
    request.raw.once('end', done).once('close', done).resume()
  })
}

/** The framework's own refusals as ours; null for errors that are not expected here. */
function expected(error: Error, request: FastifyRequest): HttpError | InvalidRequestError | null {
  if (error instanceof HttpError || error instanceof InvalidRequestError) return error
  const { code, statusCode } = error as Partial<FastifyError>
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return request.server.boundary.tooLarge(request.routeOptions.bodyLimit)
  if (code === 'FST_ERR_CTP_INVALID_CONTENT_LENGTH') return new HttpError(400, 'Content-Length does not match the body')
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return new HttpError(415, 'Unsupported media type')
  if (code === 'FST_ERR_CTP_EMPTY_JSON_BODY') {
    return new InvalidRequestError([{ loc: ['body'], msg: 'Field required', type: 'missing' }], ['body: required'])
  }
  if (code === 'FST_ERR_CTP_INVALID_JSON_BODY') {
    const issue = { loc: ['body', 0], msg: 'JSON decode error', type: 'json_invalid' }
    return new InvalidRequestError([issue], ['body: not valid JSON'])
  }
  return statusCode !== undefined && statusCode >= 400 && statusCode < 500
    ? new HttpError(statusCode, error.message)
    : null
}

/** Refuses a declared length over the route's limit, also where no body would be read. */
async function refuseOversized(request: FastifyRequest): Promise<void> {
  const limit = request.routeOptions.bodyLimit
  if (Number(request.headers['content-length'] ?? 0) > limit) throw request.server.boundary.tooLarge(limit)
}

/** The 413 of every route: the limit is the route's own. */
export function bodyTooLarge(limitBytes: number): HttpError {
  return new HttpError(413, `Request body exceeds the limit for this endpoint (${limitBytes} bytes)`)
}

/** A port to listen on: a person's choice is kept to, a service's default gives way to any free port when it is taken. */
export interface DeclaredPort {
  port: number
  isDefault: boolean
}

export interface Listening {
  url: string
  port: number
}

/** Starts listening; port 0 takes a free one. */
export async function listen(app: FastifyInstance, host: string, port: number): Promise<Listening> {
  await app.listen({ host, port })
  const address = app.server.address()
  if (address === null || typeof address === 'string') throw new Error('the server listens on no TCP port')
  const shown = address.family === 'IPv6' ? `[${address.address}]` : address.address
  return { url: `http://${shown}:${address.port}`, port: address.port }
}

/** Starts listening on a declared port. */
export async function listenDeclared(app: FastifyInstance, host: string, declared: DeclaredPort): Promise<Listening> {
  try {
    return await listen(app, host, declared.port)
  } catch (error) {
    if (!declared.isDefault || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    return listen(app, host, 0)
  }
}

/** Stops accepting, lets requests under way finish for `graceMs`, then drops their connections. */
export async function closeGracefully(app: FastifyInstance, graceMs: number): Promise<void> {
  const cut = setTimeout(() => {
    app.server.closeAllConnections()
  }, graceMs)
  try {
    await app.close()
  } finally {
    clearTimeout(cut)
  }
}
