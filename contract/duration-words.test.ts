import { expect, it } from 'vitest'
import { durationWords } from './duration-words.ts'

it.each([
  [0, '0 ms'],
  [4.23, '4.2 ms'],
  [9.96, '10 ms'],
  [999.6, '1.0 s'],
  [59_949, '59.9 s'],
  [99_960, '1 min 40 s'],
  [119_600, '2 min 0 s'],
  [179_999, '3 min 0 s'],
  [3_599_600, '1 h 0 min'],
  [7_199_000, '2 h 0 min'],
])('a duration of %d ms reads %s', (milliseconds, words) => {
  expect(durationWords(milliseconds)).toBe(words)
})

it('no duration between 0 and 3 hours shows 60 seconds or 60 minutes', () => {
  const wrong = Array.from({ length: 108_000 }, (_, index) => durationWords(index * 100)).filter((words) =>
    /\b60 (s|min)\b/.test(words),
  )
  // 60 s without minutes before it is not split, and right.
  expect(wrong.filter((words) => words !== '60.0 s')).toEqual([])
})
