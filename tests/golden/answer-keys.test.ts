import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { Question } from '../../contract/manifests/queries.ts'
import { pointsIn } from '../../contract/metrics/points-covered.ts'
import { scoreAnswer } from '../../main/evaluation/answer-scores.ts'
import { loadExperiment } from '../../main/manifests/experiment.ts'
import { PROJECT_ROOT } from '../helpers/project-root.ts'

const { datasets } = await loadExperiment(PROJECT_ROOT)
const shortAnswers = parse(readFileSync(join(PROJECT_ROOT, 'tests/data/short-answers.yaml'), 'utf8')) as Record<
  string,
  string
>
const points = (answer: string, question: Question): number | undefined =>
  scoreAnswer(answer, question).scores.points_covered

describe.each(datasets.map(({ dataset, questions }) => [dataset.id, questions] as const))(
  'the answer keys of %s',
  (_, questions) => {
    const answerable = questions.filter((question) => question.answerable)
    const wrong = (answerOf: (question: Question) => string, expected: number): string[] =>
      answerable
        .filter((question) => points(answerOf(question), question) !== expected)
        .map((question) => `${question.id}: ${points(answerOf(question), question)} for "${answerOf(question)}"`)

    it('give every point to the shortest right answer and to the declared one', () => {
      expect(wrong(({ id }) => shortAnswers[id] ?? 'no short answer is written', 1)).toEqual([])
      expect(wrong(({ ground_truth: truth }) => truth!, 1)).toEqual([])
    })

    it('give no point to an answer that repeats the question, and none is in its own question', () => {
      expect(wrong(({ query }) => query, 0)).toEqual([])
      expect(answerable.filter(({ query, answer_keys: keys }) => pointsIn(query, keys).length > 0)).toEqual([])
    })

    it('give no point to an answer that names a step on the way instead of what is asked for', () => {
      const steps = answerable.flatMap((question) =>
        (question.bridge_keys ?? []).flatMap((names) => names.map((name) => ({ name, question }))),
      )
      expect(steps.filter(({ name, question }) => points(name, question) !== 0)).toEqual([])
    })

    it('give no point to an answer that also names a forbidden one', () => {
      const hedged = answerable.flatMap((question) =>
        (question.forbidden_answers ?? []).map((name) =>
          points(`${shortAnswers[question.id]} Or is it ${name}?`, question),
        ),
      )
      expect(hedged.every((score) => score === 0)).toBe(true)
    })
  },
)
