import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { displayWidth, pad, shorten, wrap } from './terminal-text.ts'

describe('terminal text', () => {
  it('counts columns, not code units', () => {
    expect(['abc', '日本', 'e\u0301', '🎉', '●⏱'].map(displayWidth)).toEqual([3, 4, 1, 2, 2])
  })
  it('marks what it cut off', () => {
    expect([shorten('approach', 8), shorten('approach', 5), shorten('日本語', 4)]).toEqual(['approach', 'appr…', '日…'])
  })
  it('fills to the exact width on either side', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-composite' }), fc.integer({ min: 1, max: 40 }), (text, width) => {
        expect(displayWidth(pad(text, width))).toBe(width)
        expect(displayWidth(pad(text, width, 'right'))).toBe(width)
      }),
    )
  })
  it('wraps at words within the width and keeps all of them', () => {
    const words = fc.array(fc.stringMatching(/^[a-z]{1,9}$/), { minLength: 1 })
    fc.assert(
      fc.property(words, fc.integer({ min: 12, max: 60 }), (all, width) => {
        const lines = wrap(all.join(' '), width, '  ')
        for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width)
        expect(lines.map((line) => line.trim()).join(' ')).toBe(all.join(' '))
      }),
    )
  })
})
