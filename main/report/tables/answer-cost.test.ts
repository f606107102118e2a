import { describe, expect, it } from 'vitest'
import type { Aggregate } from '../../../contract/evidence/aggregate.ts'
import { usageOfCall, type ModelUsage } from '../../../contract/evidence/model-usage.ts'
import type { Prices } from '../../../contract/manifests/prices.ts'
import { amountWords } from '../../../contract/words.ts'
import { answerCost, approachCosts, costLines } from './answer-cost.ts'
import { UsageTally } from '../aggregate/usage-tally.ts'

const prices: Prices = { currency: 'EUR', models: { chat: { input: 2, output: 8 } } }
const chat = (input: number | null, output = 0): ModelUsage =>
  usageOfCall('chat', true, input === null ? null : { prompt_tokens: input, completion_tokens: output })

type Approach = Aggregate['approaches'][number]
const approach = (model: string, ok: number, usage?: Approach['usage']) =>
  ({ model, cells: { ok }, ...(usage === undefined ? {} : { usage }) }) as unknown as Approach
const aggregate = (...approaches: Approach[]) => ({ dataset: { label: 'Notes' }, approaches }) as unknown as Aggregate

describe('cost of approaches', () => {
  it('is the tokens of their answers at a price, and grading beside it', () => {
    const found = aggregate(
      approach('vanilla-rag', 4, { answers: [chat(4000, 1000)], grading: [chat(500_000)], unknown_cells: 0 }),
      approach('bm25', 4),
    )
    expect(approachCosts(found, prices).map(({ model, cost }) => [model, cost.amount, cost.unknown])).toEqual([
      ['vanilla-rag', 0.016, []],
      ['bm25', 0, []],
    ])
    expect(costLines([found], prices)).toEqual([
      'Cost at your prices, without ingestion',
      '  Notes · vanilla-rag: 0.016 EUR, 0.0040 EUR an answer · grading 1.00 EUR',
      '  Notes · bm25: 0.00 EUR, 0.00 EUR an answer',
    ])
  })

  it('is never called nothing where it is unknown', () => {
    const found = aggregate(
      approach('a', 1, {
        answers: [usageOfCall('other', true, { prompt_tokens: 9, completion_tokens: 9 })],
        grading: [],
        unknown_cells: 0,
      }),
      approach('b', 1, { answers: [chat(500_000)], grading: [], unknown_cells: 2 }),
    )
    expect(costLines([found], prices)).toEqual([
      'Cost at your prices, without ingestion',
      '  Notes · a: unknown',
      '  Notes · b: at least 1.00 EUR',
      '○ no price for other',
      '○ 2 answers did not report their usage',
    ])
  })

  it('is no subject where no paid model was asked', () => {
    const local = usageOfCall('local', false, { prompt_tokens: 9, completion_tokens: 9 })
    expect(
      costLines([aggregate(approach('a', 1, { answers: [local], grading: [], unknown_cells: 0 }))], prices),
    ).toEqual([])
    expect(costLines([aggregate(approach('a', 1))], prices)).toEqual([])
  })
})

it('rows are added up by model; one that does not record it counts as unknown, and one without paid calls as nothing', () => {
  const row = (server: object | null, grading?: ModelUsage[]) =>
    ({ metrics: { operational: { server }, ragas: grading === undefined ? {} : { model_usage: grading } } }) as never
  const tally = new UsageTally()
  tally.add(row({ cloud_calls: 0 }))
  expect(tally.summary()).toEqual({})
  tally.add(row({ cloud_calls: 1, model_usage: [chat(10, 2)] }, [chat(3)]))
  tally.add(row({ cloud_calls: 1, model_usage: [chat(5)] }))
  tally.add(row({ cloud_calls: 1 }))
  tally.add(row(null))
  expect(tally.summary()).toEqual({
    usage: {
      answers: [{ model: 'chat', cloud: true, calls: 2, unreported: 0, input_tokens: 15, output_tokens: 2 }],
      grading: [chat(3)],
      unknown_cells: 2,
    },
  })
})

it('answers whose grading failed as a whole are counted beside what grading used', () => {
  const row = (ragas: object) => ({ metrics: { operational: { server: null }, ragas } }) as never
  const tally = new UsageTally()
  for (const ragas of [{ model_usage: [chat(3)] }, { error_type: 'access_refused' }, { error_type: 'timeout' }, {}])
    tally.add(row(ragas))
  expect(tally.summary().usage).toMatchObject({ grading: [chat(3)], ungraded_cells: 2 })
})

it('amounts have more digits the smaller they are', () => {
  expect([12.4, 1, 0.5, 0.042, 0.00042, 0].map((amount) => amountWords(amount, 'USD'))).toEqual([
    '12.40 USD',
    '1.00 USD',
    '0.50 USD',
    '0.042 USD',
    '0.00042 USD',
    '0.00 USD',
  ])
})

describe('cost of one answer', () => {
  const row = (server: object | null, grading: ModelUsage[] = []) =>
    ({ metrics: { operational: { server }, ragas: { model_usage: grading } } }) as unknown as Parameters<
      typeof answerCost
    >[0]

  it('is that of its own tokens, with grading beside it', () => {
    const { answer, grading } = answerCost(row({ model_usage: [chat(4000, 1000)] }, [chat(500_000)]), prices)
    expect([answer, grading]).toEqual([
      { amount: 0.016, currency: 'EUR', unknown: [] },
      { amount: 1, currency: 'EUR', unknown: [] },
    ])
  })

  it('is nothing where models of this machine answered, and unknown where a paid call is not named', () => {
    const local = usageOfCall('local', false, { prompt_tokens: 9, completion_tokens: 9 })
    expect(answerCost(row({ model_usage: [local] }), prices).answer).toEqual({
      amount: 0,
      currency: 'EUR',
      unknown: [],
    })
    for (const server of [null, { cloud_calls: 2 }])
      expect(answerCost(row(server), prices).answer).toEqual({
        amount: 0,
        currency: 'EUR',
        unknown: ['the answer does not report what it used'],
      })
  })
})
