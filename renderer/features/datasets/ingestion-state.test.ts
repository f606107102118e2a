import { expect, it } from 'vitest'
import { ingestionState } from './ingestion-state.ts'

it('a dataset is ingested by its newest run, and says first what keeps it from one', () => {
  const facts = { documents: 3, questions: 2, run: 'mine', isUnderWay: false }
  expect(ingestionState(facts)).toEqual({ tone: 'good', words: 'ingested' })
  expect(ingestionState({ ...facts, isUnderWay: true })).toEqual({ tone: 'waiting', words: 'in a run now' })
  expect(ingestionState({ ...facts, run: undefined }).words).toBe('not ingested')
  expect(ingestionState({ ...facts, run: undefined, questions: 0 }).words).toBe('needs questions')
  expect(ingestionState({ ...facts, documents: 0 }).words).toBe('needs documents')
  expect(ingestionState({ ...facts, documents: undefined, run: undefined }).words).toBe('not ingested')
})
