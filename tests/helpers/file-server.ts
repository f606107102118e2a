import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listenLocally } from './local-server.ts'

/** Describes what the server does wrong with one request. */
export interface FileFault {
  /** Answers with this status and no file. */
  status?: number
  /** Sends so many bytes and then nothing, until the connection ends or `cut` is called. */
  hangAfter?: number
  /** Sends the whole file, whatever part was asked for. */
  ignoresRange?: boolean
}

/** A server of files on 127.0.0.1 with faults to switch on; paths below `/hub/` are described as a model hub does. */
export interface FileServer {
  url: string
  files: Map<string, Buffer>
  /** Faults of the next requests, in order; afterwards there are none. */
  faults: FileFault[]
  /** Send no entity tag: a server that cannot report whether a file is still the same. */
  hasTags: boolean
  /** Requests of the files so far: path and range. */
  requests: string[]
  /** Breaks every connection. */
  cut(): void
  close(): Promise<void>
}

export async function startFileServer(): Promise<FileServer> {
  const server = createServer(answer)
  const files = new Map<string, Buffer>()
  const state: FileServer = {
    url: '',
    files,
    faults: [],
    hasTags: true,
    requests: [],
    cut: () => server.closeAllConnections(),
    close: async () => undefined,
  }

  function answer(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? ''
    if (path.startsWith('/hub/')) {
      redirect(path, response)
      return
    }
    state.requests.push(`${path} ${request.headers.range ?? 'whole'}`)
    const fault = state.faults.shift() ?? {}
    const file = files.get(path)
    const status = fault.status ?? (file === undefined ? 404 : 200)
    if (file === undefined || status !== 200) return void response.writeHead(status).end('no file here')
    const tag = `"${createHash('md5').update(file).digest('hex')}"`
    const from = fault.ignoresRange === true ? 0 : startOf(request, tag)
    if (from > 0 && from >= file.length)
      return void response.writeHead(416, { 'content-range': `bytes */${file.length}` }).end()
    const part = file.subarray(from)
    response.writeHead(from > 0 ? 206 : 200, {
      'content-length': part.length,
      ...(state.hasTags ? { etag: tag } : {}),
      ...(from > 0 ? { 'content-range': `bytes ${from}-${file.length - 1}/${file.length}` } : {}),
    })
    if (fault.hangAfter === undefined) response.end(part)
    else response.write(part.subarray(0, fault.hangAfter))
  }

  function redirect(path: string, response: ServerResponse): void {
    const target = path.slice('/hub'.length)
    const file = files.get(target)
    if (file === undefined) return void response.writeHead(404).end()
    response.writeHead(302, {
      location: target,
      'x-repo-commit': 'c0ffee',
      'x-linked-size': file.length,
      'x-linked-etag': `"${createHash('sha256').update(file).digest('hex')}"`,
    })
    response.end()
  }

  return Object.assign(state, await listenLocally(server))
}

/** First byte that the request asks for; 0 when its condition names another version of the file. */
function startOf(request: IncomingMessage, tag: string): number {
  const condition = request.headers['if-range']
  if (condition !== undefined && condition !== tag) return 0
  return Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0)
}
