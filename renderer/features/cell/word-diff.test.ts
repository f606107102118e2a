import { describe, expect, it } from 'vitest'
import { MOST_WORDS, wordDiff } from './word-diff.ts'

const words = (text: string, spans: { start: number; end: number }[]) =>
  spans.map(({ start, end }) => text.slice(start, end))

describe('wordDiff', () => {
  it('names the words that only one text has, case and signs aside', () => {
    const a = 'Steenbrugge supplied the mitre gates, in 1908.'
    const b = 'In short: steenbrugge supplied gates in 1911'
    const diff = wordDiff(a, b)!
    expect(words(a, diff.onlyA)).toEqual(['the', 'mitre', '1908'])
    expect(words(b, diff.onlyB)).toEqual(['In', 'short', '1911'])
    expect(diff.same).toBe(4)
  })

  it('finds nothing in equal texts and everything in an empty one', () => {
    expect(wordDiff('a b', 'A, b.')).toEqual({ onlyA: [], onlyB: [], same: 2 })
    expect(wordDiff('', 'a b')!.onlyB).toHaveLength(2)
  })

  it('does not compare texts whose table would be too large', () => {
    expect(wordDiff('word '.repeat(MOST_WORDS + 1), 'word')).toBeNull()
  })
})
