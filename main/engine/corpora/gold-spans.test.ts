import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createLocator } from './gold-spans.ts'

describe('createLocator', () => {
  const text = 'The lock was *built* in\n1821.\n\nIt was built in 1821, they say; the Quay Trust paid.'
  const found = (fact: string) => createLocator(text)(fact).map(({ start, end }) => text.slice(start, end))

  it('finds every place, across line ends and markup, in any case', () =>
    expect(found('Built in 1821')).toEqual(['built* in\n1821', 'built in 1821']))

  it.each(['built in 1822', 'the Quay Trust paid twice', 'quay', '…', ''])('does not invent a place for %j', (fact) =>
    expect(found(fact)).toEqual(fact === 'quay' ? ['Quay'] : []),
  )

  it('finds any run of words that was taken from the text', () => {
    const word = fc.stringMatching(/^[\p{L}\p{N}]{1,6}$/u)
    const separator = fc.constantFrom(' ', '\n', ', ', ' — ', '**')
    fc.assert(
      fc.property(
        fc.array(fc.tuple(word, separator), { minLength: 1, maxLength: 30 }),
        fc.nat(),
        fc.nat(),
        (parts, a, b) => {
          const whole = parts.map(([text, after]) => text + after).join('')
          const from = a % parts.length
          const taken = parts.slice(from, from + 1 + (b % (parts.length - from)))
          const spans = createLocator(whole)(taken.map(([text]) => text).join(' '))
          expect(spans.length).toBeGreaterThan(0)
          for (const { start, end } of spans) expect(whole.slice(start, end).length).toBeGreaterThan(0)
        },
      ),
    )
  })
})
