import { expect, it } from 'vitest'
import { outlineOf } from './section-of-chunk.ts'

const TEXT = `# Harbour book

This book describes two lights.

## Merrin Light

Merrin Light was designed by Ruth Hale.

### Keepers

Enoch Bast was the first keeper. He was strict.

He wrote a diary.

It was found in 1950.

## Salt Light

### Lamps

The lamps burn oil.
`

const sectionOf = (words: string, text = TEXT) => outlineOf(text, 'Harbour book')(text.indexOf(words))

it('names the headings above a chunk and the paragraphs that introduce it', () => {
  expect(sectionOf('It was found')).toEqual({
    headings: ['Merrin Light', 'Keepers'],
    before: [
      'This book describes two lights.',
      'Merrin Light was designed by Ruth Hale.',
      'Enoch Bast was the first keeper. He was strict.',
      'He wrote a diary.',
    ].join('\n\n'),
  })
})

it('places a chunk that starts with a heading in its own section, not in the one before', () => {
  expect(sectionOf('### Lamps')).toMatchObject({ headings: ['Salt Light', 'Lamps'] })
  expect(sectionOf('## Salt')).toEqual({ headings: ['Salt Light'], before: 'This book describes two lights.' })
})

it('takes the start of a paragraph as what comes before a chunk from its middle', () => {
  const { before } = sectionOf('He was strict')
  expect(before.endsWith('Ruth Hale.\n\nEnoch Bast was the first keeper.')).toBe(true)
})

it('leaves out an introduction that is far away', () => {
  const long = TEXT.replace('He was strict.', `He was strict. ${'Each night he lit the lamp again. '.repeat(200)}`)
  const { headings, before } = sectionOf('It was found', long)
  expect(headings).toEqual(['Merrin Light', 'Keepers'])
  expect(before).toBe('He wrote a diary.')
})

it('has no section where no text precedes', () => {
  expect(outlineOf('A line.', 'Note')(0)).toEqual({ headings: [], before: '' })
  expect(outlineOf('', 'Note')(0)).toEqual({ headings: [], before: '' })
})

it('takes time in proportion to a document that has no paragraphs', () => {
  const text = 'The keeper lit the lamp and wrote it down. '.repeat(23_000)
  const started = process.cpuUsage()
  const sectionAt = outlineOf(text, 'Log')
  for (let offset = 0; offset < text.length; offset += 700) sectionAt(offset)
  const { user, system } = process.cpuUsage(started)
  // With the square of the length it takes 20 s.
  expect((user + system) / 1e6).toBeLessThan(2.5)
}, 60_000)

it('takes the end of a long paragraph before a chunk, and the start of one that opens its section', () => {
  const long = 'The **keeper** lit the lamp and wrote it down. '.repeat(60)
  const text = `# Log\n\n${long}\n\nIt burned.\n\nThe oil was low.`
  const { before } = outlineOf(text, 'Log')(text.indexOf('It burned'))
  expect(before).toHaveLength(600)
  expect('The keeper lit the lamp and wrote it down. '.repeat(60).trim().endsWith(before)).toBe(true)
  const opening = outlineOf(text, 'Log')(text.indexOf('The oil')).before
  expect(opening.slice(0, 600)).toBe('The keeper lit the lamp and wrote it down. '.repeat(60).slice(0, 600))
  expect(opening.slice(600)).toBe('\n\nIt burned.')
})
