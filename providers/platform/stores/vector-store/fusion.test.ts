import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fuseLegs, relativeScores, type LegHit } from './fusion.ts'

const leg = (...scores: number[]): LegHit[] => scores.map((score, index) => ({ id: index + 1, score }))

describe('relativeScores', () => {
  it('scales a leg to 0..1', () => {
    const shares = relativeScores(leg(1, 8, 6, 11))
    expect(shares[0]).toBe(0)
    expect(shares[1]).toBeCloseTo(0.7, 12)
    expect(shares[2]).toBeCloseTo(0.5, 12)
    expect(shares[3]).toBe(1)
  })

  it('gives a leg of equal scores its full weight', () => {
    expect(relativeScores(leg(3, 3, 3))).toEqual([1, 1, 1])
    expect(relativeScores(leg(0.2))).toEqual([1])
    expect(relativeScores([])).toEqual([])
  })
})

describe('fuseLegs', () => {
  it('adds the weighted legs, a missing leg adding nothing', () => {
    const dense = [
      { id: 1, score: 0.9 },
      { id: 2, score: 0.5 },
      { id: 3, score: 0.1 },
    ]
    const keyword = [
      { id: 4, score: 12 },
      { id: 2, score: 6 },
      { id: 1, score: 2 },
    ]
    const fused = fuseLegs(dense, keyword, 0.25, 'relative_score')
    expect(fused.map(({ id, score }) => [id, Number(score.toFixed(12))])).toEqual([
      [4, 0.75],
      [2, 0.425],
      [1, 0.25],
      [3, 0],
    ])
    expect(fused[0]).toEqual({ id: 4, score: 0.75, denseScore: null, keywordScore: 12 })
    expect(fused[1]).toMatchObject({ id: 2, denseScore: 0.5, keywordScore: 6 })
  })

  it('lets a single hit of a leg count with the whole weight of that leg', () => {
    expect(fuseLegs([{ id: 7, score: 0.01 }], [], 0.5, 'relative_score')).toEqual([
      { id: 7, score: 0.5, denseScore: 0.01, keywordScore: null },
    ])
  })

  it('ranks by reciprocal ranks counted from zero', () => {
    const fused = fuseLegs(
      [
        { id: 1, score: 0.9 },
        { id: 2, score: 0.8 },
      ],
      [{ id: 2, score: 5 }],
      0.5,
      'ranked',
    )
    expect(fused.map(({ id, score }) => [id, score])).toEqual([
      [2, 0.5 / 61 + 0.5 / 60],
      [1, 0.5 / 60],
    ])
  })

  it('breaks ties by the raw score, then by id', () => {
    const dense = [
      { id: 9, score: 0.6 },
      { id: 3, score: 0.6 },
      { id: 5, score: 0.6 },
    ]
    expect(fuseLegs(dense, [], 0.5, 'relative_score').map(({ id }) => id)).toEqual([3, 5, 9])
    // Best of either leg alone: equal fused scores, and 40 is more than 0.6.
    const both = fuseLegs([{ id: 1, score: 0.6 }], [{ id: 2, score: 40 }], 0.5, 'relative_score')
    expect(both.map(({ id }) => id)).toEqual([2, 1])
  })

  it('counts a difference below 1e-7 as a tie', () => {
    const near = [
      { id: 8, score: 1 },
      { id: 2, score: 1 - 2e-8 },
      { id: 1, score: 0 },
    ]
    // By raw score: 8 before 2, although nothing else distinguishes them.
    expect(fuseLegs(near, [], 1, 'relative_score').map(({ id }) => id)).toEqual([8, 2, 1])
    const mixed = fuseLegs(
      near,
      [
        { id: 2, score: 4 },
        { id: 8, score: 4 },
      ],
      0.5,
      'relative_score',
    )
    expect(mixed.map(({ id }) => id)).toEqual([8, 2, 1])
  })

  it('returns each object once, best first, whatever the legs are', () => {
    const anyLeg = fc.uniqueArray(fc.record({ id: fc.nat(50), score: fc.double({ min: -5, max: 50, noNaN: true }) }), {
      selector: ({ id }) => id,
    })
    const sorted = anyLeg.map((hits) => hits.sort((left, right) => right.score - left.score))
    const alpha = fc.double({ min: 0, max: 1, noNaN: true })
    fc.assert(
      fc.property(
        sorted,
        sorted,
        alpha,
        fc.constantFrom('relative_score' as const, 'ranked' as const),
        (a, b, weight, fusion) => {
          const fused = fuseLegs(a, b, weight, fusion)
          expect(new Set(fused.map(({ id }) => id)).size).toBe(fused.length)
          expect(fused.length).toBe(new Set([...a, ...b].map(({ id }) => id)).size)
          for (let index = 1; index < fused.length; index += 1) {
            expect(fused[index]!.score).toBeLessThanOrEqual(fused[index - 1]!.score + 1e-6)
          }
          for (const { score } of fused) expect(score >= 0 && score <= 1 + 1e-9).toBe(true)
        },
      ),
    )
  })
})
