import { describe, expect, it } from 'vitest'
import { chunksOf } from '../../../../tests/helpers/rag-fixture.ts'
import { buildConceptIndex } from './build-index.ts'
import { countCapitals, isCode, mentionsOf } from './concepts.ts'
import { readSentences, stem } from './sentences.ts'

function keys(text: string, kinds: readonly string[], corpus = text): string[] {
  const capitals = { upper: new Map<string, number>(), lower: new Map<string, number>() }
  countCapitals(readSentences(corpus), capitals)
  const found = mentionsOf(readSentences(text), capitals).filter(({ kind }) => kinds.includes(kind))
  return [...new Set(found.map(({ key }) => key))]
}

describe('sentences', () => {
  const texts = (text: string) => readSentences(text).map((sentence) => sentence.map((token) => token.text).join(' '))

  it('end at stops, not at abbreviations, initials or decimals', () => {
    expect(texts('Dr. Voss left St. Orla at 3.5 knots. She met J. Marrack. "Why?" he asked.')).toEqual([
      'Dr Voss left St Orla at 3.5 knots',
      'She met J Marrack',
      'Why he asked',
    ])
  })

  it('run over wrapped lines, but not into headings, lists and tables', () => {
    expect(texts('# The Grey\nHeron was\nlost.\n- one\n- two\n| a | b |\n| c | d |')).toEqual([
      'The Grey',
      'Heron was lost',
      'one',
      'two',
      'a b',
      'c d',
    ])
  })
})

it.each([
  [['supply', 'supplies', 'supplied', 'supplying'], 'supply'],
  [['pilot', 'pilots', "pilot's"], 'pilot'],
  [['found', 'founds'], 'found'],
  [['stop', 'stops', 'stopped', 'stopping'], 'stop'],
  [['bus'], 'bus'],
])('the stems of %j meet', (words, expected) => {
  expect(words.map(stem)).toEqual(words.map(() => expected))
})

describe('concepts', () => {
  it('are names as runs of capitals, with their parts', () => {
    const text = 'In Tarnwick the Bank of Esker paid Ysolde Marrack. Later Ysolde Marrack left the bank.'
    expect(keys(text, ['name'])).toEqual(['tarnwick', 'bank of esker', 'ysolde marrack'])
    expect(keys(text, ['name_part'])).toEqual(['esker', 'ysolde', 'marrack'])
  })

  it('are no words that only begin a sentence', () => {
    expect(
      keys('Bakers rise early. The bakers sleep at noon. Nevertheless they smile.', ['name', 'name_part']),
    ).toEqual([])
  })

  it.each(['T1546.003', 'E-4417', 'GX-0427', 'LEDGER_OPEN', 'ASHLEDGER', '40-117-22', 'CVE-2024-1234', 'PX202D'])(
    '%s is a code',
    (text) => expect(isCode(text)).toBe(true),
  )

  it.each(['2024-11-03', '1914-18', '12:30', 'Heron', '31', '1990s', '3rd', 'well-known', '1,000', 'II'])(
    '%s is none',
    (text) => {
      expect(isCode(text)).toBe(false)
    },
  )
})

describe('the index', async () => {
  const documents = {
    'a.md': { title: 'Grey Heron', paragraphs: ['The cutter was lost with Ysolde Marrack.', 'Nobody saw it sink.'] },
    'b.md': { title: 'People', paragraphs: ['Ysolde Marrack taught in Tarnwick.', 'Only here: Zebedee Quill.'] },
  }
  const index = await buildConceptIndex(chunksOf(documents), 24, 'f')
  const conceptsOf = (chunk: number) =>
    index.chunks.at(chunk).map(([id, sentences]) => [index.concepts.at(id)![0], sentences])

  it('keeps what links chunks, with the title on every chunk of its document', () => {
    expect(conceptsOf(0)).toEqual(
      expect.arrayContaining([
        ['ysolde marrack', [0]],
        ['grey heron', [-1]],
      ]),
    )
    expect(conceptsOf(1)).toContainEqual(['grey heron', [-1]])
    expect(conceptsOf(2)).toContainEqual(['ysolde marrack', [0]])
    expect(Array.from(index.concepts, ([key]) => key)).not.toContain('zebedee quill')
  })

  it('keeps no more concepts per chunk than it may, and is the same each time', async () => {
    const small = await buildConceptIndex(chunksOf(documents), 2, 'f')
    expect([...small.chunks].every((concepts) => concepts.length <= 2)).toBe(true)
    expect(await buildConceptIndex(chunksOf(documents), 24, 'f')).toEqual(index)
  })

  it('names documents by their file name when they have no title', async () => {
    const named = await buildConceptIndex(
      chunksOf({
        'grey-heron.md': { title: 'grey-heron.md', paragraphs: ['It sank.', 'It was old.'] },
        'b.md': { title: 'b.md', paragraphs: ['The Grey Heron carried salt.'] },
      }),
      24,
      'f',
    )
    const shared = named.chunks
      .at(2)
      .map(([id]) => id)
      .filter((id) => named.chunks.at(0).some(([other]) => other === id))
    expect(shared.map((id) => named.concepts.at(id)![0])).toContain('grey heron')
  })

  it('survives words that are property names', async () => {
    const odd = chunksOf({
      'a.md': { title: 'constructor', paragraphs: ['__proto__ toString Constructor', 'hasOwnProperty __proto__'] },
    })
    expect((await buildConceptIndex(odd, 24, 'f')).chunks).toHaveLength(2)
  })
})
