import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { DECLARABLE_APPROACHES } from '../../contract/approaches.ts'
import { listenLocally } from './local-server.ts'

/** A gateway that answers every chat request with one context; what a bench of the runner runs against. */
export interface StubGateway {
  url: string
  calls(): number
  /** Calls of each alias and question that was answered, by `alias question`. */
  callsOf(): ReadonlyMap<string, number>
  close(): Promise<void>
}

export interface StubOptions {
  /** Before each answer. */
  latencyMs?: number
  /** Awaited before each answer. */
  hold?: () => Promise<unknown>
  /** The same question and alias get the same answer whenever they are asked; else each answer has the number of its call. */
  sameAnswers?: boolean
}

function completion(model: string, name: string): string {
  const answer = `Paris is the answer ${name}`
  return JSON.stringify({
    id: `stub-${name}`,
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

export async function startStubGateway({
  latencyMs = 0,
  sameAnswers = false,
  hold,
}: StubOptions = {}): Promise<StubGateway> {
  let calls = 0
  const byCell = new Map<string, number>()
  const server = createServer((request, response) => {
    if (request.method === 'GET') {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ data: DECLARABLE_APPROACHES.map((id) => ({ id })) }))
      return
    }
    let body = ''
    request.on('data', (part: Buffer) => (body += part.toString()))
    request.on('end', () => {
      calls += 1
      const { model, messages } = JSON.parse(body) as { model: string; messages?: { content: string }[] }
      const cell = `${model} ${messages?.at(-1)?.content ?? ''}`
      byCell.set(cell, (byCell.get(cell) ?? 0) + 1)
      const name = sameAnswers ? createHash('sha256').update(cell).digest('hex').slice(0, 12) : String(calls)
      const answer = (): void => {
        response.setHeader('content-type', 'application/json')
        response.end(completion(model, name))
      }
      if (latencyMs === 0 && hold === undefined) answer()
      else void Promise.all([delay(latencyMs), hold?.()]).then(answer)
    })
  })
  return { ...(await listenLocally(server)), calls: () => calls, callsOf: () => byCell }
}

if (import.meta.main) {
  const stub = await startStubGateway()
  process.stdout.write(`${stub.url}\n`)
}
