import { describe, expect, it } from 'vitest'
import { tokenF1Of } from '../../contract/short-answers.ts'
import { shareOfKeys } from '../../contract/metrics/points-covered.ts'
import { scoreAnswer, withModelRefusal } from './answer-scores.ts'

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
])('tokenF1Of scores %j against %j as SQuAD does', (answer, reference, expected) => {
  expect(tokenF1Of(answer, reference)).toBeCloseTo(expected, 12)
})

it('shareOfKeys counts points, any spelling, as whole words', () => {
  const keys = [['1904'], ['harbour master', 'harbor master']]
  expect(shareOfKeys('In 1904 the Harbor-Master came', keys)).toBe(1)
  expect(shareOfKeys('In 19045', keys)).toBe(0)
  expect(shareOfKeys('PX-220B', [['PX-220D']])).toBe(0)
})

describe('scoreAnswer', () => {
  const question = { ground_truth: 'It was opened in 1904.', answerable: true, answer_keys: [['1904']] }
  const answered = { refused: false, decided_by: 'rule' as const }
  const refused = { refused: true, decided_by: 'rule' as const }

  it('scores an answerable question by overlap and points', () => {
    expect(scoreAnswer('Opened in 1904.', question)).toEqual({
      status: 'ok',
      scores: { token_f1: 6 / 8, points_covered: 1 },
      reason: null,
      refusal: answered,
    })
  })

  it('sets no score to 0 because an answer refuses or looks like a refusal', () => {
    const partial = { ...question, answer_keys: [['1904'], ['Ada Brill']] }
    const negated = 'The bridge was not given up and opened in 1904.'
    expect(scoreAnswer(negated, partial)).toMatchObject({ scores: { points_covered: 0.5 }, refusal: answered })
    expect(scoreAnswer(negated, partial).scores.token_f1).toBeGreaterThan(0)
    const given = scoreAnswer('The passages do not say when it was opened.', question)
    expect(given).toMatchObject({ scores: { points_covered: 0 }, refusal: refused })
    // it, was, opened: 3 shared of 8 and 5 tokens.
    expect(given.scores.token_f1).toBeCloseTo(6 / 13, 12)
  })

  it('scores only abstention where nothing can be answered; a refusal that a claim follows does not abstain', () => {
    const unanswerable = { ground_truth: 'The documents do not tell.', answerable: false, answer_keys: [] }
    expect(scoreAnswer('The passages do not answer this question.', unanswerable)).toEqual({
      status: 'ok',
      scores: { abstention: 1 },
      reason: null,
      refusal: refused,
    })
    expect(scoreAnswer('It is 4 million.', unanswerable).scores).toEqual({ abstention: 0 })
    expect(
      scoreAnswer('The record is not given here. It was built by Ada Brill in 1871.', unanswerable).scores,
    ).toEqual({ abstention: 0 })
    expect(scoreAnswer('В документах об этом ничего не сказано.', unanswerable)).toEqual({
      status: 'not_evaluable',
      scores: {},
      reason: 'refusal_unknown',
      refusal: { refused: null, decided_by: 'rule' },
    })
  })

  it('leaves the last word on a refusal to a language model', () => {
    const unanswerable = { ground_truth: null, answerable: false, answer_keys: [] }
    const byModel = { refused: true, decided_by: 'model' }
    expect(withModelRefusal(scoreAnswer('It is 4 million.', unanswerable), true, false)).toEqual({
      status: 'ok',
      scores: { abstention: 1 },
      reason: null,
      refusal: byModel,
    })
    const scores = scoreAnswer('Opened in 1904.', question)
    expect(withModelRefusal(scores, true, true)).toEqual({ ...scores, refusal: byModel })
  })

  it('reports when there is nothing to compare with', () => {
    expect(scoreAnswer('x', { ground_truth: null, answerable: true, answer_keys: [] })).toEqual({
      status: 'not_evaluable',
      scores: {},
      reason: 'ground_truth_required',
      refusal: answered,
    })
  })
})

describe('the metrics of short answers', () => {
  const scored = (answer: string, accepted: string[], truth = accepted[0]!) => {
    const { scores } = scoreAnswer(answer, { ground_truth: truth, answerable: true, answer_keys: [accepted] })
    return [scores.paper_exact_match, scores.paper_f1, scores.strict_match]
  }

  it.each([
    ['the answer alone', 'The  Leeds.', ['Leeds'], [1, 1, 1]],
    ['an alias', 'Moore', ['Ida Moore', 'Moore'], [1, 1, 1]],
    ['a sentence that holds it', 'She trained in Leeds', ['Leeds'], [0, 0.4, 1]],
    ['its words in another order', 'Moore Ida', ['Ida Moore'], [0, 1, 0]],
    ['a part of a word', 'Leedsham', ['Leeds'], [0, 0, 0]],
    ['yes at the beginning', 'Yes, both are', ['yes'], [0, 0, 1]],
    ['yes alone', 'Yes.', ['yes'], [1, 1, 1]],
    ['no where yes is right', 'No, yes would be wrong', ['yes'], [0, 0, 0]],
    ['the number', 'Built in the year 1931', ['1931'], [0, 0.4, 1]],
    ['the number beside another one', 'In 1931 or 1945', ['1931'], [0, 0.4, 0]],
    ['another answer', 'York', ['Leeds'], [0, 0, 0]],
  ])('of %s are as the scripts of the papers give them', (_case, answer, accepted, expected) => {
    for (const [at, score] of scored(answer, accepted).entries()) expect(score).toBeCloseTo(expected[at]!, 12)
  })

  it('are not computed for ground truths that are sentences, for several points, or without an answer', () => {
    const none = [undefined, undefined, undefined]
    expect(scored('Leeds', ['Leeds'], 'She trained in Leeds.')).toEqual(none)
    for (const more of [
      { answer_keys: [['Leeds'], ['1931']] },
      { answer_keys: [] },
      { answerable: false, answer_keys: [['Leeds']] },
    ])
      expect(scoreAnswer('Leeds', { ground_truth: 'Leeds', answerable: true, ...more }).scores).not.toHaveProperty(
        'strict_match',
      )
  })
})
