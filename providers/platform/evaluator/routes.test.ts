import { afterEach, describe, expect, it } from 'vitest'
import { fakeModelHost, type FakeModelHostOptions, type FakeReply } from '../../../tests/helpers/fake-model-host.ts'
import { EvaluateResponse } from '../../../contract/index.ts'
import { createLogger } from '../../kit/logger.ts'
import { createHttpServer, listen } from '../../kit/server.ts'
import { ModelCallError, type ModelCallErrorCode, type RoleChatRequest } from '../models/model-host.ts'
import type { CriticRules } from './critics/rule-critic.ts'
import { registerEvaluatorRoutes } from './routes.ts'

/** Rules that look for words, plain enough to predict. */
const rules: CriticRules = {
  splitStatements: (answer) =>
    answer
      .split('.')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  judgeStatement: (statement, contexts) => ({
    verdict: contexts.join(' ').includes(statement),
    reason: 'looked for the words',
  }),
  generateQuestions: (answer, count) =>
    Array.from({ length: count }, () => ({ question: answer, noncommittal: false })),
  judgeUsefulness: (_question, context, reference) => ({ verdict: context.includes(reference), reason: 'looked' }),
  attributeStatement: (statement, contexts) => ({ verdict: contexts.join(' ').includes(statement), reason: 'looked' }),
}

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

