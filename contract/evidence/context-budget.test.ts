import { describe, expect, it } from 'vitest'
import { ContextBudget, packed, tokensOfTexts } from './context-budget.ts'

const pack = (texts: string[], budget: number) =>
  packed(
    texts,
    budget,
    (text) => text,
    (_passage, text) => text,
  )

describe('a context budget', () => {
  it('keeps whole passages in their order and cuts the first that does not fit after a word', () => {
    const texts = ['one two three', 'four five six', 'seven']
    expect(pack(texts, 100)).toEqual(texts)
    expect(pack(texts, 5)).toEqual(['one two three', 'four five'])
    expect(pack(texts, 3)).toEqual(['one two three'])
    expect(pack(texts, 0)).toEqual([])
  })

  it('is filled to the same amount by short and by long passages', () => {
    const words = (count: number) => Array.from({ length: count }, (_, at) => `w${at % 7}`).join(' ')
    const short = pack(
      Array.from({ length: 90 }, () => words(9)),
      400,
    )
    const long = pack(
      Array.from({ length: 4 }, () => words(350)),
      400,
    )
    expect(tokensOfTexts(short)).toBe(400)
    expect(tokensOfTexts(long)).toBe(400)
  })

  it('is none or a whole number of tokens', () => {
    expect(ContextBudget.parse('none')).toBe('none')
    expect(ContextBudget.parse(2000)).toBe(2000)
    for (const wrong of [0, 99, 1.5, '2000', 'all', null, 1_000_000])
      expect(ContextBudget.safeParse(wrong).success, String(wrong)).toBe(false)
  })
})
