import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { BaseApproach } from '../../contract/index.ts'

/** A gateway that answers every chat request at once with one context; what a bench of the runner runs against. */
export interface StubGateway {
  url: string
  calls(): number
  close(): Promise<void>
}

function completion(model: string, call: number): string {
  const answer = `Paris is the answer ${call}`
  return JSON.stringify({
    id: `stub-${call}`,
    object: 'chat.completion',
    created: 1,
    model,
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: answer } }],
    usage: { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 },
    rag_extension: {
      schema_version: 1,
      answer,
      sources: [{ title: 'a.md', snippet: 'Paris', score: 1 }],
      metrics: { seconds: 0.001, chunks: 1, llm_calls: 1, cloud_calls: 0 },
    },
  })
}

export async function startStubGateway(): Promise<StubGateway> {
  let calls = 0
  const server = createServer((request, response) => {
    if (request.method === 'GET') {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ data: BaseApproach.options.map((id) => ({ id })) }))
      return
    }
    let body = ''
    request.on('data', (part: Buffer) => (body += part.toString()))
    request.on('end', () => {
      calls += 1
      const { model } = JSON.parse(body) as { model: string }
      response.setHeader('content-type', 'application/json')
      response.end(completion(model, calls))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: () => calls,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

if (import.meta.main) {
  const stub = await startStubGateway()
  process.stdout.write(`${stub.url}\n`)
}
