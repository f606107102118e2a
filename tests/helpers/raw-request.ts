import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'

export interface RawAnswer {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: string
}

export interface RawRequest {
  method: string
  /** Sent unchanged: nothing is normalized. */
  path: string
  headers?: Record<string, string>
  body?: string
}

/** A client that sends paths and headers untouched, over connections that it keeps. */
export function rawClient(base: string): { send(what: RawRequest): Promise<RawAnswer>; close(): void } {
  const { hostname, port } = new URL(base)
  const agent = new Agent({ keepAlive: true, maxSockets: 16 })
  return {
    send: ({ method, path, headers = {}, body }) =>
      new Promise((resolve, reject) => {
        const framed = body === undefined ? headers : { ...headers, 'content-length': String(Buffer.byteLength(body)) }
        const asked = request({ hostname, port, agent, method, path, headers: framed }, (answer) => {
          let text = ''
          answer.setEncoding('utf8').on('data', (part: string) => (text += part))
          answer.on('error', reject)
          answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: text }))
        })
        asked.on('error', reject)
        asked.end(body)
      }),
    close: () => {
      agent.destroy()
    },
  }
}

/** Writes bytes on a connection of its own and gives the status of the first answer; 0 when there was none. */
export async function rawStatus(base: string, bytes: string): Promise<number> {
  const { hostname, port } = new URL(base)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  let text = ''
  const answered = new Promise<void>((resolve) => {
    socket.setEncoding('utf8').on('data', (part: string) => {
      text += part
      if (text.includes('\r\n\r\n')) resolve()
    })
    socket.once('close', () => resolve())
  })
  await once(socket, 'connect')
  socket.write(bytes)
  await answered
  socket.destroy()
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0)
}

/** A request head with its blank line. */
export function head(method: string, path: string, headers: Record<string, string>): string {
  const lines = Object.entries({ host: '127.0.0.1', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`
}
