import { expect, it } from 'vitest'
import { expectedAndBest } from './expected-outcome.ts'

const ALIASES = ['vanilla-rag', 'hybrid-rag', 'graph-rag']
const asked = (expect_winner: string | null, ...values: (number | null | undefined)[]) => ({
  expect_winner,
  cells: values.map((value, index) => (value === undefined ? null : { row_id: `row-${index}`, value })),
})
const outcome = (question: ReturnType<typeof asked>, better: 'higher' | 'lower' = 'higher') => {
  const found = expectedAndBest(question, ALIASES, better)
  return [found.outcome, found.expected?.value ?? null, found.best.map(({ model }) => model)]
}

it.each([
  ['alone at the top', asked('graph-rag', 0.2, 0.5, 1), ['expected', 1, ['graph-rag']]],
  ['one of several at the top', asked('hybrid-rag', 0.2, 1, 1), ['tied', 1, ['hybrid-rag', 'graph-rag']]],
  ['below another', asked('hybrid-rag', 1, 0, 0), ['other', 0, ['vanilla-rag']]],
  ['without a row', asked('graph-rag', 1, 0, undefined), ['no_value', null, ['vanilla-rag']]],
  ['without a value', asked('graph-rag', 1, 0, null), ['no_value', null, ['vanilla-rag']]],
  ['not an approach of the run', asked('agentic-rag', 1, 0, 0), ['no_value', null, ['vanilla-rag']]],
  ['not named', asked(null, 1, 0, 0), ['unnamed', null, ['vanilla-rag']]],
  ['named where no approach has a value', asked('graph-rag', null, null, null), ['no_value', null, []]],
])('finds the expected approach: %s', (_name, question, found) => expect(outcome(question)).toEqual(found))

it('takes the lowest value as the best where lower is better', () =>
  expect(outcome(asked('vanilla-rag', 12, 40, 90), 'lower')).toEqual(['expected', 12, ['vanilla-rag']]))
