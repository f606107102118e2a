import { afterAll, describe, expect, it } from 'vitest'
import type { EvaluationMetric } from '../../contract/common.ts'
import { EVALUATOR_FAULTS, evaluatorReply as reply, expectedResult } from '../../tests/helpers/evaluator-faults.ts'
import { hang, json, type Behaviour } from '../../tests/helpers/fault-server.ts'
import { createEvaluatorClient } from './evaluator-client.ts'
import { suiteFaultServer } from '../../tests/helpers/test-server.ts'

const server = await suiteFaultServer()
const clientFor = (timeoutMs: number) =>
  createEvaluatorClient({
    url: `${server.url}/api/rag/evaluate`,
    apiKey: 'key',
    timeoutMs,
    retries: 1,
    backoffMs: 1,
  })
const client = clientFor(20_000)
/** For an evaluator that does not answer: a busy machine needs more than this for one that does. */
const impatient = clientFor(1000)
afterAll(async () => {
  await client.close()
  await impatient.close()
})

const both: EvaluationMetric[] = ['faithfulness', 'answer_relevancy']
const evidence = {
  question: 'Q?',
  answer: 'A.',
  contexts: ['C'],
  groundTruth: null as string | null,
  citedAnswer: null as string | null,
}
const run = (metrics = both, more: Partial<typeof evidence> = {}, by = client) =>
  by.evaluate(metrics, { ...evidence, ...more }, { row_id: 'r', run_id: 'x', dataset_id: 'd' })

describe('states', () => {
  it('ok: every requested metric scored', async () => {
    server.script(reply({ faithfulness: 0.5, answer_relevancy: 1 }, { metric_reasons: { faithfulness: ['why'] } }))
    expect(await run()).toEqual({
      status: 'ok',
      requested: both,
      scores: { faithfulness: 0.5, answer_relevancy: 1 },
      metric_errors: {},
      not_evaluable: {},
      reasons: { faithfulness: ['why'] },
      evaluator_model: 'critic',
      embeddings_model: 'emb',
      attempts: 1,
      latency_ms: expect.any(Number),
    })
  })

  it('partial: answer-only rows are scored for relevancy, and only that is asked for', async () => {
    server.script(reply({ answer_relevancy: 0.8 }))
    expect(await run(both, { contexts: [] })).toMatchObject({
      status: 'partial',
      scores: { answer_relevancy: 0.8 },
      not_evaluable: { faithfulness: 'retrieved_contexts_required' },
    })
    expect(JSON.parse(server.requests[0]!.body)).toMatchObject({ metrics: ['answer_relevancy'] })
  })

  it('not_evaluable: nothing is left to measure and no call is made', async () => {
    expect(await run(['context_recall'])).toMatchObject({
      status: 'not_evaluable',
      not_evaluable: { context_recall: 'ground_truth_required' },
    })
    expect(await run(['context_recall'], { contexts: [] })).toMatchObject({
      not_evaluable: { context_recall: 'retrieved_contexts_required' },
    })
    expect(server.requests).toHaveLength(0)
  })
})

it('three equal refusals of the key or the account end the calls; an answer or another refusal in between does not', async () => {
  const refusing = createEvaluatorClient({
    url: server.url,
    apiKey: 'key',
    timeoutMs: 20_000,
    retries: 1,
    backoffMs: 1,
  })
  const ask = () => refusing.evaluate(both, evidence, { row_id: 'r', run_id: 'x', dataset_id: 'd' })
  const said =
    'RAG evaluation failed: the model call for role evaluator failed: the upstream asks for payment (HTTP 402)'
  const [unpaid, denied] = [json({ detail: said, code: 'model_access_refused' }, 502), json({ detail: 'no' }, 401)]
  for (const behaviour of [
    unpaid,
    unpaid,
    reply({ faithfulness: 1 }),
    unpaid,
    unpaid,
    denied,
    unpaid,
    unpaid,
    unpaid,
  ]) {
    server.script(behaviour)
    await ask()
  }
  expect(server.requests).toHaveLength(9)
  expect(await ask()).toMatchObject({
    status: 'error',
    error_type: 'access_refused',
    error: `HTTP 502: ${said}`,
    attempts: 0,
  })
  expect(server.requests).toHaveLength(9)
  await refusing.close()
})

it('how long the calls took is kept, failed tries included and the waits between them not; nothing without a call', async () => {
  const late =
    (ms: number, then: Behaviour): Behaviour =>
    (...request) =>
      void setTimeout(() => then(...request), ms)
  server.script(late(40, json({}, 500)), late(40, reply({ faithfulness: 1, answer_relevancy: 1 })))
  const { latency_ms: ms, attempts } = await run()
  expect(attempts).toBe(2)
  expect(ms).toBeGreaterThanOrEqual(78)
  server.script(json({}, 400))
  expect((await run()).latency_ms).toBeGreaterThan(0)
  expect(await run(['context_recall'])).not.toHaveProperty('latency_ms')
})

describe('citations', () => {
  const sent = () => (JSON.parse(server.requests[0]!.body) as { records: object[] }).records[0]

  it('are sent only where a metric needs them: an evaluator elsewhere need not know the field', async () => {
    server.script(reply({ citation_recall: 1 }))
    await run(['citation_recall'], { citedAnswer: 'A [1].' })
    expect(sent()).toMatchObject({ answer: 'A.', cited_answer: 'A [1].' })
    server.requests.length = 0
    server.script(reply({ faithfulness: 1, answer_relevancy: 1 }))
    await run(both, { citedAnswer: 'A [1].' })
    expect(sent()).not.toHaveProperty('cited_answer')
  })

  it('that an answer does not have make their metrics not evaluable', async () => {
    expect(await run(['citation_recall'])).toMatchObject({
      status: 'not_evaluable',
      not_evaluable: { citation_recall: 'citations_required' },
    })
    expect(server.requests).toHaveLength(0)
  })
})

