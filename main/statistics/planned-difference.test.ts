import { expect, it } from 'vitest'
import { Question } from '../../contract/index.ts'
import { studentQuantile } from './distributions.ts'
import { plannedDifference } from './planned-difference.ts'
import { seededRandom } from '../../tests/helpers/seeded-random.ts'

/** So many answerable questions, each on a document that `of` numbers. */
const questionsOn = (count: number, of: (question: number) => number): Question[] =>
  Array.from({ length: count }, (_, index) =>
    Question.parse({
      id: `q-${index}`,
      query: `Question ${index}?`,
      gold: [{ document: `${of(index)}.md`, fact: 'The lock opens at six.' }],
    }),
  )
const apart = (count: number): Question[] => questionsOn(count, (question) => question)

it('96 questions on documents of their own decide a tenth between two approaches', () => {
  expect(plannedDifference(apart(96))).toBeCloseTo(0.101, 3)
})

it('a planned difference is decided in four of five experiments', () => {
  const random = seededRandom('planned-difference')
  // Box and Muller 1958.
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - random.uniform())) * Math.cos(2 * Math.PI * random.uniform())
  const [questions, scatter] = [40, 0.35]
  const difference = plannedDifference(apart(questions))!
  const critical = studentQuantile(0.975, questions - 1)
  const experiments = 4000
  let decided = 0
  for (let experiment = 0; experiment < experiments; experiment += 1) {
    const values = Array.from({ length: questions }, () => difference + scatter * normal())
    const mean = values.reduce((sum, value) => sum + value, 0) / questions
    const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (questions - 1)
    if (mean / Math.sqrt(variance / questions) > critical) decided += 1
  }
  expect(decided / experiments).toBeGreaterThan(0.77)
  expect(decided / experiments).toBeLessThan(0.83)
})

it('questions that share documents decide less than as many on documents of their own, and more than their groups alone', () => {
  const shared = plannedDifference(questionsOn(96, (question) => question % 16))!
  expect(shared).toBeGreaterThan(plannedDifference(apart(96))!)
  expect(shared).toBeLessThan(plannedDifference(apart(16))!)
})

it('more pairs at the same time need a larger difference', () => {
  const [alone, six] = [plannedDifference(apart(96))!, plannedDifference(apart(96), 15)!]
  expect(six / alone).toBeGreaterThan(1.3)
  expect(six / alone).toBeLessThan(1.5)
})

it('questions without an answer decide nothing', () => {
  const unanswerable = apart(20).map((question) => ({
    ...question,
    id: `u-${question.id}`,
    answerable: false,
    gold: [],
  }))
  expect(plannedDifference([...apart(20), ...unanswerable])).toBe(plannedDifference(apart(20)))
  expect(plannedDifference(unanswerable)).toBeNull()
})

it('fewer than eight groups have no planned difference', () => {
  expect(plannedDifference(questionsOn(14, (question) => question % 7))).toBeNull()
  expect(plannedDifference(apart(8))).not.toBeNull()
})
