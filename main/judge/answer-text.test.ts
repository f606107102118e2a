import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { neutralize } from '../../core/judging/neutralize.ts'
import { ANSWER_CAP, cut, NO_ANSWER, shownAnswer } from './blinding.ts'

describe('shownAnswer', () => {
  it('is at most 1200 characters of well-formed text without delimiters, controls or unseen writing', () => {
    const hostile = fc.string({ unit: 'binary', maxLength: 1500 })
    const pieces = fc.constantFrom('<<<', '>>>', '\u0000', '\u202e', '\u001b[2J', '\ud83d', '😀'.repeat(400), 'word ')
    fc.assert(
      fc.property(fc.array(fc.oneof(hostile, pieces)), (parts) => {
        const { text } = shownAnswer(parts.join(''))
        expect(text.length).toBeLessThanOrEqual(ANSWER_CAP)
        expect(text.isWellFormed()).toBe(true)
        expect(text).not.toMatch(/<<<|>>>|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e]/)
        expect(neutralize(text)).toBe(text)
      }),
    )
  })

  it('splits no character at the limit', () => {
    const text = `${'x'.repeat(ANSWER_CAP - 1)}😀 and more`
    expect(shownAnswer(text)).toMatchObject({ text: 'x'.repeat(ANSWER_CAP - 1), capped: true, neutralized: false })
    expect(cut('a😀', 2)).toBe('a')
    expect(cut('a😀', 3)).toBe('a😀')
  })

  it.each([[null], [''], [' \n\t'], ['\u200b\u0000']])('of %j is an explicit "no answer"', (answer) => {
    expect(shownAnswer(answer)).toMatchObject({ text: NO_ANSWER, answered: false })
  })

  it('leaves an ordinary answer as it is, and reports when it did not', () => {
    expect(shownAnswer('Four metres: a < b, x >> 2.\r\nSee 3.')).toEqual({
      text: 'Four metres: a < b, x >> 2.\nSee 3.',
      answered: true,
      capped: false,
      neutralized: false,
    })
    expect(shownAnswer('>>> print(4)')).toMatchObject({ text: '>> print(4)', neutralized: true })
  })
})
