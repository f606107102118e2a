import { describe, expect, it } from 'vitest'
import { writeBlurb } from './write-blurb.ts'

const task = {
  documentTitle: 'Merrin Light',
  headings: [],
  before: '',
  document: 'Read by models.',
  chunk: 'It rained.',
}

describe('writeBlurb', () => {
  it('names title, section, who was mentioned before, and what introduces the section', () => {
    const before = 'The keepers lived in a house below the tower.\n\nThe first of them was Enoch Bast.'
    expect(writeBlurb({ ...task, headings: ['Buildings', 'Keepers'], before, chunk: 'He wrote a diary.' })).toBe(
      'From "Merrin Light", section "Buildings – Keepers", on Enoch Bast. The keepers lived in a house below the tower.',
    )
  })

  it('takes nothing from other parts of the document', () => {
    const document = 'Ruth Hale designed it. Ruth Hale won a prize. It rained. Ruth Hale was ill.'
    expect(writeBlurb({ ...task, document })).toBe('From "Merrin Light".')
  })

  it('does not repeat what the chunk itself holds', () => {
    const before = 'The keepers lived in a house below the tower.'
    const chunk = `## Keepers\n\n${before} Enoch Bast was the first.`
    expect(writeBlurb({ ...task, headings: ['Keepers'], before, chunk })).toBe('From "Merrin Light".')
  })
})
