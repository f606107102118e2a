import { describe, expect, it } from 'vitest'
import { joinedUsage, usageOfCall, type ModelUsage } from '../evidence/model-usage.ts'
import { costOf, PricesFile } from './prices.ts'

const prices = PricesFile.parse({ version: 1, models: { chat: { input: 2, output: 8 }, embed: { input: 0.1 } } })
const call = (model: string | null, cloud: boolean, input: number | null, output = 0): ModelUsage =>
  usageOfCall(model, cloud, input === null ? null : { prompt_tokens: input, completion_tokens: output })

describe('cost of usage', () => {
  it('is the tokens at their prices, per million; models of this machine cost nothing', () => {
    expect(prices.currency).toBe('USD')
    const used = [call('chat', true, 500_000, 250_000), call('embed', true, 1_000_000), call('local', false, 9e9, 9e9)]
    expect(costOf(used, prices)).toEqual({ amount: 1 + 2 + 0.1, currency: 'USD', unknown: [] })
    expect(costOf([], prices)).toEqual({ amount: 0, currency: 'USD', unknown: [] })
  })

  it('is never nothing where it is unknown', () => {
    const { amount, unknown } = costOf(
      [call('chat', true, 1_000_000), call('chat', true, null), call('other', true, 10), call(null, false, null)],
      prices,
    )
    expect(amount).toBe(2)
    expect(unknown).toEqual([
      'chat did not report all of its tokens',
      'no price for other',
      'an external program does not report its usage',
    ])
  })
})

it('usages of a model are one line, apart from those of the same name elsewhere', () => {
  const joined = joinedUsage([
    call('chat', true, 10, 1),
    call('chat', false, 5),
    call('chat', true, null),
    call('chat', true, 7, 2),
  ])
  expect(joined).toEqual([
    { model: 'chat', cloud: true, calls: 3, unreported: 1, input_tokens: 17, output_tokens: 3 },
    { model: 'chat', cloud: false, calls: 1, unreported: 0, input_tokens: 5, output_tokens: 0 },
  ])
})
