import { describe, expect, it } from 'vitest'
import { factSpans, mergeSpans, supportedSentences } from './text-match.ts'

describe('factSpans', () => {
  it('finds every occurrence of a fact across line breaks and case', () => {
    const text = 'The Gates\n were supplied. THE GATES  were supplied again.'
    expect(factSpans(text, 'the gates were supplied').map(({ start, end }) => text.slice(start, end))).toEqual([
      'The Gates\n were supplied',
      'THE GATES  were supplied',
    ])
  })

  it('takes signs of a pattern as plain text', () => {
    expect(factSpans('cost (a+b)* x', '(a+b)*')).toEqual([{ start: 5, end: 11 }])
    expect(factSpans('anything', '  ')).toEqual([])
  })
})

describe('mergeSpans', () => {
  it('makes overlapping spans one and keeps order', () => {
    expect(
      mergeSpans([
        { start: 5, end: 9 },
        { start: 0, end: 2 },
        { start: 8, end: 12 },
      ]),
    ).toEqual([
      { start: 0, end: 2 },
      { start: 5, end: 12 },
    ])
  })
})

describe('supportedSentences', () => {
  it('marks the sentences that a context supports, and keeps every character', () => {
    const answer = 'Steenbrugge supplied the gates. Nobody paid for anything whatsoever.'
    const sentences = supportedSentences(answer, ['the gates were supplied by Steenbrugge'])
    expect(sentences.map(({ supported }) => supported)).toEqual([true, false])
    expect(sentences.map(({ start, end }) => answer.slice(start, end)).join('')).toBe(answer)
    expect(supportedSentences(answer, []).every(({ supported }) => supported === null)).toBe(true)
  })
})
