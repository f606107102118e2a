import { describe, expect, it } from 'vitest'
import { choosePassages, groupPassages, pairPassages, passagesOf, withDate } from './draft-passages.ts'

const paragraph = (number: number, words = 100): string => `Paragraph ${number}: ${'word '.repeat(words).trim()}.`

describe('passages', () => {
  it('are whole paragraphs of at most 4,000 characters, verbatim, and hold all of the text', () => {
    const text = Array.from({ length: 40 }, (_, number) => paragraph(number)).join('\n\n')
    const passages = passagesOf('a/b.md', `# The title\n\n${text}\n\n${paragraph(99, 2000)}`)
    expect(passages[0]).toMatchObject({ document: 'a/b.md', title: 'The title' })
    for (const { text: piece } of passages) expect(piece.length).toBeLessThanOrEqual(4000)
    expect(
      passages
        .map((each) => each.text)
        .join(' ')
        .match(/\S+/g),
    ).toEqual(`# The title ${text} ${paragraph(99, 2000)}`.match(/\S+/g))
  })

  it('are none of a text of a few words', () => expect(passagesOf('a.md', '# Title\n\nTo do.')).toEqual([]))

  it('are chosen over all of a list', () => {
    const numbers = Array.from({ length: 100 }, (_, number) => number)
    expect(choosePassages(numbers, 4)).toEqual([12, 37, 62, 87])
    expect(choosePassages([1, 2], 4)).toEqual([1, 2])
  })
})

describe('pairs of passages', () => {
  const passage = (document: string, text: string) => ({ document, title: document, text })
  const common = 'Every harbour keeps boats and records.'

  it('share a rare word and are of two documents', () => {
    const passages = [
      passage('lock.md', `${common} Ada Brand keeps the lock.`),
      passage('fees.md', `${common} Class K3 pays marks.`),
      passage('pilots.md', `${common} Pilots trained Brand.`),
      passage('lock.md', `${common} Brand lives beside the lock.`),
    ]
    const [first] = pairPassages(passages, 1)
    expect(first!.map(({ document }) => document).sort()).toEqual(['lock.md', 'pilots.md'])
    for (const pair of pairPassages(passages, 9)) expect(new Set(pair.map(({ document }) => document)).size).toBe(2)
  })

  it('are none within one document', () =>
    expect(pairPassages([passage('a.md', common), passage('a.md', common)], 5)).toEqual([]))
})

describe('groups of passages', () => {
  const passages = Array.from({ length: 9 }, (_, at) => ({
    document: `${at}.md`,
    title: `${at}`,
    text: `Note ${at} about ${['granite', 'timber', 'copper'][at % 3]} works and their number ${at}.`,
  }))

  it('are of different documents that share a word, the rarest words first, each passage in one group', () => {
    const groups = groupPassages(passages, 5, 4)
    expect(groups.map((group) => group.map(({ document }) => document))).toEqual([
      ['2.md', '5.md', '8.md'],
      ['0.md', '3.md', '6.md'],
      ['1.md', '4.md', '7.md'],
    ])
    expect(groupPassages(passages, 1, 4)).toHaveLength(1)
    expect(groupPassages(passages.slice(0, 2), 5, 4)).toEqual([])
  })

  it('are as long as two passages, cut at the paragraph that holds the word', () => {
    const long = passages.slice(0, 3).map(({ document }) => ({
      document,
      title: document,
      text: `${'Filler text of its own. '.repeat(120)}\n\nThe zinc harbour of ${document}.`,
    }))
    for (const group of groupPassages(long, 1, 4))
      for (const { text } of group) expect(text.length).toBeLessThanOrEqual(4000)
  })

  it('know a date by its year or month', () => {
    expect(withDate({ text: 'It opened in 1904.' })).toBe(true)
    expect(withDate({ text: 'It opened in May.' })).toBe(true)
    expect(withDate({ text: 'It has 12 gates and 40 lamps.' })).toBe(false)
  })
})
