import { describe, expect, it } from 'vitest'
import { findNames } from './find-names.ts'

const NAMES = ['long wire sounder', 'wire', 'agnes tolland', 'per tolland', 'hesk navigation board', 'it', 'e 4471']
const tables = {
  named: new Map(NAMES.map((name, at) => [name, [at]])),
  namesWithWord: new Map(
    NAMES.filter((name) => name.includes(' ')).flatMap((name) =>
      name.split(' ').map((word) => [word, NAMES.filter((each) => each.split(' ').includes(word))]),
    ),
  ),
}
const found = (question: string, keywords: string[] = []) =>
  findNames(tables, question, keywords).found.map(({ entities, share, place }) => [
    NAMES[entities[0]!],
    Math.round(share * 100) / 100,
    place?.from ?? null,
  ])

describe('findNames', () => {
  it('prefers the longest name and uses no word twice', () => {
    expect(found('Who made the Long Wire Sounder, and who a Wire?')).toEqual([
      ['long wire sounder', 1, 2],
      ['wire', 1, 8],
    ])
  })

  it('takes capitalized words and keywords for parts of names, small words never', () => {
    expect(found('Did Tolland learn navigation?')).toEqual([
      ['agnes tolland', 0.5, 1],
      ['per tolland', 0.5, 1],
    ])
    expect(found('who was it, and in which navigation?', ['navigation', 'Hesk Board'])).toEqual([
      ['hesk navigation board', 0.67, null],
    ])
  })

  it('takes codes, and a capitalized grammar word only as a name in full capitals would be one', () => {
    expect(found('What means e-4471?')).toEqual([['e 4471', 1, 2]])
    expect(found('It broke. What now?')).toEqual([])
  })

  it('gives back what the question asks about its names', () => {
    expect(findNames(tables, "Who built the Long Wire Sounder's drum?", []).rest.map(({ word }) => word)).toEqual([
      'Who',
      'built',
      'drum?',
    ])
  })
})
