import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { scoreRelevance } from './score-relevance.ts'

const QUESTION = 'Who designed the tower at Cape Merrin in 1882?'
const ANSWER = 'Cape Merrin is a headland. Its tower of 1882 was designed by Ruth Hale, an engineer.'

describe('scoreRelevance', () => {
  it('is clearly positive for an answer and clearly negative for a stranger', () => {
    expect(scoreRelevance(QUESTION, ANSWER)).toBeGreaterThan(2)
    expect(scoreRelevance(QUESTION, 'Bees dance on the comb to tell the way to nectar.')).toBeLessThan(-3)
    const half = scoreRelevance(QUESTION, 'The tower at Cape Orrin was painted red.')
    expect(half).toBeLessThan(0)
    expect(half).toBeGreaterThan(-3)
  })

  it('prefers the exact code over one that looks like it', () => {
    const query = 'What does E-4417 mean?'
    const right = scoreRelevance(query, 'E-4417: the supply frequency is out of range.')
    expect(right).toBeGreaterThan(scoreRelevance(query, 'E-4471: the barrier pressure is too low.') + 3)
  })

  it('prefers words that stand together over words far apart', () => {
    const filler = 'Nothing else happened on that day, as the diary says. '.repeat(4)
    const near = `The lighthouse keeper drowned. ${filler}`
    const far = `The lighthouse was white. ${filler} A keeper of bees came. ${filler} Two sheep drowned.`
    expect(scoreRelevance('Which lighthouse keeper drowned?', near)).toBeGreaterThan(
      scoreRelevance('Which lighthouse keeper drowned?', far),
    )
  })

  it('is finite for any pair', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (query, text) => {
        expect(Number.isFinite(scoreRelevance(query, text))).toBe(true)
      }),
    )
  })
})