async function serve(options: FakeModelHostOptions = {}) {
  const models = fakeModelHost(options)
  const app = createHttpServer({ logger: createLogger('test', 'silent') })
  registerEvaluatorRoutes(app, { models, rules })
  const { url } = await listen(app, '127.0.0.1', 0)
  closers.push(() => app.close())
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
const taskOf = (request: RoleChatRequest): string => {
  const format = request.response_format as unknown as { json_schema: { name: string } }
  return format.json_schema.name
}

/** A model that judges as the golden examples say. */
function scripted(replies: Record<string, FakeReply | ((request: RoleChatRequest) => FakeReply)>) {
  return (_role: string, request: RoleChatRequest): FakeReply => {
    const reply = replies[taskOf(request)]
    if (reply === undefined) throw new Error(`nobody wrote a reply for ${taskOf(request)}`)
    return typeof reply === 'function' ? reply(request) : reply
  }
}

const verdicts = (values: number[]) =>
  JSON.stringify({
    verdicts: values.map((verdict, index) => ({ number: index + 1, reason: `r${index + 1}`, verdict })),
  })
const questions = (values: number[]) =>
  JSON.stringify({
    questions: values.map((noncommittal, index) => ({ question: `generated ${index}?`, noncommittal })),
  })

const GOLDEN = {
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
const goldenEmbed = (text: string): Float32Array => {
  const cosine = [0.9, 0.8, 0.7][Number(/generated (\d)/.exec(text)?.[1] ?? -1)] ?? 1
  return Float32Array.of(cosine, Math.sqrt(1 - cosine * cosine))
}

const ALL = ['faithfulness', 'answer_relevancy', 'context_precision', 'context_recall']
const record = {
  question: 'Who?',
  answer: 'Ada built it.',
  contexts: ['useful 1', 'other', 'useful 2'],
  ground_truth: 'Ada.',
}

describe('scores', () => {
  it('are the golden numbers, with the reasons of every verdict', async () => {
    const { evaluate, models } = await serve({ chat: scripted(GOLDEN), embed: goldenEmbed })
    const { status, body } = await evaluate({ records: [record], metrics: [...ALL, 'faithfulness'] })
    expect(status).toBe(200)
    EvaluateResponse.parse(body)
    const near = (value: number) => expect.closeTo(value, 4) as number
    expect(body).toEqual({
      metrics: ALL,
      record_count: 1,
      evaluator_model: 'fake-evaluator',
      embeddings_model: 'fake-evaluator_embed',
      results: [
        {
          record_index: 0,
          scores: {
            faithfulness: near(0.6667),
            answer_relevancy: near(0.8),
            context_precision: near(0.8333),
            context_recall: 0.5,
          },
          metadata: {
            metric_errors: {},
            metric_reasons: {
              faithfulness: {
                statements: ['a', 'b', 'c'].map((statement, index) => ({
                  statement,
                  reason: `r${index + 1}`,
                  verdict: index < 2 ? 1 : 0,
                })),
              },
              answer_relevancy: {
                questions: [0.9, 0.8, 0.7].map((cosine, index) => ({
                  question: `generated ${index}?`,
                  noncommittal: 0,
                  cosine: near(cosine),
                })),
              },
              context_precision: { contexts: [1, 0, 1].map((verdict, index) => ({ index, reason: 'u', verdict })) },
              context_recall: {
                statements: [1, 0, 1, 0].map((attributed, index) => ({
                  statement: `s${index}`,
                  reason: 'q',
                  attributed,
                })),
              },
            },
          },
        },
      ],
      metadata: { runner: 'rag-ladder', formulas: 'ragas 0.4.3', critic: 'chat', llm_base_url: null },
    })
    // split, judge; questions; three contexts; attribution
    expect(models.calls.filter(({ kind }) => kind === 'chat')).toHaveLength(7)
    expect(models.calls.filter(({ kind }) => kind === 'embed')).toMatchObject([{ role: 'evaluator_embed', size: 4 }])
  })

  it('are 0 for an answer that evades in every question, but not in some', async () => {
    const all = await serve({ chat: scripted({ questions: questions([1, 1, 1]) }), embed: goldenEmbed })
    const some = await serve({ chat: scripted({ questions: questions([1, 0, 1]) }), embed: goldenEmbed })
    const body = { records: [record], metrics: ['answer_relevancy'] }
    expect((await all.evaluate(body)).body).toMatchObject({ results: [{ scores: { answer_relevancy: 0 } }] })
    expect((await some.evaluate(body)).body).toMatchObject({
      results: [{ scores: { answer_relevancy: expect.closeTo(0.8, 4) } }],
    })
  })

  it('are null without their evidence, with no call and no error', async () => {
    const { evaluate, models } = await serve({
      chat: scripted({ questions: questions([0, 0, 0]) }),
      embed: goldenEmbed,
    })
    const bare = { question: 'Who?', answer: 'Ada.' }
    const blank = { ...bare, contexts: ['  '], ground_truth: 'Ada.' }
    const { body } = await evaluate({ records: [bare, blank], metrics: ALL })
    const result = {
      scores: {
        faithfulness: null,
        answer_relevancy: expect.closeTo(0.8, 4),
        context_precision: null,
        context_recall: null,
      },
      metadata: { metric_errors: {} },
    }
    expect(body).toMatchObject({
      results: [
        { record_index: 0, ...result },
        { record_index: 1, ...result },
      ],
    })
    expect(models.calls.filter(({ kind }) => kind === 'chat')).toHaveLength(2)
  })

  it('come from rules when the evaluator is rule-based, with no chat call', async () => {
    const { evaluate, models } = await serve({ builtin: ['evaluator', 'evaluator_embed'] })
    const ruled = {
      question: 'Ada built it. Bo paid',
      answer: 'Ada built it. Bo paid',
      contexts: ['Ada built it'],
      ground_truth: 'Ada built it. In 1871',
    }
    const { body } = await evaluate({ records: [ruled], metrics: ALL })
    expect(body).toMatchObject({
      results: [
        {
          scores: {
            faithfulness: 0.5,
            answer_relevancy: expect.closeTo(1, 4),
            context_precision: 0,
            context_recall: 0.5,
          },
        },
      ],
      metadata: { critic: 'rules' },
    })
    expect(models.calls.filter(({ kind }) => kind === 'chat')).toEqual([])
  })
})

describe('the built-in rules', () => {
  it('tell a supported answer from an invented one', async () => {
    const models = fakeModelHost({ builtin: ['evaluator', 'evaluator_embed'] })
    const app = createHttpServer({ logger: createLogger('test', 'silent') })
    registerEvaluatorRoutes(app, { models })
    closers.push(() => app.close())
    const context = 'The Ternmouth lighthouse was finished in 1871 by Ada Brill. Its lamp burned colza oil.'
    const of = async (answer: string) => {
      const payload = {
        records: [
          {
            question: 'Who finished the Ternmouth lighthouse?',
            answer,
            contexts: [context],
            ground_truth: 'Ada Brill finished it in 1871.',
          },
        ],
        metrics: ALL,
      }
      const response = await app.inject({ method: 'POST', url: '/api/rag/evaluate', payload })
      expect(response.statusCode).toBe(200)
      return response.json<{ results: { scores: Record<string, number>; metadata: object }[] }>().results[0]!
    }
    const right = await of('Ada Brill finished the Ternmouth lighthouse in 1871.')
    const wrong = await of('Zebedee Quill sold the harbour crane in 1911.')
    expect(right.scores).toMatchObject({ faithfulness: 1, context_precision: expect.closeTo(1, 6), context_recall: 1 })
    expect(wrong.scores).toMatchObject({ faithfulness: 0 })
    expect(right.scores['answer_relevancy']!).toBeGreaterThan(wrong.scores['answer_relevancy']!)
    expect(right.metadata).toMatchObject({
      metric_errors: {},
      metric_reasons: { faithfulness: { statements: [{ verdict: 1 }] } },
    })
  })
})

describe('failures of a metric', () => {
  const both = { records: [record], metrics: ['faithfulness', 'answer_relevancy'] }

  it.each<[ModelCallErrorCode, string]>([
    ['timeout', 'TimeoutError'],
    ['rate_limited', 'RateLimitError'],
    ['unreachable', 'ConnectionError'],
    ['upstream_error', 'UpstreamError'],
    ['invalid_response', 'InvalidResponseError'],
    ['bad_request', 'BadRequestError'],
  ])('by %s are null with the word %s, and leave the others alone', async (code, word) => {
    const failure = () => new ModelCallError(code, 'evaluator', 'secret words of the upstream')
    const { evaluate } = await serve({
      chat: (role, request) =>
        'response_format' in request && taskOf(request) === 'questions' ? scripted(GOLDEN)(role, request) : failure(),
      embed: goldenEmbed,
    })
    const { status, body } = await evaluate(both)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      results: [
        {
          scores: { faithfulness: null, answer_relevancy: expect.closeTo(0.8, 4) },
          metadata: { metric_errors: { faithfulness: word } },
        },
      ],
    })
    expect(JSON.stringify(body)).not.toContain('secret')
  })

  it('that cannot be parsed are never a 0', async () => {
    const { evaluate } = await serve({ chat: scripted({ ...GOLDEN, verdicts: verdicts([1, 1]) }), embed: goldenEmbed })
    expect((await evaluate(both)).body).toMatchObject({
      results: [{ scores: { faithfulness: null }, metadata: { metric_errors: { faithfulness: 'CriticReplyError' } } }],
    })
  })

  it('that are no number are score_not_finite, and an answer that claims nothing says so', async () => {
    const nothing = scripted({ ...GOLDEN, statements: '{"statements":[]}', attributions: '{"classifications":[]}' })
    const { evaluate } = await serve({ chat: nothing, embed: () => new Float32Array(2) })
    const { body } = await evaluate({
      records: [record],
      metrics: ['faithfulness', 'answer_relevancy', 'context_recall'],
    })
    expect(body).toMatchObject({
      results: [
        {
          scores: { faithfulness: null, answer_relevancy: null, context_recall: null },
          metadata: {
            metric_errors: {
              faithfulness: 'no_statements',
              answer_relevancy: 'score_not_finite',
              context_recall: 'score_not_finite',
            },
          },
        },
      ],
    })
  })

  it('by a wrong number of vectors are an invalid response', async () => {
    const { evaluate } = await serve({ chat: scripted(GOLDEN), embedAll: () => [Float32Array.of(1)] })
    expect((await evaluate({ ...both, metrics: ['answer_relevancy'] })).body).toMatchObject({
      results: [{ metadata: { metric_errors: { answer_relevancy: 'InvalidResponseError' } } }],
    })
  })

  it.each<[ModelCallErrorCode, number | null, number, string]>([
    ['timeout', null, 502, 'RAG evaluation failed'],
    ['rate_limited', 429, 502, 'RAG evaluation failed'],
    ['unauthorized', 401, 502, 'RAG evaluation failed'],
    ['upstream_error', 500, 502, 'RAG evaluation failed'],
    ['bad_request', 422, 400, "The evaluation model's service rejected the request (HTTP 422)"],
    ['unknown_model', 404, 400, "The evaluation model's service rejected the request (HTTP 404)"],
    ['not_configured', null, 400, 'No evaluator model is configured'],
  ])('by %s (HTTP %s) are HTTP %i when exceptions are raised', async (code, upstream, status, detail) => {
    const { evaluate } = await serve({ chat: () => new ModelCallError(code, 'evaluator', 'x', { status: upstream }) })
    expect(await evaluate({ ...both, raise_exceptions: true })).toEqual({ status, body: { detail } })
  })

  it.each<[ModelCallErrorCode, number]>([
    ['unknown_model', 400],
    ['not_configured', 400],
    ['unauthorized', 502],
  ])('by %s end the request, raised or not: no metric can get round it', async (code, status) => {
    const { evaluate } = await serve({ chat: () => new ModelCallError(code, 'evaluator', 'x') })
    expect((await evaluate(both)).status).toBe(status)
  })
})

