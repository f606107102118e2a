import { expect, it } from 'vitest'
import { plannedWords } from './planned-words.ts'

const PLAN = {
  pairs: 15,
  alone: 0.1,
  among: 0.152,
  metric: 'facts_found',
  questions: 98,
  groups: 20,
  basis: 'gold_documents',
  spread: 0.35,
  spread_run: null,
} as const
const BASIS =
  "in 4 of 5 runs (simulated: 98 questions that facts found can score are in 20 independent groups by the gold documents that they share; standard deviation of a question's difference 0.35, assumed, as no earlier run shows it)"

it.each([
  [{ ...PLAN, pairs: 0, alone: null, among: null }, null],
  [
    { ...PLAN, pairs: 1, among: 0.101, alone: 0.101 },
    `third decides a difference of about 11 percentage points on facts found between two approaches, ${BASIS}`,
  ],
  [
    { ...PLAN, alone: null, questions: 4, groups: 4 },
    'third has too few questions to test: its 4 questions that facts found can score are in 4 independent groups by the gold documents that they share, and a test needs 8',
  ],
  [
    PLAN,
    `third decides a difference of about 10 percentage points on facts found between two approaches, of about 16 in each of 15 pairs, ${BASIS}`,
  ],
  [
    { ...PLAN, among: null },
    `third decides a difference of about 10 percentage points on facts found between two approaches, and none in each of 15 pairs, ${BASIS}`,
  ],
])('what questions decide, %o, reads %s', (planned, words) => {
  expect(plannedWords('third', planned)).toBe(words)
})

it.each([
  ['question', '20 independent groups (no two share a gold document)'],
  ['gold_documents', '20 independent groups by the gold documents that they share'],
  ['gold_documents_split', '20 independent groups by the gold documents that they share, weak links left out'],
  ['gold_passages', '20 independent groups by the gold passages that they share, as they are about too few documents'],
] as const)('groups of questions that are made by %s are named as %s', (basis, words) => {
  expect(plannedWords('third', { ...PLAN, basis })).toContain(`are in ${words};`)
})

it('a plan without a primary metric names all that one can rest on, votes of validated judges too', () => {
  expect(plannedWords('third', { ...PLAN, alone: null, among: null, metric: null })).toBe(
    'third cannot be tested: no question has what the primary metric needs: gold evidence, answer keys, or votes of validated judges',
  )
})
