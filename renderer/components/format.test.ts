import { describe, expect, it } from 'vitest'
import { metricHeading, moment, withMoments } from './format.ts'

describe('withMoments', () => {
  it('writes each ISO time in a sentence as people read it', () => {
    const [first, second] = ['2026-11-22T15:22:59.721Z', '2026-01-02T03:04:05Z'] as const
    expect(withMoments(`Confirmed on ${first}: agreed, again on ${second}.`)).toBe(
      `Confirmed on ${moment(first)}: agreed, again on ${moment(second)}.`,
    )
    expect(moment(first)).not.toContain(first)
  })

  it('leaves other words as they are', () => {
    const words = 'Form 2026-11, signed on 2026-11-22 at T12:30, voice 99-11-22T15:22Z'
    expect(withMoments(words)).toBe(words)
  })
})

describe('metricHeading', () => {
  it('begins with a capital letter unless the name has capitals of its own', () => {
    expect(['facts_found', 'recall_at_5', 'token_f1', 'ndcg_at_10', 'mrr_at_10'].map(metricHeading)).toEqual([
      'Facts found',
      'Recall@5',
      'Token F1',
      'nDCG@10',
      'MRR@10',
    ])
  })
})
