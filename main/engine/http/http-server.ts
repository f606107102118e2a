import { MAX_FILE_BYTES } from '../../../contract/control/own-datasets.ts'
import type { AddressInfo } from 'node:net'
import type { AnyRouter } from '@orpc/server'
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply } from 'fastify'
import { z } from 'zod'
import type { ServiceName } from '../../../contract/control/services.ts'
import { PAGE_KEY_PARAMETER } from '../../../contract/control/system.ts'
import type { ServiceAddress } from '../services/local-service.ts'
import { checkHost, cookieName, hasSession, type AccessRules } from './access.ts'
import { SECURITY_HEADERS } from './content-security-policy.ts'
import { registerControlRoute, sendRefusal } from './control-route.ts'
import { registerServiceRoute } from './service-route.ts'
import { SESSION_SECONDS, type Sessions } from './sessions.ts'
import { StaticFiles } from './static-files.ts'

export interface HttpServerOptions {
  router: AnyRouter
  /** Returns where a page's call of a local service goes; rejects when the service is unavailable. */
  addressOf: (name: ServiceName) => Promise<ServiceAddress>
  port: number
  token: string
  sessions: Sessions
  appOrigin: string | null
  rendererDir: string
  report: (error: unknown) => void
}

interface HttpServer {
  /** `http://127.0.0.1:<port>` */
  url: string
  /** A link that opens the panel in a browser, once. */
  newLink(): { url: string; expiresAt: number }
  close(): Promise<void>
}

/** The largest request of a page is a file for a corpus, as base64, and a little more. */
const MAX_REQUEST_BYTES = Math.ceil(MAX_FILE_BYTES / 3) * 4 + 64 * 1024

function codeOf(status: number) {
  return status === 413 ? 'request_too_large' : status < 500 ? 'input_invalid' : 'unexpected'
}

/** No route has a JSON schema: zod validates. What the framework loads for such schemas is a tenth of the start. */
const refuseSchemas = (): never => {
  throw new Error('a route declares a JSON schema: validate with zod instead')
}

function newApp(report: (error: unknown) => void, rules: () => AccessRules): FastifyInstance {
  const app = Fastify({
    schemaController: { compilersFactory: { buildValidator: refuseSchemas, buildSerializer: refuseSchemas } },
    bodyLimit: MAX_REQUEST_BYTES,
    forceCloseConnections: true,
    // For receiving a request: a little more than services allow for an upload. Answers may stream without limit.
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
      // An empty body is a call without input.
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
    sendRefusal(reply, { code: 'not_found', message: 'there is no such address', retryable: false }, 404),
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

const OpenQuery = z.object({ token: z.string() })
const LINK_USED =
  'This link has been used or is too old. Ask for a new one: "rag-ladder serve" prints one when it starts.\n'
const NOT_BUILT =
  'The pages are not built. Run "npm run build" in the project, or start "rag-ladder serve" from a release.\n'

/** Paths of pages have no extension; a path with one names a file. */
const isPage = (path: string): boolean => !/\.[^/]*$/.test(path)

async function send(reply: FastifyReply, files: StaticFiles, url: string): Promise<FastifyReply> {
  const path = url.split('?', 1)[0]!
  const file = await files.find(path === '/' ? '/index.html' : path)
  // The address of a page without its `#`, as a person types it; its query belongs to the page.
  if (file === null && path !== '/' && isPage(path)) return reply.redirect(`/#${url}`, 302)
  if (file === null) {
    const text = isPage(path) ? NOT_BUILT : 'File not found.\n'
    return reply.code(404).type('text/plain; charset=utf-8').send(text)
  }
  return reply
    .type(file.mediaType)
    .header('content-length', file.sizeBytes)
    .header('cache-control', file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache')
    .send(file.open())
}

/** The panel's pages need no session: they hold no data. `/open` turns a one-time link into a session. */
function registerPageRoutes(app: FastifyInstance, files: StaticFiles, rules: AccessRules): void {
  app.get('/open', { exposeHeadRoute: false }, async (request, reply) => {
    const query = OpenQuery.safeParse(request.query)
    const session = query.success ? rules.sessions.redeem(query.data.token) : null
    reply.header('cache-control', 'no-store')
    if (session !== null)
      reply.header(
        'set-cookie',
        `${cookieName(rules.port)}=${session.cookie}; Path=/; Max-Age=${SESSION_SECONDS}; HttpOnly; SameSite=Strict`,
      )
    // A browser that reloads the link or returns to it already has a session.
    else if (!hasSession(request.headers, rules))
      return reply.code(403).type('text/plain; charset=utf-8').send(LINK_USED)
    return reply.redirect(session === null ? '/' : `/?${PAGE_KEY_PARAMETER}=${session.pageKey}`, 303)
  })
  app.get('/*', async (request, reply) => send(reply, files, request.url))
}
