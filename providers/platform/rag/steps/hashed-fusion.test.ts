import { describe, expect, it } from 'vitest'
import { storedChunk } from '../../../../tests/helpers/stored-chunk.ts'
import type { SearchHit } from '../../stores/vector-store/vector-store.ts'
import { fuseHashed } from './hashed-fusion.ts'

const DIMENSIONS = 768

/** A leg of passages by name, best first. */
const leg = (scores: Record<string, number>): SearchHit[] =>
  Object.entries(scores)
    .sort(([, left], [, right]) => right - left)
    .map(([document, score]) => ({
      chunk: storedChunk(document, 'x'),
      score,
      denseScore: null,
      keywordScore: null,
    }))

const order = (dense: Record<string, number>, keyword: Record<string, number>, dimensions = DIMENSIONS): string[] =>
  fuseHashed(leg(dense), leg(keyword), dimensions).map(({ chunk }) => chunk.document)

/** Twenty passages whose cosines follow the keyword scores, each shifted by what `shift` gives. */
function legs(shift: (at: number) => number): { dense: Record<string, number>; keyword: Record<string, number> } {
  const names = Array.from({ length: 20 }, (_, at) => `p${String(at + 1).padStart(2, '0')}`)
  return {
    keyword: Object.fromEntries(names.map((name, at) => [name, 20 - at])),
    dense: Object.fromEntries(names.map((name, at) => [name, 0.5 - at * 0.02 + shift(at)])),
  }
}

describe('fusion of a keyword leg with hashed vectors', () => {
  it('keeps the keyword order where cosines differ from it by no more than collisions explain', () => {
    const { dense, keyword } = legs((at) => (at % 2 === 0 ? -0.03 : 0.03))
    // By themselves these cosines exchange neighbours.
    expect(Object.keys(dense).sort((left, right) => dense[right]! - dense[left]!)[0]).toBe('p02')
    expect(order(dense, keyword)).toEqual(Object.keys(keyword))
  })

  it('reorders by cosines that scatter more than collisions explain', () => {
    const { dense, keyword } = legs((at) => (at === 9 ? 0.4 : 0))
    expect(order(dense, keyword).indexOf('p10')).toBe(5)
  })

  it('takes the same cosines for noise where vectors are short and for evidence where they are long', () => {
    const { dense, keyword } = legs((at) => (at % 2 === 0 ? -0.05 : 0.05))
    expect(order(dense, keyword, 64)).toEqual(Object.keys(keyword))
    expect(order(dense, keyword, 100_000)).not.toEqual(Object.keys(keyword))
  })

  it('is the dense leg where no passage holds a word of the question', () => {
    expect(order({ b: 0.4, a: 0.2 }, {})).toEqual(['b', 'a'])
    expect(order({}, {})).toEqual([])
  })

  it('puts passages of the keyword leg first where too few are in both legs to compare them', () => {
    expect(order({ c: 0.5, d: 0.4 }, { a: 9, b: 3 })).toEqual(['a', 'b', 'c', 'd'])
    expect(order({ c: 0.5, b: 0.4 }, { a: 9, b: 3 })).toEqual(['a', 'b', 'c'])
  })

  it('expects no lower cosine of a better keyword score, whatever the legs hold', () => {
    // Least squares alone would draw a falling line here, and so turn the keyword order round.
    const keyword = { a: 100, b: 99, c: 98, d: 97 }
    expect(order({ a: 0.1, b: 0.3, c: 0.5, d: 0.7 }, keyword, 4)).toEqual(['a', 'b', 'c', 'd'])
  })

  it('returns each passage of either leg once, best first', () => {
    const { dense, keyword } = legs((at) => Math.sin(at * 7) / 8)
    const fused = fuseHashed(leg({ ...dense, extra: 0.3 }), leg({ ...keyword, other: 5 }), DIMENSIONS)
    expect(fused).toHaveLength(22)
    expect(new Set(fused.map(({ chunk }) => chunk.document)).size).toBe(22)
    const scores = fused.map(({ score }) => score)
    expect(scores).toEqual([...scores].sort((left, right) => right - left))
  })
})
