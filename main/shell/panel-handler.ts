import { buffer } from 'node:stream/consumers'
import { CONTROL_PREFIX } from '../../contract/control/router.ts'
import { POLICY_DIRECTIVES, policyOf, SECURITY_HEADERS } from '../engine/http/content-security-policy.ts'
import { StaticFiles } from '../engine/http/static-files.ts'
import { forwardControl, type EngineAccess } from './forward-control.ts'
import { isAppUrl } from './page-rules.ts'

interface PanelSource {
  rendererDir: string
  engine: EngineAccess
  /** During development: the server that builds the pages as they change. */
  devServer: string | null
}

const textAnswer = (status: number, text: string): Response =>
  new Response(`${text}\n`, {
    status,
    headers: { ...SECURITY_HEADERS, 'content-type': 'text/plain; charset=utf-8' },
  })

async function fileAnswer(files: StaticFiles, path: string): Promise<Response> {
  const file = await files.find(path === '/' ? '/index.html' : path)
  if (file === null) return textAnswer(404, 'File not found.')
  // Whole, not as it is read: Electron at times loses the end of a file's stream, and the window stays blank.
  return new Response(await buffer(file.open()), {
    headers: {
      ...SECURITY_HEADERS,
      'content-type': file.mediaType,
      'content-length': String(file.sizeBytes),
      'cache-control': file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    },
  })
}

/** Answers the app's own scheme: the built pages, and below `/control` the engine's API. */
export function createPanelHandler({
  rendererDir,
  engine,
  devServer,
}: PanelSource): (request: Request) => Promise<Response> {
  const files = new StaticFiles(rendererDir)
  return async (request) => {
    if (!isAppUrl(request.url)) return textAnswer(404, 'Not found.')
    const url = new URL(request.url)
    if (url.pathname.startsWith(`${CONTROL_PREFIX}/`)) return forwardControl(request, url, engine)
    if (request.method !== 'GET' && request.method !== 'HEAD') return textAnswer(405, 'Pages can only be read.')
    return devServer === null ? fileAnswer(files, url.pathname) : devAnswer(devServer, url)
  }
}

/**
 * The policy while the pages are worked on, and only then: the shipped one, and what reloading needs besides, which is a script that Vite
 * writes into the page and a socket to its server. Everything else that the shipped policy refuses is refused here too.
 */
export const devPolicy = (devServer: string): string =>
  policyOf({
    ...POLICY_DIRECTIVES,
    'script-src': `${POLICY_DIRECTIVES['script-src']} 'unsafe-inline'`,
    'connect-src': `${POLICY_DIRECTIVES['connect-src']} ${devServer.replace(/^http/, 'ws')}`,
  })

/** The server is unreachable for a moment while it restarts after an edit of its configuration. */
const MAX_TRIES = 20
const RETRY_AFTER_MS = 250

async function ask(url: URL): Promise<Response> {
  for (let attempt = 1; ; attempt += 1)
    try {
      return await fetch(url)
    } catch (error) {
      if (attempt === MAX_TRIES) throw error
      await new Promise((resolve) => setTimeout(resolve, RETRY_AFTER_MS))
    }
}

/** A page's file from the development server. Rejects when that server stays unreachable. */
async function devAnswer(devServer: string, { pathname, search }: URL): Promise<Response> {
  const answer = await ask(new URL(pathname + search, devServer))
  const type = answer.headers.get('content-type')
  // Whole: Electron at times loses the end of a stream.
  return new Response(await answer.arrayBuffer(), {
    status: answer.status,
    headers: {
      ...SECURITY_HEADERS,
      'content-security-policy': devPolicy(devServer),
      'cache-control': 'no-store',
      ...(type === null ? {} : { 'content-type': type }),
    },
  })
}
