import Fastify, { type FastifyError, type FastifyInstance } from 'fastify'
import type { AddressInfo } from 'node:net'
import type { AnyRouter } from '@orpc/server'
import type { ServiceName } from '../../../contract/control/services.ts'
import type { ServiceAddress } from '../services/local-service.ts'
import { checkHost, type AccessRules } from './access.ts'
import { SECURITY_HEADERS } from './content-security-policy.ts'
import { registerControlRoute, sendRefusal } from './control-route.ts'
import { registerServiceRoute } from './service-route.ts'
import { registerPageRoutes } from './page-routes.ts'
import type { Sessions } from './sessions.ts'
import { StaticFiles } from './static-files.ts'

export interface HttpServerOptions {
  router: AnyRouter
  /** Where a page's call of a local service goes; rejects when the service cannot be had. */
  addressOf: (name: ServiceName) => Promise<ServiceAddress>
  port: number
  token: string
  sessions: Sessions
  appOrigin: string | null
  rendererDir: string
  report: (error: unknown) => void
}

export interface HttpServer {
  /** `http://127.0.0.1:<port>` */
  url: string
  /** A link that opens the panel in a browser, once. */
  newLink(): { url: string; expiresAt: number }
  close(): Promise<void>
}

/** A text for a corpus is the largest that a page sends; everything else is a question. */
const MAX_REQUEST_BYTES = 4 * 1024 * 1024

function codeOf(status: number) {
  return status === 413 ? 'request_too_large' : status < 500 ? 'input_invalid' : 'unexpected'
}

function newApp(report: (error: unknown) => void, rules: () => AccessRules): FastifyInstance {
  const app = Fastify({
    bodyLimit: MAX_REQUEST_BYTES,
    forceCloseConnections: true,
    // Of receiving a request, a little more than services give to an upload; answers may stream as long as they like.
    requestTimeout: 130_000,
    routerOptions: { maxParamLength: 512 },
    // An address that cannot be decoded is refused before any hook.
    frameworkErrors: (error, request, reply) => {
      const access = checkHost(request.headers, rules())
      void reply.headers(SECURITY_HEADERS)
      if (!access.ok) return void sendRefusal(reply, access.error, access.status)
      const message = 'the address of the request cannot be decoded'
      void sendRefusal(reply, { code: 'input_invalid', message, retryable: false }, error.statusCode ?? 400)
    },
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    try {
      // Nothing in a body means a call without input.
      done(null, body === '' ? {} : (JSON.parse(body as string) as unknown))
    } catch {
      done(Object.assign(new Error('the body is not JSON'), { statusCode: 400 }), undefined)
    }
  })
  app.setErrorHandler((error: FastifyError, _request, reply) => {
    const status = error.statusCode ?? 500
    if (status >= 500) report(error)
    return sendRefusal(reply, { code: codeOf(status), message: error.message, retryable: false }, status)
  })
  app.setNotFoundHandler((_request, reply) =>
    sendRefusal(reply, { code: 'not_found', message: 'there is nothing here', retryable: false }, 404),
  )
  return app
}

/** Pages and control API on 127.0.0.1, and nowhere else. Rejects when the port is taken. */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { sessions } = options
  const rules: AccessRules = { port: options.port, token: options.token, sessions, appOrigin: options.appOrigin }
  const app = newApp(options.report, () => rules)
  app.addHook('onRequest', async (request, reply) => {
    const access = checkHost(request.headers, rules)
    if (!access.ok) return sendRefusal(reply, access.error, access.status)
  })
  app.addHook('onSend', async (_request, reply) => {
    reply.headers(SECURITY_HEADERS)
  })
  const { addressOf, report } = options
  registerServiceRoute(app, { rules, addressOf, report })
  registerControlRoute(app, { router: options.router, rules, report: options.report })
  registerPageRoutes(app, new StaticFiles(options.rendererDir), rules)
  await app.listen({ host: '127.0.0.1', port: options.port })
  rules.port = (app.server.address() as AddressInfo).port
  const url = `http://127.0.0.1:${rules.port}`
  return {
    url,
    newLink() {
      const { token, expiresAt } = sessions.newLink()
      return { url: `${url}/open?token=${token}`, expiresAt }
    },
    close: () => app.close(),
  }
}
