import { describe, expect, it } from 'vitest'
import { questionKey, verifyDraft } from './verify-draft.ts'

const LOCK =
  'The *lock* of Hallow opens at six.\nIts keeper is Ada Brand, who lives beside it.\n\nBoats of class K3 pay 218 marks.'
const PILOTS = 'Ada Brand was trained by the pilots of Norrey.\n\nPilots are called on channel 12.'
const one = new Map([['lock.md', LOCK]])
const both = new Map([
  ['lock.md', LOCK],
  ['harbour/pilots.md', PILOTS],
])
const nothing = new Set<string>()

const raw = (question: string, ...quotes: [document: string, text: string][]) => ({
  question,
  answer: 'Ada Brand',
  quotes: quotes.map(([document, text]) => ({ document, text })),
})
const KEEPER: [string, string] = ['lock.md', 'Its keeper is Ada Brand, who lives beside it.']

describe('a draft', () => {
  it('keeps the passage as its document has it, whatever case and markup the model quotes', () => {
    const draft = raw('When does the lock of Hallow open?', ['lock.md', 'the lock of hallow opens at six'])
    expect(verifyDraft(draft, one, nothing)).toEqual({
      ok: true,
      draft: {
        query: 'When does the lock of Hallow open?',
        ground_truth: 'Ada Brand',
        gold: [{ document: 'lock.md', fact: 'The *lock* of Hallow opens at six.' }],
        repaired: false,
      },
    })
  })

  it('gets the nearest passage in place of one that is quoted with other words', () => {
    const outcome = verifyDraft(
      raw('Who keeps the lock of Hallow?', ['lock.md', 'The keeper is Ada Brand, who lives there']),
      one,
      nothing,
    )
    expect(outcome).toMatchObject({
      ok: true,
      draft: { repaired: true, gold: [{ document: 'lock.md', fact: 'Its keeper is Ada Brand, who lives beside it.' }] },
    })
  })

  it('gets the document that holds its passage, where the model names another', () =>
    expect(
      verifyDraft(
        raw(
          'Who keeps the lock that pilots of Norrey use?',
          ['harbour/pilots.md', KEEPER[1]],
          ['x', 'Pilots are called on channel 12.'],
        ),
        both,
        nothing,
      ),
    ).toMatchObject({
      ok: true,
      draft: { gold: [{ document: 'lock.md' }, { document: 'harbour/pilots.md' }], repaired: false },
    }))

  it.each([
    ['not_in_document', raw('Who paints the lock?', ['lock.md', 'Carl Weems paints the lock every spring in green.'])],
    ['incomplete', raw('Who keeps the lock?')],
    ['incomplete', raw('Who keeps the lock?', ['lock.md', '…'])],
    ['incomplete', raw('', KEEPER)],
    ['incomplete', { ...raw('Who keeps the lock?', KEEPER), answer: ' ' }],
    ['names_source', raw('Who is named in the document?', KEEPER)],
    ['names_source', raw('According to the passage, who keeps the lock?', KEEPER)],
    ['names_source', raw('What does this short text say of Ada Brand?', KEEPER)],
    ['names_source', raw('Who keeps the lock in lock.md?', KEEPER)],
    ['duplicate', raw('who keeps the lock', KEEPER)],
  ] as const)('is dropped as %s: %j', (reason, draft) =>
    expect(verifyDraft(draft, one, new Set([questionKey('Who keeps the lock?')]))).toEqual({ ok: false, reason }),
  )

  it('is dropped where two passages were asked for and one answers it', () =>
    expect(verifyDraft(raw('Who keeps the lock of Hallow?', KEEPER), both, nothing)).toEqual({
      ok: false,
      reason: 'one_passage',
    }))

  it('may ask for what only sounds like its source', () =>
    expect(verifyDraft(raw('Who pays 218 marks for a passage of class K3?', KEEPER), one, nothing)).toMatchObject({
      ok: true,
    }))
})

describe('a draft of a class', () => {
  const asked = new Set([questionKey('Who keeps the old wooden lock of Hallow near Norrey today?')])

  it('is dropped where an existing question has nearly the same words, and kept where it asks for something else', () => {
    const near = raw('Who keeps the old wooden lock of Hallow near Norrey now?', KEEPER)
    expect(verifyDraft(near, one, asked)).toEqual({ ok: false, reason: 'near_duplicate' })
    expect(verifyDraft(raw('Who keeps the lock of Hallow?', KEEPER), one, asked)).toMatchObject({ ok: true })
  })

  it('that cannot be answered has no passage, and is dropped where it quotes one', () => {
    const open = raw('What does the keeper of the lock of Hallow earn?')
    expect(verifyDraft(open, one, nothing, 'unanswerable')).toMatchObject({ ok: true, draft: { gold: [] } })
    expect(verifyDraft(open, one, nothing, 'one_fact')).toEqual({ ok: false, reason: 'incomplete' })
    const quoted = raw('Who keeps the lock of Hallow?', KEEPER)
    expect(verifyDraft(quoted, one, nothing, 'unanswerable')).toEqual({ ok: false, reason: 'answered' })
  })

  it('needs passages of as many documents as its class', () => {
    const four = new Map([
      ...both,
      ['c.md', 'Carl Weems paints locks in spring.'],
      ['d.md', 'Dora Finch paints locks in autumn.'],
    ])
    const quotes: [string, string][] = [
      KEEPER,
      ['c.md', 'Carl Weems paints locks in spring.'],
      ['d.md', 'Dora Finch paints locks in autumn.'],
    ]
    const question = 'How many people work on the locks of Hallow?'
    expect(verifyDraft(raw(question, ...quotes.slice(0, 2)), four, nothing, 'aggregate')).toEqual({
      ok: false,
      reason: 'one_passage',
    })
    expect(verifyDraft(raw(question, ...quotes), four, nothing, 'aggregate')).toMatchObject({ ok: true })
    expect(verifyDraft(raw(question, KEEPER), both, nothing, 'comparison')).toEqual({
      ok: false,
      reason: 'one_passage',
    })
  })
})
