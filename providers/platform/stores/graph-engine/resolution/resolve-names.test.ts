import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ExtractedChunk } from '../stored-graph.ts'
import { isAcronymOf, normalName } from './names.ts'
import { runThrough } from '../../../../../tests/helpers/knowledge-graph.ts'
import { resolvingNames } from './resolve-names.ts'

/** A document as `name/type` mentions; `text` is its content. */
const document = (id: string, mentions: string[], text = ''): ExtractedChunk => ({
  id: `${id}#0`,
  documentId: id,
  filePath: id,
  title: id,
  index: 0,
  tokens: 1,
  content: text,
  extraction: {
    entities: mentions.map((mention) => {
      const [name, type] = mention.split('/')
      return { name: name!, type: type!, description: '' }
    }),
    relations: [],
  },
})

/** The entity that a spelling means in the document with this id. */
function resolveNames(documents: ExtractedChunk[]): (documentId: string, spelling: string) => string {
  const resolverOf = runThrough(resolvingNames(documents.map((chunk) => [chunk])))
  return (documentId, spelling) =>
    runThrough(resolverOf(documents.filter((chunk) => chunk.documentId === documentId)))(spelling)
}

describe('normalName', () => {
  it.each([
    ['The Red Yard', 'red yard'],
    ['RED-YARD', 'red yard'],
    ["Zoë's", 'zoe'],
    ['Penhallow & Sarti', 'penhallow and sarti'],
    ['Harrow Co.', 'harrow company'],
    ['T1558.003', 't1558003'],
    ['A', 'a'],
    ['C++', 'c++'],
    ['…', ''],
    ['東京', '東京'],
  ])('%s is %s', (name, normal) => {
    expect(normalName(name)).toBe(normal)
  })

  it('is the same for a name in normal form', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 30 }), (name) => {
        expect(normalName(normalName(name))).toBe(normalName(name))
      }),
    )
  })
})

it.each([
  ['NCB', 'Northern Cable Board', true],
  ['MoT', 'Ministry of Transport', true],
  ['MT', 'Ministry of Transport', true],
  ['NCB', 'Northern Board', false],
  ['N', 'Northern', false],
  ['ICE', 'In-Circuit Emulator', true],
])('isAcronymOf: %s of %s: %s', (acronym, name, expected) => {
  expect(isAcronymOf(acronym, name)).toBe(expected)
})

describe('resolveNames within a document', () => {
  it.each<[string, string[], string, string, string]>([
    ['a surname', ['Agnes Tolland/person', 'Tolland/person'], '', 'Tolland', 'agnes tolland'],
    ['a first name', ['Agnes Tolland/person', 'Agnes/person'], '', 'Agnes', 'agnes tolland'],
    ['a title and surname', ['Agnes Tolland/person', 'Captain Tolland/person'], '', 'Captain Tolland', 'agnes tolland'],
    ['a double surname', ['Gwen Ashby-Crewe/person', 'Ashby-Crewe/person'], '', 'Ashby-Crewe', 'gwen ashby crewe'],
    [
      'a company without its form',
      ['Harrow Cable Ltd/organization', 'Harrow Cable/organization'],
      '',
      'Harrow Cable',
      'harrow cable limited',
    ],
    ['a ship without its prefix', ['SS Osprey/vessel', 'Osprey/vessel'], '', 'the Osprey', 'ss osprey'],
    [
      'an acronym',
      ['Northern Cable Board/organization', 'NCB/organization'],
      'the Northern Cable Board (NCB) said',
      'NCB',
      'northern cable board',
    ],
    [
      'an acronym in the name',
      ['Northern Cable Board (NCB)/organization', 'NCB/organization'],
      '',
      'NCB',
      'northern cable board',
    ],
    ['a code', ['Ridge Pump/product', 'RP-220/identifier'], 'the Ridge Pump (RP-220) leaks', 'RP-220', 'ridge pump'],
  ])('joins %s', (_, mentions, text, spelling, id) => {
    expect(resolveNames([document('a', mentions, text)])('a', spelling)).toBe(id)
  })

  it.each<[string, string[], string, string]>([
    [
      'two bearers of a surname',
      ['Agnes Tolland/person', 'Per Tolland/person', 'Tolland/person'],
      'Tolland',
      'tolland',
    ],
    ['a place of the same name', ['Agnes Tolland/person', 'Tolland/place'], 'Tolland', 'tolland'],
    [
      'a longer name with the same end',
      ['Red Anchor Shipworks/organization', 'Shipworks/organization'],
      'Shipworks',
      'shipworks',
    ],
    ['initials that do not match', ['Northern Cable Board/organization', 'XYZ/organization'], 'XYZ', 'xyz'],
    ['persons with the same surname', ['Agnes Tolland/person', 'Anna Tolland/person'], 'Anna Tolland', 'anna tolland'],
  ])('leaves apart %s', (_, mentions, spelling, id) => {
    expect(resolveNames([document('a', mentions, 'Northern Cable Board (XYZ)')])('a', spelling)).toBe(id)
  })
})

describe('resolveNames in a corpus', () => {
  it('uses what another document explains, where it can mean one thing only', () => {
    const resolve = resolveNames([
      document('a', ['Northern Cable Board/organization', 'Agnes Tolland/person'], 'Northern Cable Board (NCB)'),
      document('b', ['NCB/organization', 'Dr Agnes M. Tolland/person', 'Raines/person']),
      document('c', ['Tolland/person', 'Cuthbert Raines/person', 'Tolland/place']),
      document('d', ['Agnes/person', 'Raines/place']),
    ])
    expect(resolve('b', 'NCB')).toBe('northern cable board')
    expect(resolve('b', 'Dr Agnes M. Tolland')).toBe('agnes tolland')
    expect(resolve('b', 'Raines')).toBe('cuthbert raines')
    expect(resolve('d', 'Agnes')).toBe('agnes')
    expect(resolve('d', 'Raines')).toBe('raines')
  })

  it('leaves an acronym alone that two documents explain differently', () => {
    const resolve = resolveNames([
      document('a', ['Northern Cable Board/organization', 'NCB/organization'], 'Northern Cable Board (NCB)'),
      document('b', ['National Coal Bank/organization', 'NCB/organization'], 'National Coal Bank (NCB)'),
      document('c', ['NCB/organization']),
    ])
    expect([resolve('a', 'NCB'), resolve('b', 'NCB'), resolve('c', 'NCB')]).toEqual([
      'northern cable board',
      'national coal bank',
      'ncb',
    ])
  })

  it('survives texts made to be slow', () => {
    const text = `${'Very Long Names '.repeat(20_000)}(`
    expect(resolveNames([document('a', ['Very Long/concept'], text)])('a', 'Very Long')).toBe('very long')
  })
})
