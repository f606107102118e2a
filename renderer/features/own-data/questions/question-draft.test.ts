import { expect, it } from 'vitest'
import type { Question } from '../../../../contract/manifests/queries.ts'
import { draftOf, draftProblems, EMPTY_QUESTION, questionOf } from './question-draft.ts'

const QUESTION: Question = {
  id: 'q-1',
  query: 'When does the lock open?',
  ground_truth: 'At six.',
  answerable: true,
  hops: 2,
  gold: [{ document: 'lock.md', fact: 'opens at six' }, { document: 'tariff.md' }],
  answer_keys: [['six', '6'], ['lock']],
  rationale: 'Two documents.',
  expect_winner: 'graph-rag',
  tags: ['time'],
}

const refusal = (problems: { path: string; message: string }[]) =>
  Object.assign(new Error('the engine refused'), {
    data: { code: 'input_invalid', message: 'the question was refused', retryable: false, details: { problems } },
  })

it('a question that is opened and saved without a change stays the same', () => {
  const { id: _id, ...rest } = QUESTION
  expect(questionOf(draftOf(QUESTION), QUESTION)).toEqual(rest)
})

it('empty lines and spellings of answer keys are left out, and blanks around an answer', () => {
  const draft = { ...EMPTY_QUESTION, query: ' Why? ', answer: '  ', keys: ' a | |b\n\n | \nc' }
  expect(questionOf(draft, null)).toMatchObject({
    query: 'Why?',
    ground_truth: null,
    answer_keys: [['a', 'b'], ['c']],
  })
})

it('a gold fact without text names the whole document', () => {
  const draft = { ...EMPTY_QUESTION, query: 'Why?', gold: [{ document: 'a.md', fact: ' ' }] }
  expect(questionOf(draft, null).gold).toEqual([{ document: 'a.md' }])
})

it('a refusal is shown at the fields that it names, and whole where it names none', () => {
  const named = refusal([
    { path: 'question.gold[1].fact', message: 'not in lock.md' },
    { path: 'question.query', message: 'asked already' },
  ])
  expect(draftProblems(named)).toEqual({ byField: { 'gold 1': 'not in lock.md', query: 'asked already' }, rest: null })
  expect(draftProblems(refusal([{ path: 'revision', message: 'changed' }]))).toEqual({
    byField: {},
    rest: 'the question was refused',
  })
  expect(draftProblems(null)).toEqual({ byField: {}, rest: null })
})
