import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { directionOf } from './light-markup.ts'
import { MarkedText } from './marked-text.tsx'

const shown = (text: string, fact = ''): string => {
  const start = text.indexOf(fact)
  const spans = fact === '' ? [] : [{ start, end: start + fact.length }]
  return renderToStaticMarkup(createElement(MarkedText, { text, spans, isMarkdown: true })).replaceAll(
    / class="[^"]*"/g,
    '',
  )
}

describe('a passage in Markdown', () => {
  it('shows headings and bold words without their signs, and a fact across them is marked', () => {
    expect(shown('## Feeding\n**Who feeds.** Twice a day')).toBe(
      '<bdi><b>Feeding</b>\n<b>Who feeds.</b> Twice a day</bdi>',
    )
    expect(shown('# A\n**Who feeds.** Twice', 'feeds.** Twice')).toBe(
      '<bdi><b>A</b>\n<b>Who </b><mark><b>feeds.</b> Twice</mark></bdi>',
    )
  })

  it('keeps what is no markup, and never interprets tags', () => {
    expect(shown('2 ** 3 ** 4, #5 <b>')).toBe('<bdi>2 ** 3 ** 4, #5 &lt;b&gt;</bdi>')
  })
})

it('a card has the direction of its first letter', () => {
  expect(['"מתי?', '1. متى', 'When?', '…'].map(directionOf)).toEqual(['rtl', 'rtl', 'ltr', 'ltr'])
})
