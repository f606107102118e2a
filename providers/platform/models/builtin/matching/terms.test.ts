import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createTermMatcher, indexOf, matchStrength, termsOf } from './terms.ts'

describe('createTermMatcher', () => {
  const word = fc.constantFrom(
    ...'the builder built building E-4471 4471 Norway Norwegian vessel ship of 1923 Hallam hallam’s sinking sank'.split(
      ' ',
    ),
  )
  const text = fc
    .array(fc.oneof({ weight: 4, arbitrary: word }, fc.string()), { maxLength: 8 })
    .map((words) => words.join(' '))

  it('meets terms by several texts as an index of all of them does', () => {
    fc.assert(
      fc.property(text, fc.array(text, { maxLength: 4 }), fc.array(text, { maxLength: 4 }), (question, one, other) => {
        const terms = termsOf(question)
        const strengthsOf = createTermMatcher(terms)
        for (const texts of [one, other, one.toReversed()]) {
          const index = indexOf(texts.join('\n'))
          expect(strengthsOf(texts)).toEqual(terms.map((term) => matchStrength(term, index)))
        }
      }),
    )
  })
})
