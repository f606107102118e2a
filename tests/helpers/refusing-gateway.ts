import { createServer, type ServerResponse } from 'node:http'
import { DECLARABLE_APPROACHES } from '../../contract/approaches.ts'
import { listenLocally } from './local-server.ts'

/** A gateway whose answers a test decides call by call, with an evaluator at `/evaluate`. */
export interface RefusingGateway {
  url: string
  /** HTTP status of the n-th call since `reset`, from 1; 200 answers. */
  answer: (call: number) => number
  /** The evaluation since `reset`, from 1, that never ends; null for none. */
  holdEvaluation: number | null
  /** Resolves when that evaluation is asked for. */
  evaluationHeld(): Promise<unknown>
  /** The chat calls since `reset`: alias and question. */
  calls(): string[]
  reset(): void
  close(): Promise<void>
}

const completion = (model: string) => ({
  choices: [{ message: { content: `The answer of ${model}.` } }],
  rag_extension: {
    schema_version: 1,
    answer: `The answer of ${model}.`,
    sources: [{ title: 'a.md', snippet: 'The keeper was Edith Marlowe.', score: 1 }],
    metrics: { seconds: 0.1, chunks: 1, llm_calls: 1, cloud_calls: 0 },
  },
})

interface Asked {
  model: string
  messages: { content: string }[]
  metrics?: string[]
}

export async function startRefusingGateway(): Promise<RefusingGateway> {
  let calls: string[] = []
  let evaluations = 0
  let held = Promise.withResolvers<null>()
  const reply = (response: ServerResponse, status: number, value: unknown): void => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(value))
  }
  const server = createServer((request, response) => {
    if (request.method === 'GET') {
      reply(response, 200, { data: DECLARABLE_APPROACHES.map((id) => ({ id })) })
      return
    }
    let body = ''
    request.on('data', (part: Buffer) => (body += part.toString()))
    request.on('end', () => {
      const { model, messages, metrics } = JSON.parse(body) as Asked
      if (request.url === '/evaluate') {
        // The check before a run sends nothing to evaluate.
        if (metrics === undefined) {
          reply(response, 422, { detail: 'records is required' })
          return
        }
        evaluations += 1
        if (evaluations === gateway.holdEvaluation) held.resolve(null)
        else {
          const scores = Object.fromEntries(metrics.map((metric) => [metric, 0.5]))
          reply(response, 200, { evaluator_model: 'e', embeddings_model: 'v', results: [{ scores }] })
        }
        return
      }
      calls.push(`${model} ${messages[0]!.content}`)
      const status = gateway.answer(calls.length)
      reply(response, status, status === 200 ? completion(model) : { error: { message: `refused with ${status}` } })
    })
  })
  const gateway: RefusingGateway = {
    ...(await listenLocally(server)),
    answer: () => 200,
    holdEvaluation: null,
    evaluationHeld: () => held.promise,
    calls: () => calls,
    reset() {
      calls = []
      evaluations = 0
      held = Promise.withResolvers()
      gateway.answer = () => 200
      gateway.holdEvaluation = null
    },
  }
  return gateway
}