describe('requests', () => {
  it('choose other models of this platform by name, and no others', async () => {
    const { evaluate, models } = await serve({ chat: scripted(GOLDEN), embed: goldenEmbed, builtin: ['graph_query'] })
    const body = { records: [record], metrics: ['answer_relevancy'] }
    const { body: chosen } = await evaluate({
      ...body,
      evaluator_model: 'fake-light_gen',
      embeddings_model: 'fake-embed',
    })
    expect(chosen).toMatchObject({ evaluator_model: 'fake-light_gen', embeddings_model: 'fake-embed' })
    expect(models.calls.map(({ role }) => role)).toEqual(['light_gen', 'embed'])
    const detail = "The evaluation model's service rejected the request (HTTP 404)"
    for (const wrong of [
      { evaluator_model: 'gpt-9' },
      { embeddings_model: 'fake-light_gen' },
      { evaluator_model: 'fake-graph_query' },
      { evaluator_model: 'fake-rerank' },
    ])
      expect(await evaluate({ ...body, ...wrong })).toEqual({ status: 400, body: { detail } })
  })

  it('are 400 when no evaluator, or no embedding model that is needed, is configured', async () => {
    const none = await serve({ absent: ['evaluator'] })
    expect(await none.evaluate({ records: [record] })).toEqual({
      status: 400,
      body: { detail: 'No evaluator model is configured' },
    })
    const blind = await serve({ absent: ['evaluator_embed', 'embed'], chat: scripted(GOLDEN) })
    expect(await blind.evaluate({ records: [record] })).toMatchObject({ status: 400 })
    expect(await blind.evaluate({ records: [record], metrics: ['faithfulness'] })).toMatchObject({
      status: 200,
      body: { embeddings_model: null },
    })
  })

  it.each([
    [{ records: [] }, ['body', 'records']],
    [{ records: [{ question: '', answer: 'a' }] }, ['body', 'records', 0, 'question']],
    [{ records: [{ question: 'q', answer: 'a', contexts: Array(51).fill('c') }] }, ['body', 'records', 0, 'contexts']],
    [{ records: [{ question: 'q', answer: 'a'.repeat(16_001) }] }, ['body', 'records', 0, 'answer']],
    [{ records: [record], metrics: ['magic'] }, ['body', 'metrics', 0]],
    [{ records: [{ ...record, extra: 1 }] }, ['body', 'records', 0, 'extra']],
    [{ records: Array(101).fill(record) }, ['body', 'records']],
  ])('outside their bounds are 422 naming the place %#', async (body, loc) => {
    const { evaluate, models } = await serve()
    expect(await evaluate(body)).toMatchObject({ status: 422, body: { detail: [{ loc }] } })
    expect(models.calls).toEqual([])
  })

  it('with too much metadata or evidence are 400 naming the record', async () => {
    const { evaluate, models } = await serve()
    const small = { question: 'q', answer: 'a' }
    const fat = { ...small, metadata: { note: 'é'.repeat(32 * 1024) } }
    expect(await evaluate({ records: [small, fat] })).toEqual({
      status: 400,
      body: { detail: 'records[1].metadata exceeds 65536 bytes' },
    })
    const heavy = { ...small, contexts: Array<string>(50).fill('c'.repeat(32_000)) }
    expect(await evaluate({ records: Array(7).fill(heavy) })).toEqual({
      status: 400,
      body: { detail: 'records[5]: the evidence of the request exceeds 8388608 bytes' },
    })
    expect(models.calls).toEqual([])
  })
})
