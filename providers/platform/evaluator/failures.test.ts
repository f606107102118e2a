import { describe, expect, it } from 'vitest'
import {
  GOLDEN,
  goldenEmbed,
  record,
  scripted,
  serveEvaluator,
  taskOf,
  verdicts,
} from '../../../tests/helpers/evaluator-fixture.ts'
import { ModelCallError, type ModelCallErrorCode } from '../models/model-host.ts'

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
    const { evaluate } = await serveEvaluator({
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
    const { evaluate } = await serveEvaluator({
      chat: scripted({ ...GOLDEN, verdicts: verdicts([1, 1]) }),
      embed: goldenEmbed,
    })
    expect((await evaluate(both)).body).toMatchObject({
      results: [{ scores: { faithfulness: null }, metadata: { metric_errors: { faithfulness: 'CriticShapeError' } } }],
    })
  })

  it('that are no number are score_not_finite, and an answer that claims nothing are reported as such', async () => {
    const nothing = scripted({ ...GOLDEN, statements: '{"statements":[]}', attributions: '{"classifications":[]}' })
    const { evaluate } = await serveEvaluator({ chat: nothing, embed: () => new Float32Array(2) })
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
    const { evaluate } = await serveEvaluator({ chat: scripted(GOLDEN), embedAll: () => [Float32Array.of(1)] })
    expect((await evaluate({ ...both, metrics: ['answer_relevancy'] })).body).toMatchObject({
      results: [{ metadata: { metric_errors: { answer_relevancy: 'InvalidResponseError' } } }],
    })
  })

  it.each<[ModelCallErrorCode, number | null, number, string]>([
    ['timeout', null, 502, 'RAG evaluation failed'],
    ['rate_limited', 429, 502, 'RAG evaluation failed'],
    ['upstream_error', 500, 502, 'RAG evaluation failed'],
    ['bad_request', 422, 400, "The evaluation model's service rejected the request (HTTP 422)"],
    ['unknown_model', 404, 400, "The evaluation model's service rejected the request (HTTP 404)"],
    ['not_configured', null, 400, 'No evaluator model is configured'],
  ])('by %s (HTTP %s) are HTTP %i when exceptions are raised', async (code, upstream, status, detail) => {
    const { evaluate } = await serveEvaluator({
      chat: () => new ModelCallError(code, 'evaluator', 'x', { status: upstream }),
    })
    expect(await evaluate({ ...both, raise_exceptions: true })).toEqual({ status, body: { detail } })
  })

  it.each<[ModelCallErrorCode, number, string, string]>([
    ['unauthorized', 402, 'x', 'the upstream asks for payment (HTTP 402)'],
    ['rate_limited', 429, 'You exceeded your current quota', 'the upstream is limiting requests (HTTP 429)'],
    ['bad_request', 400, 'Your credit balance is too low', 'the upstream refused the request (HTTP 400)'],
  ])(
    'by %s (HTTP %i, %s) end the request after one call, and report that access was refused',
    async (code, status, message, said) => {
      const { evaluate, models } = await serveEvaluator({
        chat: () => new ModelCallError(code, 'evaluator', message, { status }),
      })
      expect(await evaluate(both)).toEqual({
        status: 502,
        body: {
          detail: `RAG evaluation failed: the model call for role evaluator failed: ${said}`,
          code: 'model_access_refused',
        },
      })
      expect(models.calls).toHaveLength(1)
    },
  )

  it.each<[ModelCallErrorCode, number]>([
    ['unknown_model', 400],
    ['not_configured', 400],
    ['unauthorized', 502],
  ])('by %s end the request, raised or not: no metric can get round it', async (code, status) => {
    const { evaluate } = await serveEvaluator({ chat: () => new ModelCallError(code, 'evaluator', 'x') })
    expect((await evaluate(both)).status).toBe(status)
  })

  it.each<[ModelCallErrorCode, number, string, string]>([
    ['rate_limited', 429, 'You exceeded your current quota', 'RateLimitError'],
    ['unauthorized', 401, 'x', 'AuthenticationError'],
    ['unknown_model', 404, 'x', 'NotFoundError'],
  ])('of embeddings by %s (HTTP %i, %s) leave the metrics that need none', async (code, status, message, word) => {
    const { evaluate } = await serveEvaluator({
      chat: scripted(GOLDEN),
      embedAll: () => new ModelCallError(code, 'evaluator_embed', message, { status }),
    })
    expect(await evaluate(both)).toMatchObject({
      status: 200,
      body: {
        results: [
          {
            scores: { faithfulness: expect.closeTo(2 / 3, 4), answer_relevancy: null },
            metadata: { metric_errors: { answer_relevancy: word } },
          },
        ],
      },
    })
    expect((await evaluate({ ...both, metrics: ['answer_relevancy'] })).status).toBeGreaterThanOrEqual(400)
  })
})

describe('requests', () => {
  it('choose other models of this platform by name, and no others', async () => {
    const { evaluate, models } = await serveEvaluator({
      chat: scripted(GOLDEN),
      embed: goldenEmbed,
      builtin: ['graph_query'],
    })
    const body = { records: [record], metrics: ['answer_relevancy'] }
    const { body: chosen } = await evaluate({
      ...body,
      evaluator_model: 'fake-light_gen',
      embeddings_model: 'fake-embed',
    })
    expect(chosen).toMatchObject({ evaluator_model: 'fake-light_gen', embeddings_model: 'fake-embed' })
    expect(models.calls.map(({ role }) => role)).toEqual(['light_gen', 'embed', 'light_gen'])
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
    const none = await serveEvaluator({ absent: ['evaluator'] })
    expect(await none.evaluate({ records: [record] })).toEqual({
      status: 400,
      body: { detail: 'No evaluator model is configured' },
    })
    const blind = await serveEvaluator({ absent: ['evaluator_embed', 'embed'], chat: scripted(GOLDEN) })
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
    const { evaluate, models } = await serveEvaluator()
    expect(await evaluate(body)).toMatchObject({ status: 422, body: { detail: [{ loc }] } })
    expect(models.calls).toEqual([])
  })

  it('with too much metadata or evidence are 400 naming the record', async () => {
    const { evaluate, models } = await serveEvaluator()
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
