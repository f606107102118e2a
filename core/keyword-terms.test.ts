import { describe, expect, it } from 'vitest'
import { joinedCodes, keywordQuery } from './keyword-terms.ts'

describe('keywordQuery', () => {
  it.each([
    ['What does error E-4471 mean?', '"error" OR "e-4471" OR "e4471" OR "4471" OR "mean"'],
    ['well-known bridges', '"well-known" OR "well" OR "known" OR "bridges"'],
    ["the river's depth", '"river" OR "depth"'],
    ['T1059.001', '"t1059-001" OR "t1059001" OR "t1059" OR "001"'],
    ['version 3.14', '"version" OR "3-14" OR "14"'],
    ['Is IT the same as it?', '"it"'],
    ['same same SAME', '"same"'],
  ])('%s', (text, query) => {
    expect(keywordQuery(text)).toBe(query)
  })

  it('searches for the small words when there is nothing else', () => {
    expect(keywordQuery('what is it')).toBe('"what" OR "is" OR "it"')
  })

  it.each(['', '   ', '?!* " ( )', '\u0000', '\ud800', '😀'])('has no query for %j', (text) => {
    expect(keywordQuery(text)).toBeNull()
  })

  it('keeps operators and quotes of the query language out', () => {
    expect(keywordQuery('text:a" OR NEAR(b, 2) AND NOT ^c*')).toBe(
      '"text-a" OR "text" OR "or" OR "near" OR "b" OR "2" OR "and" OR "not" OR "c"',
    )
  })
})

it('joinedCodes finds compounds with letters and digits', () => {
  expect(joinedCodes('E-4471 and e-4471, PN/77-B, not 2024-05-01, cold-start or X9')).toEqual(['e4471', 'pn77b'])
})
