import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { scoreDomains } from '../../../../../tests/bench/extraction-domains.ts'
import { extractGraph } from './extract-graph.ts'

const graphOf = (text: string, title = 'Notes') => {
  const { entities, relations } = extractGraph({ title, text })
  return {
    types: Object.fromEntries(entities.map((entity) => [entity.name, entity.type])),
    pairs: relations.map(({ source, target }) => [source, target].toSorted().join(' – ')).toSorted(),
    relations,
  }
}

describe('extractGraph', () => {
  it('types names by their heads and by what the text states of them', () => {
    const { types } = graphOf(
      'Ruth Hale, an engineer, founded the Merrin Institute in Torvik. The trawler Hopeful Ann sank off Cape Merrin in the Lucy Storm. ' +
        'Dr Otto Brandt signed the Merrin Treaty. PIPERAIL carries the code T1190.',
    )
    expect(types).toEqual({
      'Ruth Hale': 'person',
      'Merrin Institute': 'organization',
      Torvik: 'place',
      'Hopeful Ann': 'vessel',
      'Cape Merrin': 'place',
      'Lucy Storm': 'event',
      'Otto Brandt': 'person',
      'Merrin Treaty': 'agreement',
      PIPERAIL: 'concept',
      T1190: 'identifier',
    })
  })

  it('takes no word for software because it is in capitals', () => {
    const { types } = graphOf(
      'The ministry asked QUORVA to meet in Torvik. The backdoor PIPERAIL was found by the FBI.',
    )
    expect(types).toMatchObject({ QUORVA: 'concept', PIPERAIL: 'software' })
  })

  it('takes no name from words of a sentence that is all in capitals', () => {
    const { types } = graphOf('WARNING: DO NOT OPEN THE VALVE. Otto Brandt wrote this. CAUTION: KEEP AWAY FROM HEAT.')
    expect(Object.keys(types)).toEqual(['Otto Brandt'])
  })

  it('leaves out marks of confidentiality, and keeps a name that begins like one', () => {
    const { types } = graphOf('The report is TLP:AMBER. The firm TLPHARMA in Torvik sold it to Otto Brandt.')
    expect(Object.keys(types)).toEqual(['TLPHARMA', 'Torvik', 'Otto Brandt'])
  })

  it('uses the types that it is given, and concept where none fits', () => {
    const text = 'Ruth Hale founded the Merrin Institute in Torvik. Marfan Syndrome is named after Dr Otto Brandt.'
    const typesWith = (types: string[]) =>
      Object.fromEntries(extractGraph({ title: 'Notes', text, types }).entities.map(({ name, type }) => [name, type]))
    expect(typesWith(['person', 'organization', 'location', 'condition'])).toEqual({
      'Ruth Hale': 'person',
      'Merrin Institute': 'organization',
      Torvik: 'location',
      'Marfan Syndrome': 'condition',
      'Otto Brandt': 'person',
    })
    expect(typesWith(['person', 'other'])).toMatchObject({ 'Merrin Institute': 'other', 'Ruth Hale': 'person' })
  })

  it('relates subjects to what their verbs govern, and members of a list not to each other', () => {
    const { pairs, relations } = graphOf('The Merrin Institute employed Ruth Hale and Otto Brandt.')
    expect(pairs).toEqual(['Merrin Institute – Otto Brandt', 'Merrin Institute – Ruth Hale'])
    expect(relations[0]).toMatchObject({ keywords: ['employ'] })
  })

  it('keeps an apposition with the name it explains, and clauses apart', () => {
    expect(
      graphOf('Ruth Hale joined the Merrin Institute, a college in Torvik; Otto Brandt led the Hesk Survey.').pairs,
    ).toEqual(['Hesk Survey – Otto Brandt', 'Merrin Institute – Ruth Hale', 'Merrin Institute – Torvik'])
  })

  it('traces surnames, short names and pronouns to the full name', () => {
    const { types, pairs } = graphOf(
      'Ruth Hale studied in Torvik. Hale then built Merrin Light. She married Otto Brandt. The Hallam Trading Company paid. Hallam also owned the Corisande Mine.',
    )
    expect(Object.keys(types)).not.toContain('Hale')
    expect(Object.keys(types)).not.toContain('Hallam')
    expect(pairs).toEqual(
      expect.arrayContaining([
        'Merrin Light – Ruth Hale',
        'Otto Brandt – Ruth Hale',
        'Corisande Mine – Hallam Trading Company',
      ]),
    )
  })

  it('takes the title’s subject for a clause without one', () => {
    const { relations } = graphOf('PIPERAIL is a loader. Every sample came from Velmara.', 'PIPERAIL loader')
    expect(relations).toEqual([expect.objectContaining({ source: 'PIPERAIL', target: 'Velmara' })])
  })

  it('does not take openers, headings and roles for names', () => {
    expect(
      graphOf('# Big Findings\n\nRocks fell. Finance was short. The Registrar wept. Overhead, gulls cried.').types,
    ).toEqual({})
  })

  it('relates only entities that it lists, and never one to itself', () => {
    const words = [
      'Ruth Hale',
      'Hale',
      'the',
      'Bank of Leith',
      'paid',
      'and',
      ',',
      '. ',
      ';',
      'she',
      'in',
      'Torvik',
      "'s",
      '\n\n',
      '| a | b |',
    ]
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...words), { maxLength: 30 }), (parts) => {
        const { entities, relations } = extractGraph({ title: 'Ruth Hale', text: parts.join(' ') })
        const names = new Set(entities.map((entity) => entity.name))
        expect(names.size).toBe(entities.length)
        for (const { source, target } of relations) {
          expect(names.has(source) && names.has(target)).toBe(true)
          expect(source).not.toBe(target)
        }
      }),
    )
  })
})

describe('labelled passages of six domains', async () => {
  const scores = await scoreDomains()

  it.each([
    // What the shorter rules reach; the longer ones had 0.88 on both (decision 214).
    ['development', false, 0.79],
    ['held-back', true, 0.63],
  ])('have their entities found: %s passages', (_, heldBack, least) => {
    const chosen = scores.filter((score) => score.heldBack === heldBack)
    expect(chosen).toHaveLength(6)
    const mean = chosen.reduce((sum, { f1 }) => sum + f1, 0) / chosen.length
    expect(mean, heldBack ? '' : JSON.stringify(chosen)).toBeGreaterThanOrEqual(least)
  })
})
