import { describe, expect, it } from 'vitest'
import type { Aggregate } from '../../../contract/evidence/aggregate.ts'
import { areLikeAmounts, likeAmounts } from './context-amounts.ts'

const approaches = (medians: Record<string, number | null>) => ({
  approaches: Object.entries(medians).map(([model, median]) => ({
    model,
    base_model: model.startsWith('hybrid-rag') ? 'hybrid-rag' : 'graph-rag',
    selected: true,
    context_tokens: median === null ? null : { median, mean: median, n: 3, by: ['x'] },
  })) as unknown as Aggregate['approaches'],
})

describe('amounts of text', () => {
  it('are like where the larger exceeds the smaller by at most a tenth of itself, and unknown where one is', () => {
    const { isLike } = likeAmounts(approaches({ a: 2000, b: 1800, c: 1799, d: null }))
    expect([isLike('a', 'b'), isLike('b', 'a'), isLike('a', 'c'), isLike('a', 'd')]).toEqual([true, true, false, null])
    expect([areLikeAmounts([2000, 1900, 1800]), areLikeAmounts([2000, 1799]), areLikeAmounts([1, null])]).toEqual([
      true,
      false,
      null,
    ])
  })

  it('name the pairs that do not compare, the larger first', () => {
    const { unlike } = likeAmounts(approaches({ a: 700, b: 2400 }))
    expect(unlike).toEqual([{ larger: 'b', smaller: 'a', larger_median: 2400, smaller_median: 700 }])
  })

  it('match each approach of another amount with the hybrid that ran beside it at its own', () => {
    const medians = { 'hybrid-rag': 700, 'hybrid-rag-at-2400': 2390, a: 2400, b: 720, c: 5000 }
    expect(likeAmounts(approaches(medians)).matched).toEqual([
      { model: 'a', baseline: 'hybrid-rag-at-2400', named: 'hybrid-rag-at-2400' },
      { model: 'c', baseline: null, named: 'hybrid-rag-at-5000' },
    ])
  })
})
