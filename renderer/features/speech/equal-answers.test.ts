import { expect, it } from 'vitest'
import { equalAnswers } from './equal-answers.ts'

const asked = (alias: string, text: string | null) => ({
  alias,
  answer: text === null ? null : { text, sources: [], isReported: true },
})

it('an answer that an approach before has given is named by the first of them', () => {
  const answers = [
    asked('vanilla-rag', 'In 1904.'),
    asked('hybrid-rag', 'In 1904.\n'),
    asked('graph-rag', 'The passages do not answer this question.'),
    asked('agentic-rag', 'In 1904.'),
  ]
  expect([...equalAnswers(answers)]).toEqual([
    ['hybrid-rag', 'vanilla-rag'],
    ['agentic-rag', 'vanilla-rag'],
  ])
})

it('empty and missing answers are not equal to each other', () => {
  expect(equalAnswers([asked('a', ''), asked('b', ' '), asked('c', null), asked('d', null)]).size).toBe(0)
})
