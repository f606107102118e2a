import { describe, expect, it } from 'vitest'
import { isRefusal, keyCoverage, scoreAnswer, tokenF1 } from './answer-scores.ts'

describe('tokenF1', () => {
  it('is the harmonic mean of precision and recall over content words', () => {
    expect(tokenF1('The lock was opened in 1904.', 'It was opened in 1904.')).toBeCloseTo((2 * 2) / (3 + 2), 12)
    expect(tokenF1('1904 1904', '1904')).toBeCloseTo(2 / 3, 12)
    expect(tokenF1('nothing shared', 'other words')).toBe(0)
    expect(tokenF1('', '1904')).toBe(0)
  })
})

describe('keyCoverage', () => {
  it('counts points, any spelling, as whole words', () => {
    const keys = [['1904'], ['harbour master', 'harbor master']]
    expect(keyCoverage('In 1904 the Harbor-Master came', keys)).toBe(1)
    expect(keyCoverage('In 19045', keys)).toBe(0)
    expect(keyCoverage('PX-220B', [['PX-220D']])).toBe(0)
  })
})

describe('isRefusal', () => {
  it.each([
    'The passages do not answer this question.',
    'The documents don’t mention a budget.',
    'There is not enough information to say.',
    'It cannot be determined from the context.',
    'The price is not stated.',
  ])('%s', (answer) => expect(isRefusal(answer)).toBe(true))
  it.each([
    'The crane does not run when the wind is above 38 km/h.',
    'It is not a lock but a weir.',
    'No barges passed in 1904.',
  ])('an answer: %s', (answer) => expect(isRefusal(answer)).toBe(false))
})

describe('scoreAnswer', () => {
  const question = { ground_truth: 'It was opened in 1904.', answerable: true, answer_keys: [['1904']] }
  it('scores an answerable question by overlap and points', () => {
    expect(scoreAnswer('Opened in 1904.', question)).toEqual({
      status: 'ok',
      scores: { token_f1: 1, gold_coverage: 1 },
      reason: null,
    })
  })
  it('gives a refusal no credit for words it repeats', () => {
    expect(scoreAnswer('The passages do not say when it was opened.', question).scores).toEqual({
      token_f1: 0,
      gold_coverage: 0,
    })
  })
  it('scores only abstention where nothing can be answered', () => {
    const unanswerable = { ground_truth: 'The documents do not tell.', answerable: false, answer_keys: [] }
    expect(scoreAnswer('The passages do not answer this question.', unanswerable).scores).toEqual({ abstention: 1 })
    expect(scoreAnswer('It is 4 million.', unanswerable).scores).toEqual({ abstention: 0 })
  })
  it('says when there is nothing to compare with', () => {
    expect(scoreAnswer('x', { ground_truth: null, answerable: true, answer_keys: [] })).toEqual({
      status: 'not_evaluable',
      scores: {},
      reason: 'ground_truth_required',
    })
  })
})
