import { describe, expect, it } from 'vitest'
import { EvaluateResponse } from '../../../contract/http/evaluate.ts'
import {
  ALL,
  GOLDEN,
  goldenEmbed,
  questions,
  record,
  refusal,
  scripted,
  serveEvaluator,
} from '../../../tests/helpers/evaluator-fixture.ts'

describe('scores', () => {
  it('are the golden numbers, with the reasons of every verdict', async () => {
    const { evaluate, models } = await serveEvaluator({ chat: scripted(GOLDEN), embed: goldenEmbed })
    const { status, body } = await evaluate({ records: [record], metrics: [...ALL, 'faithfulness'] })
    expect(status).toBe(200)
    EvaluateResponse.parse(body)
    const near = (value: number) => expect.closeTo(value, 4) as number
    expect(body).toEqual({
      metrics: ALL,
      record_count: 1,
      evaluator_model: 'fake-evaluator',
      embeddings_model: 'fake-evaluator_embed',
      // Stored grades of another digest are made again.
      evaluator_version: expect.stringMatching(/^\d+\.\d+\.\d+, prompts ebe56ac5$/) as string,
      evaluator_prompts: expect.arrayContaining(['statements 1', 'verdicts 1', 'questions 1']) as string[],
      // None of these fakes reports tokens.
      model_usage: (['evaluator', 'evaluator_embed'] as const).map((role) => {
        const calls = models.calls.filter((call) => call.role === role).length
        return { model: `fake-${role}`, cloud: false, calls, unreported: calls, input_tokens: 0, output_tokens: 0 }
      }),
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
            refused: false,
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
    // split, judge; questions; three contexts; attribution; refusal
    expect(models.calls.filter(({ kind }) => kind === 'chat')).toHaveLength(8)
    expect(models.calls.filter(({ kind }) => kind === 'embed')).toMatchObject([{ role: 'evaluator_embed', size: 4 }])
  })

  it('are 0 for an answer that evades in every question, but not in some', async () => {
    const all = await serveEvaluator({ chat: scripted({ questions: questions([1, 1, 1]) }), embed: goldenEmbed })
    const some = await serveEvaluator({ chat: scripted({ questions: questions([1, 0, 1]) }), embed: goldenEmbed })
    const body = { records: [record], metrics: ['answer_relevancy'] }
    expect((await all.evaluate(body)).body).toMatchObject({ results: [{ scores: { answer_relevancy: 0 } }] })
    expect((await some.evaluate(body)).body).toMatchObject({
      results: [{ scores: { answer_relevancy: expect.closeTo(0.8, 4) } }],
    })
  })

  it('take the ground truth under the name reference too, and refuse a record that has both', async () => {
    const { evaluate } = await serveEvaluator({ chat: scripted({}), embed: goldenEmbed })
    const record = { question: 'Who?', answer: 'Ada.', contexts: [] }
    const body = (more: object) => ({ records: [{ ...record, ...more }], metrics: ['context_recall'] })
    expect((await evaluate(body({ reference: 'Ada.' }))).status).toBe(200)
    expect((await evaluate(body({ reference: 7 }))).status).toBe(422)
    expect((await evaluate(body({ reference: 'Ada.', ground_truth: 'Bea.' }))).status).toBe(422)
  })

  it('are null without their evidence, with no call and no error', async () => {
    const { evaluate, models } = await serveEvaluator({
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
    // questions and refusal of each record
    expect(models.calls.filter(({ kind }) => kind === 'chat')).toHaveLength(4)
  })

  it('are computed beside the language model’s decision on whether the answer refuses, which fails none of them', async () => {
    const asked = async (reply: string) => {
      const { evaluate } = await serveEvaluator({ chat: scripted({ ...GOLDEN, refusal: reply }), embed: goldenEmbed })
      const { body } = await evaluate({ records: [record], metrics: ['answer_relevancy'] })
      return (body as { results: { scores: object; metadata: { refused?: boolean; metric_errors: object } }[] })
        .results[0]!
    }
    for (const flag of [0, 1] as const) expect((await asked(refusal(flag))).metadata.refused).toBe(flag === 1)
    const garbled = await asked('maybe')
    expect(garbled.scores).toEqual({ answer_relevancy: expect.closeTo(0.8, 4) as number })
    expect(garbled.metadata).not.toHaveProperty('refused')
    expect(garbled.metadata.metric_errors).toEqual({})
  })

  it('are none for a refusal in a language model’s words, also where rules judge: it claims nothing', async () => {
    const { evaluate } = await serveEvaluator({ builtin: ['evaluator', 'evaluator_embed'] })
    const answer =
      "I'm sorry, but the provided context does not specify who built it. It only describes the lamp and the harbour."
    const { body } = await evaluate({ records: [{ ...record, answer }], metrics: ['faithfulness'] })
    expect(body).toMatchObject({
      results: [{ scores: { faithfulness: null }, metadata: { metric_errors: { faithfulness: 'no_statements' } } }],
    })
    const { body: claimed } = await evaluate({
      records: [{ ...record, answer: `${answer} Ada Brill built it in 1871.` }],
      metrics: ['faithfulness'],
    })
    expect(claimed).toMatchObject({ results: [{ scores: { faithfulness: expect.any(Number) as number } }] })
  })
})

it('the built-in rules distinguish a supported answer from an invented one, with no chat call', async () => {
  const { evaluate, models } = await serveEvaluator({ builtin: ['evaluator', 'evaluator_embed'] })
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
    const { status, body } = await evaluate(payload)
    expect([status, body]).toMatchObject([200, { metadata: { critic: 'rules' } }])
    return (body as { results: { scores: Record<string, number>; metadata: object }[] }).results[0]!
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
  expect(models.calls.filter(({ kind }) => kind === 'chat')).toEqual([])
})
