import { expect, it } from 'vitest'
import { trimmedSpan } from './gold-selection.ts'

const TEXT = 'The lock opens  \n at six. '

it('a selection becomes a gold fact without the white space at its ends', () => {
  const span = trimmedSpan(TEXT, { start: 3, end: 18 })!
  expect(TEXT.slice(span.start, span.end)).toBe('lock opens')
})

it('white space inside a selection stays as the document has it', () => {
  const span = trimmedSpan(TEXT, { start: 9, end: TEXT.length })!
  expect(TEXT.slice(span.start, span.end)).toBe('opens  \n at six.')
})

it('a selection of white space alone is no gold fact', () => {
  expect(trimmedSpan(TEXT, { start: 14, end: 17 })).toBeNull()
})
