import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createFoundConcepts } from './found-concepts.ts'

describe('found concepts', () => {
  it('come back chunk by chunk as they were added, large numbers and titles included', () => {
    const number = fc.oneof(fc.integer({ min: 0, max: 200 }), fc.integer({ min: 0, max: 2 ** 31 - 2 }))
    const entry = fc.record({
      concept: number,
      mentions: number,
      sentences: fc.array(fc.oneof(number, fc.constant(-1))),
    })
    fc.assert(
      fc.property(fc.array(fc.array(entry, { maxLength: 8 }), { maxLength: 60 }), (chunks) => {
        const found = createFoundConcepts()
        for (const chunk of chunks) {
          for (const concept of chunk) found.add(concept)
          found.endChunk()
        }
        expect(found.chunks).toBe(chunks.length)
        expect(chunks.map(() => found.next())).toEqual(chunks)
        expect(() => found.clear()).not.toThrow()
      }),
    )
  })
})
