import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listenLocally } from './local-server.ts'

export interface ModelServiceCall {
  method: string
  path: string
  headers: IncomingMessage['headers']
  body: unknown
}

/** Describes what the service does with one call: a JSON answer, or anything through the raw response. */
export type ModelServiceAnswer =
  | { status?: number; headers?: Record<string, string>; json: unknown }
  | { raw: (response: ServerResponse) => void }

export interface ModelService {
  url: string
  calls: ModelServiceCall[]
  close: () => Promise<void>
}

/** A small model service whose answers a test scripts; it remembers each call. The n-th call is 0 for the first. */
export async function startModelService(
  answer: (call: ModelServiceCall, n: number) => ModelServiceAnswer,
): Promise<ModelService> {
  const calls: ModelServiceCall[] = []
  const replyTo = (call: ModelServiceCall, response: ServerResponse): ModelServiceAnswer => {
    try {
      return answer(call, calls.length - 1)
    } catch (error) {
      // The error fails the test run; a client without an answer would wait for its time limit first.
      response.writeHead(500).end()
      throw error
    }
  }
  const server = createServer((request, response) => {
    void (async () => {
      let text = ''
      for await (const part of request) text += String(part)
      const call = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body: text === '' ? null : (JSON.parse(text) as unknown),
      }
      calls.push(call)
      const reply = replyTo(call, response)
      if ('raw' in reply) {
        reply.raw(response)
        return
      }
      response.writeHead(reply.status ?? 200, { 'content-type': 'application/json', ...reply.headers })
      response.end(JSON.stringify(reply.json))
    })()
  })
  return { ...(await listenLocally(server)), calls }
}
