import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { plainText } from './plain-text.ts'
import { sentencesOf } from './sentences.ts'

const texts = (source: string): string[] => sentencesOf(source).map((sentence) => sentence.text)

describe('sentences', () => {
  it('is not misled by abbreviations, initials, decimals and run-in heads', () => {
    expect(
      texts(
        '**1882.** Dr. J. R. Hale paid No. 7 approx. 3.5 crowns, e.g. in Jan. 1901. He left at 5 p.m. on foot. Was it plan B. The end?',
      ),
    ).toEqual([
      '1882. Dr. J. R. Hale paid No. 7 approx. 3.5 crowns, e.g. in Jan. 1901.',
      'He left at 5 p.m. on foot.',
      'Was it plan B.',
      'The end?',
    ])
  })

  it('keeps quotations and closing marks with their sentence', () => {
    expect(texts('"It works." (So they said.) *Nobody* believed it…  Then it did!')).toEqual([
      '"It works."',
      '(So they said.)',
      'Nobody believed it…',
      'Then it did!',
    ])
  })

  it('recognizes headings, list items and table rows', () => {
    const source = [
      '# The Pump',
      '',
      'It has two parts.',
      'They turn.',
      '',
      '1. Open the valve. Wait.',
      '2. Close it',
      '',
      '| Part | Weight |',
      '| --- | ---: |',
      '| PX-1 | **3 kg** |',
      '| PX-2 | |',
    ].join('\n')
    expect(sentencesOf(source).map(({ kind, text }) => [kind, text])).toEqual([
      ['heading', 'The Pump'],
      ['prose', 'It has two parts.'],
      ['prose', 'They turn.'],
      ['list_item', 'Open the valve.'],
      ['list_item', 'Wait.'],
      ['list_item', 'Close it'],
      ['table_row', 'Part: PX-1; Weight: 3 kg'],
      ['table_row', 'Part: PX-2'],
    ])
  })

  it('marks what a chunk border cut off', () => {
    expect(sentencesOf('and then it sank. It lies there still. Nobody has').map((sentence) => sentence.whole)).toEqual([
      false,
      true,
      false,
    ])
  })

  it('points into the source, in order, and loses no letter of prose', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('Ann', 'saw', 'it. ', 'Dr. ', '3.5', '! ', '\n\n', '“No.” ', ' '), { maxLength: 40 }),
        (parts) => {
          const source = parts.join('')
          const sentences = sentencesOf(source)
          let last = 0
          for (const { start, end, text } of sentences) {
            expect(start).toBeGreaterThanOrEqual(last)
            expect(plainText(source.slice(start, end))).toBe(text)
            last = end
          }
          const letters = (value: string): string => value.replace(/[^\p{L}\p{N}]/gu, '')
          expect(letters(sentences.map((sentence) => sentence.text).join(''))).toBe(letters(source))
        },
      ),
    )
  })
})

it('plain text takes Markdown off and leaves the words', () => {
  expect(plainText('See **the _Beagle_**, `x_y` and [the log](http://a.b/c "t")[^1]: 2 * 3 * 4, snake_case_name')).toBe(
    'See the Beagle, x_y and the log: 2 * 3 * 4, snake_case_name',
  )
})
