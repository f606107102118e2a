import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  service.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return Object.assign(service, {
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  })
}
