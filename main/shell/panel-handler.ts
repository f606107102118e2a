import { buffer } from 'node:stream/consumers'
import { CONTROL_PREFIX } from '../../contract/control/router.ts'
import { SECURITY_HEADERS } from '../engine/http/content-security-policy.ts'
import { StaticFiles } from '../engine/http/static-files.ts'
import { isAppUrl } from './app-origin.ts'
import { devAnswer } from './dev-pages.ts'
import { forwardControl, type EngineDoor } from './forward-control.ts'

export interface PanelSource {
  rendererDir: string
  engine: EngineDoor
  /** While the pages are worked on: the server that builds them as they change. */
  devServer: string | null
}

const textAnswer = (status: number, text: string): Response =>
  new Response(`${text}\n`, {
    status,
    headers: { ...SECURITY_HEADERS, 'content-type': 'text/plain; charset=utf-8' },
  })

async function fileAnswer(files: StaticFiles, path: string): Promise<Response> {
  const file = await files.find(path === '/' ? '/index.html' : path)
  if (file === null) return textAnswer(404, 'There is no such file.')
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
    if (!isAppUrl(request.url)) return textAnswer(404, 'There is nothing here.')
    const url = new URL(request.url)
    if (url.pathname.startsWith(`${CONTROL_PREFIX}/`)) return forwardControl(request, url, engine)
    if (request.method !== 'GET' && request.method !== 'HEAD') return textAnswer(405, 'Pages are only read.')
    return devServer === null ? fileAnswer(files, url.pathname) : devAnswer(devServer, url)
  }
}
