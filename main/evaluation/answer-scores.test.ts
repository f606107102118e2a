import { describe, expect, it } from 'vitest'
import { isRefusal, keyCoverage, scoreAnswer, tokenF1 } from './answer-scores.ts'

describe('tokenF1', () => {
  // Worked out by hand from normalize_answer and compute_f1 of SQuAD's evaluate-v2.0.py.
  it.each([
    // lock was opened in 1904 | it was opened in 1904: 4 shared of 5 and 5.
    ['The lock was opened in 1904.', 'It was opened in 1904.', 8 / 10],
    // Only articles are left out: of, in, was count.
    ['of the lock', 'of a weir', 2 / 4],
    ['was in', 'was in', 1],
    // A token that occurs twice is shared once with one: 1 shared of 2 and 1.
    ['1904 1904', '1904', 2 / 3],
    // Punctuation is deleted, not replaced: px220b | px 220b.
    ['PX-220B', 'PX 220B', 0],
    ['PX-220B!', 'px220b', 1],
    ["the harbour's", 'harbours', 1],
    // Signs outside ASCII stay in their tokens: “weir” | weir.
    ['“weir”', 'weir', 0],
    // "a" is an article only as a whole word, in any script: à is a letter.
    ['à la carte', 'la carte', 4 / 5],
    ['An ACE', 'ace', 1],
    ['Łódź was the seat', 'łódź', 2 / 4],
    ['nothing shared', 'other words', 0],
    ['', '1904', 0],
    ['1904', 'the', 0],
    ['The.', 'an', 1],
  ])('scores %j against %j as SQuAD does', (answer, reference, expected) => {
    expect(tokenF1(answer, reference)).toBeCloseTo(expected, 12)
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
      scores: { token_f1: 6 / 8, points_covered: 1 },
      reason: null,
    })
  })
  it('gives a refusal no credit for words it repeats', () => {
    expect(scoreAnswer('The passages do not say when it was opened.', question).scores).toEqual({
      token_f1: 0,
      points_covered: 0,
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
