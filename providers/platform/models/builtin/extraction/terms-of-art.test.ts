import { describe, expect, it } from 'vitest'
import { namesOf } from '../language/names.ts'
import { extractGraph } from './extract-graph.ts'
import { termsOfArt } from './terms-of-art.ts'

describe('termsOfArt', () => {
  it.each([
    ['Patients with insulin resistance received metformin.', ['insulin resistance', 'metformin']],
    ['The storm was no force majeure, and strict liability applied.', ['force majeure', 'strict liability']],
    ['Crystals of potassium nitrate were found by mass spectrometry.', ['potassium nitrate', 'mass spectrometry']],
    ['The hives are treated with oxalic acid or formic acid.', ['oxalic acid', 'formic acid']],
    ['Yellow fever spread from the harbour.', ['Yellow fever']],
    ['The samples were dated by radiocarbon dating.', ['radiocarbon dating']],
  ])('finds those of "%s"', (text, terms) => {
    expect(termsOfArt(text).map((term) => term.text)).toEqual(terms)
  })

  it.each([
    'The army met strong resistance on the hill.',
    'She had a severe cough and a high fever.',
    'The disease was caused by this disorder.',
    'The rain was acid, and the public acid test failed.',
    'He paid the damages and kept his post.',
    'Learning to sail took a year.',
  ])('finds none in everyday words: "%s"', (text) => {
    expect(termsOfArt(text)).toEqual([])
  })
})

describe('names of several words', () => {
  it.each([
    ['She filmed The Handmaid’s Tale in Leith.', ['Handmaid’s Tale', 'Leith']],
    ['He worked at Bergen Children’s Clinic.', ['Bergen Children’s Clinic']],
    ['It was the end of Aldous Wren’s Atlas.', ['Aldous Wren', 'Atlas']],
  ])('keep a possessive that is part of them: %s', (text, names) => {
    expect(namesOf(text).map((name) => name.text)).toEqual(names)
  })
})

describe('extractGraph', () => {
  it('types terms of art and names with the head noun of one', () => {
    const text =
      'Crohn’s disease was treated by Marijke Plas with prednisolone. The court cited Borg v. Delmar Shipping on gross negligence.'
    const types = Object.fromEntries(
      extractGraph({ title: 'Cases', text }).entities.map(({ name, type }) => [name, type]),
    )
    expect(types).toMatchObject({
      'Crohn’s disease': 'condition',
      prednisolone: 'substance',
      'Borg v. Delmar Shipping': 'law',
      'gross negligence': 'law',
    })
  })
})
