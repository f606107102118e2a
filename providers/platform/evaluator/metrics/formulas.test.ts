import { describe, expect, it } from 'vitest'
import { answerRelevancy, contextPrecision, contextRecall, cosine, faithfulness } from './formulas.ts'

const relevancy = (cosines: number[], noncommittal: boolean[]) =>
  answerRelevancy(cosines.map((value, index) => ({ cosine: value, noncommittal: noncommittal[index]! })))

describe('golden numbers of the Ragas formulas', () => {
  it('scores faithfulness', () => {
    expect(faithfulness([true, true, false])).toBeCloseTo(0.6667, 4)
    expect(faithfulness([])).toBeNaN()
  })

  it('scores context precision by rank', () => {
    expect(contextPrecision([true, false, true])).toBeCloseTo(0.8333, 4)
    expect(contextPrecision([false, true])).toBeCloseTo(0.5, 8)
    expect(contextPrecision([false, false])).toBe(0)
  })

  it('scores context recall', () => {
    expect(contextRecall([true, true, false, false])).toBe(0.5)
    expect(contextRecall([])).toBeNaN()
  })

  it('scores answer relevancy: only if all evade is it 0', () => {
    expect(relevancy([0.9, 0.8, 0.7], [false, false, false])).toBeCloseTo(0.8, 10)
    expect(relevancy([0.9, 0.8, 0.7], [true, false, true])).toBeCloseTo(0.8, 10)
    expect(relevancy([0.9, 0.8, 0.7], [true, true, true])).toBe(0)
    expect(relevancy([-0.1, -0.2, 0], [false, false, false])).toBeCloseTo(-0.1, 10)
    expect(relevancy([], [])).toBe(0)
  })

  it('measures cosines, and reports it when it cannot', () => {
    expect(cosine(Float32Array.of(3, 4), Float32Array.of(6, 8))).toBeCloseTo(1, 10)
    expect(cosine(Float32Array.of(1, 0), Float32Array.of(0, 1))).toBe(0)
    expect(cosine(Float32Array.of(1, 0), Float32Array.of(1))).toBeNaN()
    expect(cosine(Float32Array.of(0, 0), Float32Array.of(1, 0))).toBeNaN()
  })
})
