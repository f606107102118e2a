import { describe, expect, it } from 'vitest'
import type { JudgedRotation } from '../../contract/evidence/judgments.ts'
import { queryOutcome, verdictOfRotations } from './query-outcome.ts'

const MODELS = ['a', 'b', 'c']
const verdict = (a: number, b: number, c: number, best: string | null = null) => ({ scores: { a, b, c }, best })
const outcome = (...verdicts: ReturnType<typeof verdict>[]) => queryOutcome(verdicts, MODELS)

describe('queryOutcome', () => {
  it('takes the highest mean, whatever the votes', () => {
    expect(outcome(verdict(4, 3, 1, 'b'), verdict(4, 4, 1, 'b'))).toEqual({
      mean_by_approach: { a: 4, b: 3.5, c: 1 },
      votes: { a: 0, b: 2, c: 0 },
      observed_winner: 'a',
      inconclusive: null,
      disputed: null,
    })
  })

  it('rounds means to two decimals', () => {
    expect(outcome(verdict(5, 4, 1), verdict(5, 4, 1), verdict(4, 4, 2)).mean_by_approach).toEqual({
      a: 4.67,
      b: 4,
      c: 1.33,
    })
  })

  it('lets votes decide between equal means, and only there', () => {
    expect(outcome(verdict(4, 3, 1, 'a'), verdict(3, 4, 1, 'b'), verdict(4, 4, 5, 'b'))).toMatchObject({
      observed_winner: 'b',
      inconclusive: null,
    })
    expect(outcome(verdict(4, 4, 1, 'c'), verdict(4, 4, 1, 'c'))).toMatchObject({
      observed_winner: null,
      inconclusive: 'tie',
    })
    expect(outcome(verdict(4, 4, 1, 'a'), verdict(4, 4, 1, 'b')).inconclusive).toBe('tie')
    expect(outcome(verdict(4, 4, 1), verdict(4, 4, 1)).inconclusive).toBe('tie')
  })

  it('names the highest mean the winner and marks it as disputed where half of the judges put another two points above', () => {
    expect(outcome(verdict(5, 2, 1), verdict(2, 4, 1))).toMatchObject({
      observed_winner: 'a',
      inconclusive: null,
      disputed: 'judges_disagree',
    })
    expect(outcome(verdict(5, 2, 1), verdict(3, 4, 1))).toMatchObject({ observed_winner: 'a', disputed: null })
    expect(outcome(verdict(5, 1, 1), verdict(5, 1, 1), verdict(1, 5, 1))).toMatchObject({
      observed_winner: 'a',
      disputed: null,
    })
  })

  it('takes the one judge that is left, and reports that it is one', () => {
    const none = { mean_by_approach: {}, votes: {}, observed_winner: null, inconclusive: 'not_judged', disputed: null }
    expect(outcome()).toEqual(none)
    expect(outcome(verdict(5, 1, 1, 'a'))).toMatchObject({
      mean_by_approach: { a: 5, b: 1, c: 1 },
      observed_winner: 'a',
      inconclusive: null,
      disputed: 'too_few_judges',
    })
  })
})

describe('verdictOfRotations', () => {
  const rotation = (index: number, a: number, best: string | null, reason?: string): JudgedRotation => ({
    rotation: index,
    order: MODELS,
    scores: { a, b: 3, c: 1 },
    best,
    ...(reason === undefined ? {} : { reasons: { a: reason } }),
    attempts: 1,
  })

  it('is the mean of the grades, the most frequent vote and the first reasons', () => {
    const rotations = [rotation(0, 5, 'a', 'first'), rotation(1, 4, 'b', 'second'), rotation(2, 4, 'a')]
    expect(verdictOfRotations(rotations, MODELS)).toEqual({
      scores: { a: 4.33333, b: 3, c: 1 },
      best: 'a',
      reasons: { a: 'first' },
      rotations,
    })
  })

  it('names no best answer where votes are level, and is null without rotations', () => {
    expect(verdictOfRotations([rotation(0, 5, 'a'), rotation(1, 5, 'b')], MODELS)!.best).toBeNull()
    expect(verdictOfRotations([rotation(0, 5, null)], MODELS)!.best).toBeNull()
    expect(verdictOfRotations([], MODELS)).toBeNull()
  })
})
