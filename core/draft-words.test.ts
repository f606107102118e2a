import { expect, it } from 'vitest'
import { powerWords } from './draft-words.ts'

const planned = {
  pairs: 1,
  alone: 0.174,
  among: 0.174,
  metric: 'facts_found' as const,
  questions: 22,
  groups: 20,
  basis: 'gold_documents' as const,
  spread: 0.35,
  spread_run: null,
}

it('what a set decides is one sentence that counts ticked questions', () => {
  expect(powerWords(24, planned)).toMatch(
    /^With 24 ticked questions a difference of 18 points can be found \(.+; 22 questions that it can score, 20 independent groups\)\.$/,
  )
  expect(powerWords(1, { ...planned, alone: null, questions: 1, groups: 1 })).toBe(
    'With 1 ticked question nothing can be tested: 1 independent group, and a test needs 8.',
  )
  expect(powerWords(2, { ...planned, metric: null })).toContain('none has a gold passage')
})
