import { hash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EMBEDDING_DIMENSIONS, embedText } from './embed-text.ts'

const cosine = (a: string, b: string): number => {
  const other = embedText(b)
  return embedText(a).reduce((sum, value, at) => sum + value * other[at]!, 0)
}

describe('embedText', () => {
  it('gives a finite unit vector for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const vector = embedText(text)
        expect(vector).toHaveLength(EMBEDDING_DIMENSIONS)
        expect(Math.hypot(...vector)).toBeCloseTo(1, 5)
      }),
    )
  })

  it('is the same on every platform', () => {
    const vector = embedText('The PX-220B pump was built in 1923 by Hallam & Thrace; who repaired it?')
    const bytes = Buffer.alloc(vector.length * 4)
    vector.forEach((value, at) => bytes.writeFloatLE(value, at * 4))
    expect(hash('sha256', bytes).slice(0, 16)).toMatchInlineSnapshot(`"5eb3a9e362fb7167"`)
  })

  it('weighs the words of a query by the collection that it is for', () => {
    const documents = ['the manometer was read at noon', 'the river was read at noon'].map((text) => embedText(text))
    const nearest = (holding: [string, number][]): number => {
      const query = embedText('manometer river', { passages: 500, holding: new Map(holding) })
      const [first, second] = documents.map((vector) => vector.reduce((sum, value, at) => sum + value * query[at]!, 0))
      return first! > second! ? 0 : 1
    }
    expect(
      nearest([
        ['manometer', 400],
        ['river', 2],
      ]),
    ).toBe(1)
    expect(
      nearest([
        ['manometer', 2],
        ['river', 400],
      ]),
    ).toBe(0)
  })

  it('brings inflections and synonyms near, and strangers not', () => {
    expect(cosine('the mill was built by monks', 'who builds mills?')).toBeGreaterThan(0.4)
    expect(cosine('who constructed it?', 'it was built')).toBeGreaterThan(0.05)
    expect(Math.abs(cosine('bees dance on the comb', 'the treaty was signed'))).toBeLessThan(0.15)
  })

  it('distinguishes neighbouring codes and still sees that they are spelled alike', () => {
    const same = cosine('error E-4471', 'error E-4471')
    const near = cosine('E-4471', 'E-4477')
    const far = cosine('E-4471', 'PX-220B')
    expect(same).toBeCloseTo(1, 5)
    expect(near).toBeLessThan(0.8)
    expect(near).toBeGreaterThan(far + 0.1)
  })

  it('weighs rare words above everyday ones', () => {
    const query = 'the people who made the gravimeter'
    expect(cosine(query, 'a gravimeter stood there')).toBeGreaterThan(cosine(query, 'people made things'))
  })
})
