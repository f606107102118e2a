import { MantineProvider } from '@mantine/core'
import { createElement, type ReactElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { RefusalChip, RefusalCount } from './refusal-chip.tsx'

/** The chip alone: Mantine writes its style elements before it. */
const markupOf = (element: ReactElement): string =>
  renderToStaticMarkup(createElement(MantineProvider, null, element)).replace(/<style[\s\S]*?<\/style>/g, '')

describe('the chip of an answer', () => {
  const chip = (refused: boolean | null, decided_by: 'rule' | 'model') =>
    markupOf(createElement(RefusalChip, { refusal: { refused, decided_by } }))

  it.each([
    [true, 'rule', '>⊘ Refused<', 'Rules decided that this answer refuses'],
    [true, 'model', '>⊘ Refused<', 'language model decided that this answer refuses'],
    [null, 'rule', '>⊘ Refusal unknown<', 'Rules could not decide'],
    [null, 'model', '>⊘ Refusal unknown<', 'language model did not decide'],
  ] as const)('shows for %s by %s what it is and how it was decided', (refused, by, label, how) => {
    expect(chip(refused, by)).toContain(label)
    expect(chip(refused, by)).toContain(how)
  })

  it('is left out for answers that answer and for rows that do not record it', () => {
    expect(chip(false, 'model')).toBe('')
    expect(markupOf(createElement(RefusalChip, { refusal: undefined }))).toBe('')
  })
})

describe('the count of an approach', () => {
  const of = (refusals: Parameters<typeof RefusalCount>[0]['refusals']) =>
    markupOf(createElement(RefusalCount, { refusals }))

  it('names refused, all and unknown answers and how many a model decided', () => {
    const markup = of({ refused: 2, answered: 20, unknown: 1, decided_by_model: 22 })
    expect(markup).toContain('⊘ Refused 2/23, 1 unknown')
    expect(markup).toContain('for 22 answers by the evaluator’s language model and for 1 answer by rules')
  })

  it('shows 0 where no answer refuses, and nothing where no row records it', () => {
    expect(of({ refused: 0, answered: 24, unknown: 0, decided_by_model: 0 })).toContain('⊘ Refused 0/24<')
    expect(of(null)).toBe('')
  })
})
