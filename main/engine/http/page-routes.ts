import type { FastifyInstance, FastifyReply } from 'fastify'
import { PAGE_KEY_PARAMETER } from '../../../contract/control/system.ts'
import { cookieName, hasSession, type AccessRules } from './access.ts'
import { SESSION_SECONDS } from './sessions.ts'
import type { StaticFiles } from './static-files.ts'

const LINK_USED =
  'This link has been used or is too old. Ask for a new one: it stands where "rag-ladder serve" was started.\n'
const NOT_BUILT =
  'The pages are not built. Run "npm run build" in the project, or start "rag-ladder serve" from a release.\n'

/** Paths of pages have no ending: what has one is a file that is there or not. */
const isPage = (path: string): boolean => !/\.[^/]*$/.test(path)

async function send(reply: FastifyReply, files: StaticFiles, path: string): Promise<FastifyReply> {
  const file = (await files.find(path)) ?? (isPage(path) ? await files.find('/index.html') : null)
  if (file === null) {
    const text = isPage(path) ? NOT_BUILT : 'There is no such file.\n'
    return reply.code(404).type('text/plain; charset=utf-8').send(text)
  }
  return reply
    .type(file.mediaType)
    .header('content-length', file.sizeBytes)
    .header('cache-control', file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache')
    .send(file.open())
}

/** The panel's pages, open to everybody on this machine: they hold no data. `/open` turns a one-time link into a session. */
export function registerPageRoutes(app: FastifyInstance, files: StaticFiles, rules: AccessRules): void {
  app.get<{ Querystring: { token?: unknown } }>('/open', { exposeHeadRoute: false }, async (request, reply) => {
    const { token } = request.query
    const session = typeof token === 'string' ? rules.sessions.redeem(token) : null
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
  app.get('/*', async (request, reply) => send(reply, files, request.url.split('?', 1)[0]!))
}
