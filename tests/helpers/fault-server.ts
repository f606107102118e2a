import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { listenLocally } from './local-server.ts'

/** Describes what a faulty server does with one request; `body` is the request's text. */
export type Behaviour = (response: ServerResponse, request: IncomingMessage, body: string) => void

export interface FaultServer {
  url: string
  /** Requests seen so far, newest last. */
  requests: { path: string; body: string; headers: IncomingMessage['headers'] }[]
  /** Behaviour of the next requests, in order; the last one stays. */
  script(...behaviours: Behaviour[]): void
  close: () => Promise<void>
}

export const json =
  (value: unknown, status = 200, headers: Record<string, string> = {}): Behaviour =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof value === 'string' ? value : JSON.stringify(value))
  }

export const text =
  (value: string | Buffer, status = 200, type = 'text/html'): Behaviour =>
  (response) => {
    response.writeHead(status, { 'content-type': type })
    response.end(value)
  }

/** Accepts the request and never answers. */
export const hang: Behaviour = () => undefined

/** Sends headers and half a body, then resets the connection. */
export const resetMidBody: Behaviour = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
  response.write('{"id":"x","choices":[')
  setImmediate(() => (response.socket as Socket).resetAndDestroy())
}

/** A small HTTP server on 127.0.0.1 whose faults a test switches on. */
export async function startFaultServer(): Promise<FaultServer> {
  const requests: FaultServer['requests'] = []
  let queue: Behaviour[] = [json({})]
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const body = Buffer.concat(parts).toString()
      requests.push({ path: request.url ?? '', body, headers: request.headers })
      const behaviour = queue.length > 1 ? queue.shift()! : queue[0]!
      behaviour(response, request, body)
    })
  })
  return {
    ...(await listenLocally(server)),
    requests,
    script(...behaviours) {
      queue = behaviours
    },
  }
}
