import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import { listenLocally } from './local-server.ts'

/** An address that stays while the server that answers there changes. */
export interface MovableDoor {
  url: string
  /** Returns what new requests lead to; null refuses them. Open ones end. */
  leadTo(target: string | null): void
  close(): Promise<void>
}

/** Passes one request on with Host and Origin of its target in the place of the proxy's own, as the engine answers for no others. */
function forward(target: URL, near: IncomingMessage, answer: ServerResponse): void {
  const { method, headers, url } = near
  const isOwn = headers.origin === `http://${headers.host}`
  const named = { ...headers, host: target.host, ...(isOwn ? { origin: target.origin } : {}) }
  const far = request(new URL(url ?? '/', target), { method, headers: named })
  far.on('response', (response) => {
    answer.writeHead(response.statusCode ?? 502, response.headers)
    answer.flushHeaders()
    response.on('error', () => answer.destroy())
    response.pipe(answer)
  })
  far.on('error', () => answer.destroy())
  near.on('error', () => far.destroy())
  answer.on('close', () => far.destroy())
  near.pipe(far)
}

/** A proxy on 127.0.0.1: the app is started once, and each spec chooses its server. */
export async function openMovableDoor(): Promise<MovableDoor> {
  let target: URL | null = null
  const server = createServer((near, answer) => {
    if (target === null) near.destroy()
    else forward(target, near, answer)
  })
  return {
    ...(await listenLocally(server)),
    leadTo(next) {
      target = next === null ? null : new URL(next)
      server.closeAllConnections()
    },
  }
}
