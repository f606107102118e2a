import { expect, it } from 'vitest'
import { countTokens, firstTokens } from './count-tokens.ts'

it.each([
  ['', 0],
  [' \n\t ', 0],
  ['harbour', 2],
  ['locks', 1],
  ['1234567', 3],
  ['E-4471', 1 + 1 + 2],
  ['Größe: 4 m²', 1 + 1 + 1 + 1 + 1],
  // A sign outside the basic plane is one piece, of two units.
  ['😀😀', 2],
])('%j is estimated at %i tokens', (text, tokens) => expect(countTokens(text)).toBe(tokens))

it('cuts after the last word within the limit', () => {
  expect(firstTokens('A lock keeper counts boats.', 3)).toBe('A lock keeper')
  expect(firstTokens('A lock keeper counts boats.', 6)).toBe('A lock keeper counts boats.')
  expect(firstTokens('keeper', 0)).toBe('')
})
