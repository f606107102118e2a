import { describe, expect, it } from 'vitest'
import { writeBlurb } from './write-blurb.ts'

const document = `# Merrin Light

Merrin Light is a lighthouse on the west coast. It was designed by Ruth Hale.

## Keepers

The first keeper was Enoch Bast. Merrin Light had three of them.

He wrote a diary. It was found in 1950 under a floor.`

describe('writeBlurb', () => {
  it('names title, section, subjects and whom the pronoun stands for', () => {
    const chunk = document.slice(document.indexOf('He wrote'))
    expect(writeBlurb({ documentTitle: 'Merrin Light', document, chunk })).toBe(
      'From "Merrin Light", section "Keepers", on Merrin Light. Merrin Light is a lighthouse on the west coast.',
    )
  })

  it('does not repeat what the chunk says itself', () => {
    const chunk = document.slice(0, document.indexOf('## Keepers')).trim()
    expect(writeBlurb({ documentTitle: 'Merrin Light', document, chunk })).toBe('From "Merrin Light".')
  })

  it('manages without a document', () => {
    expect(writeBlurb({ documentTitle: 'Note', document: '', chunk: 'It rained.' })).toBe('From "Note".')
  })
})
