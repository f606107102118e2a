import { describe, expect, it } from 'vitest'
import { afterGrade, EMPTY_DRAFT, isSameDraft, moved, withBest, withGrade, withoutGrade } from './ballot.ts'

const LETTERS = ['A', 'B', 'C']

describe('a ballot', () => {
  it('goes on to the next answer without a grade, from the last to the first', () => {
    const one = withGrade(EMPTY_DRAFT, 'B', 4)
    expect(afterGrade(LETTERS, one, 'B')).toBe('C')
    expect(afterGrade(LETTERS, withGrade(one, 'C', 2), 'C')).toBe('A')
  })
  it('ends on the highest grade, and stays where several share it', () => {
    const all = LETTERS.reduce((draft, letter, place) => withGrade(draft, letter, [2, 5, 3][place]!), EMPTY_DRAFT)
    expect(afterGrade(LETTERS, all, 'C')).toBe('B')
    expect(afterGrade(LETTERS, withGrade(all, 'A', 5), 'A')).toBe('A')
    expect(withoutGrade(LETTERS, all)).toEqual([])
  })
  it('takes the mark of the best off again', () => {
    const marked = withBest(EMPTY_DRAFT, 'A')
    expect(marked.best).toBe('A')
    expect(isSameDraft(withBest(marked, 'A'), EMPTY_DRAFT)).toBe(true)
    expect(isSameDraft(marked, EMPTY_DRAFT)).toBe(false)
  })
  it('does not move past its ends', () => {
    expect([moved(LETTERS, 'A', -1), moved(LETTERS, 'A', 1), moved(LETTERS, 'C', 1)]).toEqual(['A', 'B', 'C'])
  })
})
