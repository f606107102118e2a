import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RerankPool } from '../../model-host.ts'
import { createRanking, scoreRelevance } from './score-relevance.ts'

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

  it('prefers words that are adjacent over words far apart', () => {
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

describe('createRanking', () => {
  /** Positions of the texts, best first. */
  function ranked(query: string, texts: readonly string[], pool: Partial<RerankPool> = {}): number[] {
    const candidates = texts.map((_, at) => ({ document: `${at}.md`, score: 1 }))
    const ranking = createRanking(query, { candidates, ...pool })
    texts.forEach((text) => ranking.add(text))
    const logits = ranking.logits()
    return [...texts.keys()].sort((a, b) => logits[b]! - logits[a]! || a - b)
  }

  it('weighs a word by how few passages of the collection hold it, whatever it is in everyday English', () => {
    const texts = ['The manometer was read at noon.', 'The river was read about at noon.']
    const holding = (manometer: number, river: number) =>
      new Map([
        ['manometer', manometer],
        ['river', river],
      ])
    const query = 'manometer river'
    expect(ranked(query, texts, { statistics: { passages: 500, holding: holding(400, 2) } })).toEqual([1, 0])
    expect(ranked(query, texts, { statistics: { passages: 500, holding: holding(2, 400) } })).toEqual([0, 1])
  })

  it('puts a passage on the second subject of a question before another one on the first', () => {
    const texts = [
      'Marlow Bridge was opened in 1874. Marlow Bridge is of stone.',
      'Marlow Bridge has five arches, and Marlow Bridge is painted grey.',
      'Tarn Viaduct carries a railway over the valley.',
    ]
    expect(ranked('Which is older, Marlow Bridge or Tarn Viaduct?', texts).indexOf(2)).toBeLessThan(2)
  })

  it('puts an equal passage of another document before a second one of the same', () => {
    const texts = ['The lamp burned oil.', 'The lamp burned coal.', 'The lamp burned wood.']
    const candidates = ['a.md', 'a.md', 'b.md'].map((document) => ({ document, score: 1 }))
    expect(ranked('What did the lamp burn?', texts, { candidates })).toEqual([0, 2, 1])
  })

  it('keeps the better passage of a document first in a collection of few documents', () => {
    const texts = ['The lamp burned oil.', 'The lamp burned coal.', 'The lamp in the yard burned wood.']
    const filler = Array.from({ length: 17 }, (_, at) => `Stone number ${at} lies in the yard.`)
    const order = (passages: number, chunkIndex: number) => {
      const documents = ['a.md', 'a.md', 'b.md', ...filler.map((_, at) => `${at}.md`)]
      const candidates = documents.map((document) => ({ document, score: 1, chunkIndex }))
      const statistics = { passages, holding: new Map<string, number>() }
      return ranked('What did the lamp burn?', [...texts, ...filler], { candidates, statistics }).slice(0, 3)
    }
    // The middle of documents of some 61 passages: 305 are 5 documents, 6,100 are 100.
    expect(order(305, 30)).toEqual([0, 1, 2])
    expect(order(6100, 30)).toEqual([0, 2, 1])
    // The same 305 passages as documents of one each.
    expect(order(305, 0)).toEqual([0, 2, 1])
  })

  it('prefers of equal passages the one whose document holds the other words of the query elsewhere', () => {
    const texts = ['Cranes load the ship.', 'Cranes load the barge.', 'The harbour of Esker is wide.']
    const candidates = ['a.md', 'b.md', 'b.md'].map((document) => ({ document, score: 1 }))
    const query = 'Which cranes load at the harbour of Esker?'
    const others = ['a.md', 'b.md', 'c.md'].map((document) => ({ document, score: 1 }))
    expect(ranked(query, texts, { candidates: others }).indexOf(0)).toBeLessThan(
      ranked(query, texts, { candidates: others }).indexOf(1),
    )
    expect(ranked(query, texts, { candidates }).indexOf(1)).toBeLessThan(
      ranked(query, texts, { candidates }).indexOf(0),
    )
  })

  it('counts words elsewhere in the document for less than those of the passage itself', () => {
    const texts = ['Cranes load at the harbour.', 'Cranes load the barge.', 'The harbour is wide.']
    const candidates = ['a.md', 'b.md', 'b.md'].map((document) => ({ document, score: 1 }))
    expect(ranked('cranes harbour', texts, { candidates })[0]).toBe(0)
  })

  it('leaves the order of the search where the texts hold the same', () => {
    const texts = ['Tea is black.', 'Tea is green.', 'Tea is white.']
    const candidates = [0.2, 0.9, 0.5].map((score, at) => ({ document: `${at}.md`, score }))
    expect(ranked('Who repaired the bridge?', texts, { candidates })).toEqual([1, 2, 0])
  })

  it('gives each passage no more than the one before it, and ranks the longer of two equal matches lower', () => {
    const query = 'What did the keeper burn?'
    const texts = ['The keeper burned oil.', `The keeper burned oil. ${'Nothing else is known of it. '.repeat(20)}`]
    const ranking = createRanking(query, { candidates: texts.map((_, at) => ({ document: `${at}.md`, score: 1 })) })
    texts.forEach((text) => ranking.add(text))
    const [short, long] = ranking.logits()
    expect(short).toBeGreaterThan(long!)
  })
})
