import { expect, it } from 'vitest'
import {
  bytesWords,
  countWords,
  durationWords,
  intervalWords,
  meanWords,
  plural,
  pWords,
  rateWords,
  rungPairsWords,
  scoreWords,
  signedWords,
} from './words.ts'

it.each([
  [0, '0 ms'],
  [0.02, '0 ms'],
  [0.06, '0.1 ms'],
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

it('figures read the same on every surface: true minus, no negative zero, thin spaces, bounds in brackets', () => {
  expect([-0.001, 0.004, -0.1, 0.835].map(scoreWords)).toEqual(['0.00', '0.00', '−0.10', '0.83'])
  expect([-0.1, 0.004, 0.1].map((value) => signedWords(value))).toEqual(['−0.10', '±0.00', '+0.10'])
  expect([-840, 0].map((value) => signedWords(value, durationWords))).toEqual(['−840 ms', '±0 ms'])
  expect([plural(1, 'cell'), plural(21_420, 'cell'), plural(2, 'entry', 'entries')]).toEqual([
    '1 cell',
    '21\u2009420 cells',
    '2 entries',
  ])
  expect(countWords(999.6)).toBe('1\u2009000')
  expect([840, 12_400, 3_100_000, 2_050_000_000].map(bytesWords)).toEqual(['840 B', '12.4 kB', '3.1 MB', '2.05 GB'])
  expect(intervalWords({ low: -0.1, high: 0.85 })).toBe('[−0.10, 0.85]')
  expect(intervalWords({ low: 900, high: 1200 }, durationWords)).toBe('[900 ms, 1.2 s]')
})

it('a mean of counts is whole where it is, a rate has a digit below ten, and a small p-value is a bound', () => {
  expect([meanWords(3), meanWords(4.25), meanWords(2 / 3, 2), meanWords(12_000)]).toEqual([
    '3',
    '4.3',
    '0.67',
    countWords(12_000),
  ])
  expect([rateWords(3.44), rateWords(85.4), rateWords(1200)]).toEqual(['3.4', '85', countWords(1200)])
  expect([pWords(0.0004), pWords(0.0042), pWords(0.234)]).toEqual(['< 0.001', '0.004', '0.23'])
})

it('the line beneath a rung’s decisions names the rungs of its run, and is missing for a run of one', () => {
  expect(rungPairsWords(1)).toBeNull()
  expect(rungPairsWords(3)).toContain('over the pairs of all datasets as well')
})
