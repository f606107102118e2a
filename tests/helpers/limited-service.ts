import { createServer, type ServerResponse } from 'node:http'
import { listenLocally } from './local-server.ts'

export interface LimitedService {
  url: string
  answered: number
  refused: number
  /** Most calls that it worked on at a time. */
  most: number
  close(): Promise<void>
}

/** A service that works on two calls at a time, each for some turns of the event loop, and refuses every further one. */
export async function startLimitedService(
  body: object,
  refusal: { status: number; headers?: Record<string, string> },
): Promise<LimitedService> {
  let underWay = 0
  const service = { url: '', answered: 0, refused: 0, most: 0 }
  const answer = (response: ServerResponse): void => {
    underWay -= 1
    service.answered += 1
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      if (underWay === 2) {
        service.refused += 1
        response.writeHead(refusal.status, refusal.headers).end('{"error":{"message":"too many calls"}}')
        return
      }
      underWay += 1
      service.most = Math.max(service.most, underWay)
      setTimeout(answer, 20, response)
    })
  })
  return Object.assign(service, await listenLocally(server))
}

/** A service that answers at most so many calls in each second of its clock, and refuses every further one with the rest of that second as the pause. */
export async function startServiceWithRate(
  perSecond: number,
  bodyFor: (asked: unknown) => object,
): Promise<LimitedService> {
  const service = { url: '', answered: 0, refused: 0, most: 0 }
  let window = { startedMs: 0, calls: 0 }
  const server = createServer((request, response) => {
    void (async () => {
      const text = Buffer.concat((await request.toArray()) as Buffer[]).toString()
      if (request.method === 'GET') return void response.writeHead(404).end('{}')
      const nowMs = performance.now()
      if (nowMs - window.startedMs >= 1000) window = { startedMs: nowMs, calls: 0 }
      if (window.calls === perSecond) {
        service.refused += 1
        const leftMs = Math.ceil(window.startedMs + 1000 - nowMs)
        const refusal = { error: { message: 'Rate limit reached for requests', code: 'rate_limit_exceeded' } }
        return void response
          .writeHead(429, { 'content-type': 'application/json', 'retry-after-ms': `${leftMs}` })
          .end(JSON.stringify(refusal))
      }
      window.calls += 1
      service.most = Math.max(service.most, window.calls)
      service.answered += 1
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(bodyFor(JSON.parse(text))))
    })()
  })
  return Object.assign(service, await listenLocally(server))
}
