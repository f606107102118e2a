import { describe, expect, it } from 'vitest'
import { LeaveOneJudgeOut } from '../../../contract/evidence/statistics.ts'
import { leaveOneJudgeOut, ranksFromHighest } from './leave-one-judge-out.ts'

describe('leaveOneJudgeOut', () => {
  it('finds the order that rests on one judge', () => {
    // One question; approaches a, b, c by judges x, y, z. Without z, b overtakes a.
    const result = leaveOneJudgeOut({
      judges: ['x', 'y', 'z'],
      approaches: ['a', 'b', 'c'],
      questions: 1,
      scores: Float64Array.of(3, 3, 5, 4, 4, 2, 1, 1, 1),
    })
    expect(LeaveOneJudgeOut.parse(result)).toEqual(result)
    expect(result).toEqual({
      judges: ['x', 'y', 'z'],
      approaches: [
        { model: 'a', mean: 11 / 3, rank: 1, ranks_without: [1, 1, 2] },
        { model: 'b', mean: 10 / 3, rank: 2, ranks_without: [2, 2, 1] },
        { model: 'c', mean: 1, rank: 3, ranks_without: [3, 3, 3] },
      ],
      unstable: ['a', 'b'],
      inconclusive: true,
    })
  })

  it('is conclusive when the winner stays, whatever happens below', () => {
    const result = leaveOneJudgeOut({
      judges: ['x', 'y'],
      approaches: ['a', 'b', 'c'],
      questions: 1,
      scores: Float64Array.of(5, 5, 2, 3, 3, 2),
    })
    expect(result).toMatchObject({ inconclusive: false, unstable: ['b', 'c'] })
  })

  it('averages over judges within a question first, and skips what no judge scored', () => {
    const result = leaveOneJudgeOut({
      judges: ['x', 'y'],
      approaches: ['a', 'b'],
      questions: 2,
      scores: Float64Array.of(5, NaN, NaN, NaN, 1, 3, NaN, NaN),
    })
    expect(result.approaches).toEqual([
      { model: 'a', mean: 3.5, rank: 1, ranks_without: [1, 1] },
      { model: 'b', mean: null, rank: null, ranks_without: [null, null] },
    ])
  })

  it('cannot conclude from a single judge or a shared first place', () => {
    const single = { judges: ['x'], approaches: ['a', 'b'], questions: 1, scores: Float64Array.of(5, 1) }
    expect(leaveOneJudgeOut(single).inconclusive).toBe(true)
    const shared = { judges: ['x', 'y'], approaches: ['a', 'b'], questions: 1, scores: Float64Array.of(4, 4, 4, 4) }
    expect(leaveOneJudgeOut(shared)).toMatchObject({ inconclusive: true, unstable: [] })
  })
})

it('ranksFromHighest shares the better rank between equal values, skips the next, and gives none to null', () => {
  expect(ranksFromHighest([0.5, 0.9, null, 0.9, 0.1])).toEqual([3, 1, null, 1, 4])
})
