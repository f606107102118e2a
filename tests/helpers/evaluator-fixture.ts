import { onTestFinished } from 'vitest'
import { createLogger } from '../../providers/kit/logger.ts'
import { createHttpServer, listen } from '../../providers/kit/server.ts'
import { registerEvaluatorRoutes } from '../../providers/platform/evaluator/routes.ts'
import type { RoleChatRequest } from '../../providers/platform/models/model-host.ts'
import { fakeModelHost, type FakeModelHostOptions, type FakeReply } from './fake-model-host.ts'

/** The evaluator's routes over scripted models, until the test ends. */
export async function serveEvaluator(options: FakeModelHostOptions = {}) {
  const models = fakeModelHost(options)
  const app = createHttpServer({ logger: createLogger('test', 'silent') })
  registerEvaluatorRoutes(app, models)
  const { url } = await listen(app, '127.0.0.1', 0)
  onTestFinished(() => app.close())
  const evaluate = async (body: unknown) => {
    const response = await fetch(`${url}/api/rag/evaluate`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return { status: response.status, body: (await response.json()) as never }
  }
  return { models, evaluate }
}

/** Which judgement a request asks for, by the name of its schema. */
export const taskOf = (request: RoleChatRequest): string => {
  const format = request.response_format as unknown as { json_schema: { name: string } }
  return format.json_schema.name
}

/** A model that judges as in the golden examples. */
export function scripted(replies: Record<string, FakeReply | ((request: RoleChatRequest) => FakeReply)>) {
  return (_role: string, request: RoleChatRequest): FakeReply => {
    const task = taskOf(request)
    const reply = replies[task] ?? (task === 'refusal' ? refusal(0) : undefined)
    if (reply === undefined) throw new Error(`there is no scripted reply for ${taskOf(request)}`)
    return typeof reply === 'function' ? reply(request) : reply
  }
}

export const refusal = (refused: 0 | 1): string => JSON.stringify({ reason: 'r', refused })
export const verdicts = (values: number[]) =>
  JSON.stringify({
    verdicts: values.map((verdict, index) => ({ number: index + 1, reason: `r${index + 1}`, verdict })),
  })
export const questions = (values: number[]) =>
  JSON.stringify({
    questions: values.map((noncommittal, index) => ({ question: `generated ${index}?`, noncommittal })),
  })

export const GOLDEN = {
  statements: JSON.stringify({ statements: ['a', 'b', 'c'] }),
  verdicts: verdicts([1, 1, 0]),
  questions: questions([0, 0, 0]),
  usefulness: (request: RoleChatRequest) =>
    JSON.stringify({ reason: 'u', verdict: (request.messages[1]!.content as string).includes('useful') ? 1 : 0 }),
  attributions: JSON.stringify({
    classifications: [1, 0, 1, 0].map((attributed, index) => ({ statement: `s${index}`, reason: 'q', attributed })),
  }),
}

/** Vectors whose cosines to the question are .9, .8 and .7. */
export const goldenEmbed = (text: string): Float32Array => {
  const cosine = [0.9, 0.8, 0.7][Number(/generated (\d)/.exec(text)?.[1] ?? -1)] ?? 1
  return Float32Array.of(cosine, Math.sqrt(1 - cosine * cosine))
}

export const ALL = ['faithfulness', 'answer_relevancy', 'context_precision', 'context_recall']
const reference = (states: string[]) =>
  JSON.stringify({ verdicts: states.map((verdict, index) => ({ number: index + 1, reason: 'r', verdict })) })

/** Replies for a reference of two statements, of which the answer has one and contradicts the other. */
export const COMPARED = { ...GOLDEN, reference: reference(['supported', 'contradicted']) }

export const record = {
  question: 'Who?',
  answer: 'Ada built it.',
  contexts: ['useful 1', 'other', 'useful 2'],
  ground_truth: 'Ada.',
}
