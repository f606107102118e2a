import { expect, it } from 'vitest'
import { normalizedWords } from './normalize-english.ts'
import { alignedWords, wordErrors } from './word-errors.ts'

it('counts words, not spellings', () => {
  const reference = 'It’s two kilometres to the grey harbour; they won’t have travelled, Doctor Mould.'
  const recognized = 'it is two kilometers to the gray harbor they will not have traveled dr mold'
  expect(normalizedWords(reference)).toEqual(normalizedWords(recognized))
  expect(normalizedWords('Four more hours, our metal centres')).toEqual([
    'four',
    'more',
    'hours',
    'our',
    'metal',
    'centers',
  ])
})

it('keeps different words apart', () => {
  expect(wordErrors(normalizedWords('the colder sea'), normalizedWords('the polder see'))).toBe(2)
})

it('pairs equal words along the path of fewest errors, so that a repeated word is paired with its own recognition', () => {
  expect(alignedWords(['the', 'sea', 'and', 'the', 'salt'], ['the', 'see', 'the', 'salt'])).toEqual([
    [0, 0],
    [3, 2],
    [4, 3],
  ])
})