it('a metric that rules cannot grade is not evaluable, not a failure', async () => {
  server.script(reply({ answer_correctness: null }, { metric_errors: { answer_correctness: 'needs_language_model' } }))
  expect(await run(['answer_correctness'], { groundTruth: 'A.' })).toMatchObject({
    status: 'not_evaluable',
    metric_errors: { answer_correctness: 'needs_language_model' },
  })
})

describe('what the evaluator did not see', () => {
  const sent = () =>
    (JSON.parse(server.requests[0]!.body) as { records: { answer: string; contexts: string[] }[] }).records[0]!

  it('is counted in the result: ends of texts, contexts beyond the limit, and statements that got no verdict', async () => {
    const omitted = {
      metric_reasons: {
        faithfulness: { statements: [], statements_omitted: 30, contexts_omitted: 2 },
        context_recall: { statements: [], contexts_omitted: 4 },
      },
    }
    server.script(reply({ faithfulness: 1, context_recall: 1 }, omitted))
    const contexts = Array.from({ length: 53 }, (_, index) => 'c'.repeat(index < 2 ? 32_010 : 5))
    const result = await run(['faithfulness', 'context_recall'], {
      question: 'q'.repeat(8_003),
      answer: 'a'.repeat(5_000_000),
      contexts,
      groundTruth: 'g'.repeat(16_001),
    })
    expect(result).toMatchObject({
      status: 'ok',
      unseen: {
        question_chars: 3,
        answer_chars: 4_984_000,
        ground_truth_chars: 1,
        context_chars: 20,
        contexts: 7,
        statements: 30,
      },
    })
    expect(sent().answer).toHaveLength(16_000)
    expect(sent().contexts).toHaveLength(50)
  })

  it('is absent where it saw everything', async () => {
    server.script(reply({ faithfulness: 0.5, answer_relevancy: 1 }))
    expect(await run()).not.toHaveProperty('unseen')
  })
})

it.each([
  [true, { refused: true }],
  [false, { refused: false }],
  [null, {}],
  ['yes', {}],
])('a language model’s word on a refusal, %j, is kept as it is or left out', async (refused, kept) => {
  server.script(reply({ faithfulness: 0.5, answer_relevancy: 1 }, { refused }))
  const result = await run()
  expect('refused' in result ? { refused: result.refused } : {}).toEqual(kept)
})

describe('a good reply in a form of its own', () => {
  const scores = { faithfulness: 0.5, answer_relevancy: 1 }
  it.each([
    ['without a record index', { results: [{ scores }] }],
    [
      'with nulls',
      { evaluator_model: null, embeddings_model: null, results: [{ record_index: null, scores, metadata: null }] },
    ],
    [
      'with null errors',
      {
        results: [
          { record_index: 0, scores, metadata: { metric_errors: { faithfulness: null }, metric_reasons: null } },
        ],
      },
    ],
    [
      'with errors as null',
      { results: [{ record_index: 0, scores, metadata: { metric_errors: null } }], warnings: [] },
    ],
  ])('is read %s', async (_form, body) => {
    server.script(json(body))
    expect(await run()).toMatchObject({ status: 'ok', scores, metric_errors: {} })
  })
})

describe('every evaluator fault ends in its typed state', () => {
  it.each(EVALUATOR_FAULTS.map((fault) => [fault.name, fault] as const))('%s', async (_name, fault) => {
    server.script(fault.behaviour)
    const result = await run(['faithfulness'], {}, fault.behaviour === hang ? impatient : client)
    expect(result).toMatchObject(expectedResult(fault))
    expect(server.requests).toHaveLength(result.attempts)
  })

  it('recovers on retry and reports the number of attempts', async () => {
    server.script(json({}, 503), reply({ faithfulness: 1, answer_relevancy: 0 }))
    expect(await run()).toMatchObject({ status: 'ok', attempts: 2, scores: { answer_relevancy: 0 } })
  })

  it('keeps a good score beside a bad one', async () => {
    server.script(reply({ faithfulness: 'high', answer_relevancy: 0.4 }))
    expect(await run()).toMatchObject({
      status: 'partial',
      scores: { answer_relevancy: 0.4 },
      metric_errors: { faithfulness: 'score_not_numeric' },
    })
  })

  it.each([
    [1.4, 'score_out_of_range: 1.4'],
    [-0.2, 'score_out_of_range: -0.2'],
    [85, 'score_out_of_range: 85'],
  ])('a score of another scale (%d) is a failed score that names the value', async (value, error) => {
    server.script(reply({ faithfulness: value, answer_relevancy: 0.4 }))
    expect(await run()).toMatchObject({ scores: { answer_relevancy: 0.4 }, metric_errors: { faithfulness: error } })
  })

  it('answer relevancy is a mean of cosines, so it may be below zero', async () => {
    server.script(reply({ faithfulness: 1, answer_relevancy: -0.02 }), reply({ faithfulness: 1, answer_relevancy: -2 }))
    expect(await run()).toMatchObject({ status: 'ok', scores: { answer_relevancy: -0.02 } })
    expect(await run()).toMatchObject({ metric_errors: { answer_relevancy: 'score_out_of_range: -2' } })
  })
})
