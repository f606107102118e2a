import { createServer, request as callUpstream, type OutgoingHttpHeaders } from 'node:http'
import { listenLocally } from './local-server.ts'

/** Describes what one answer brought, streams included as far as they have come. */
export interface RecordedAnswer {
  path: string
  status: number
  headers: OutgoingHttpHeaders
  body: () => Buffer
}

export interface RecordingProxy {
  url: string
  /** In the order of the requests. */
  answers: RecordedAnswer[]
  close: () => Promise<void>
}

/** A server that passes everything on to another one on this machine and keeps every byte of the answers. */
export async function startRecordingProxy(upstream: string): Promise<RecordingProxy> {
  const { origin, hostname, port, host } = new URL(upstream)
  const answers: RecordedAnswer[] = []
  const server = createServer((asked, given) => {
    const headers = { ...asked.headers, host, ...(asked.headers.origin === undefined ? {} : { origin }) }
    const forwarded = callUpstream({ hostname, port, path: asked.url, method: asked.method, headers }, (answer) => {
      const pieces: Buffer[] = []
      answers.push({
        path: asked.url ?? '',
        status: answer.statusCode ?? 0,
        headers: answer.headers,
        body: () => Buffer.concat(pieces),
      })
      given.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.on('data', (piece: Buffer) => {
        pieces.push(piece)
        given.write(piece)
      })
      answer.on('end', () => given.end())
      answer.on('error', () => given.destroy())
    })
    forwarded.on('error', () => given.destroy())
    given.on('close', () => forwarded.destroy())
    asked.pipe(forwarded)
  })
  return { ...(await listenLocally(server)), answers }
}
