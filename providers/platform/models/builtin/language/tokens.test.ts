import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { namesOf } from './names.ts'
import { rarity } from './rarity.ts'
import { rootOf } from './roots.ts'
import { tokensOf } from './tokens.ts'

const brief = (text: string): string[] => tokensOf(text).map((token) => `${token.kind[0]!}:${token.norm}`)

describe('tokens', () => {
  it('keeps codes whole and takes everyday compounds apart', () => {
    expect(brief('PX-220B, E-4471 and T1546.003 (v7.4.2) of 23-09')).toEqual([
      'c:px-220b',
      'c:e-4471',
      'w:and',
      'c:t1546.003',
      'c:v7.4.2',
      'w:of',
      'c:23-09',
    ])
    expect(brief('a 32-bit, ninety-day lease, 1914–1918 and/or 200M or 25cm')).toEqual(
      'w:a n:32 w:bit w:ninety w:day w:lease n:1914 n:1918 w:and w:or c:200m w:or n:25 w:cm'.split(' '),
    )
  })

  it('brings numbers, accents, possessives and dotted letters to one form', () => {
    expect(brief("450,000 yen on the 22nd at 05:00 in the 1930s: Kōji’s, O'Brien's U.S.")).toEqual(
      "n:450000 w:yen w:on w:the n:22 w:at n:05:00 w:in w:the n:1930s w:koji w:o'brien w:us".split(' '),
    )
  })

  it('has offsets that point into the text, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        let last = 0
        for (const token of tokensOf(text)) {
          expect(text.slice(token.start, token.end)).toBe(token.text)
          expect(token.start).toBeGreaterThanOrEqual(last)
          last = token.end
        }
      }),
    )
  })
})

describe('roots', () => {
  const roots = (text: string): string[] => tokensOf(text).map(rootOf)

  it('joins the forms of a word', () => {
    for (const forms of [
      'build built building builds',
      'write wrote written',
      'organise organized',
      'colours colored',
    ]) {
      expect(new Set(roots(forms)).size, forms).toBe(1)
    }
  })

  it('leaves codes alone', () => {
    expect(roots('E-4471 E-4472')).toEqual(['e-4471', 'e-4472'])
  })
})

it('rarity rises from grammar over everyday words to rare words and codes', () => {
  const weights = tokensOf('the people machine gravimeter PX-220B').map(rarity)
  expect(weights).toEqual(weights.toSorted((a, b) => a - b))
  expect(new Set(weights).size).toBe(5)
  expect(weights[0]).toBe(0)
})

describe('names', () => {
  const names = (text: string): string[] => namesOf(text).map((name) => name.text)

  it.each([
    ['In 1898 Ann Lee of Bern joined the Bank of Leith.', ['Ann Lee', 'Bern', 'Bank of Leith']],
    [
      "Then Hallam & Thrace's broker met J. van der Meer at St Olave's Hospital.",
      ['Hallam & Thrace', 'J. van der Meer', "St Olave's Hospital"],
    ],
    ['Steam made it useless. Grateful townspeople paid.', []],
    ['On Monday 3 May the PIPERAIL loader T1190 appeared.', ['PIPERAIL', 'T1190']],
    ["When Brunel came, Aldous Wren's CK-9 failed.", ['Brunel', 'Aldous Wren', 'CK-9']],
  ])('finds the names of %s', (text, expected) => {
    expect(names(text)).toEqual(expected)
  })
})
