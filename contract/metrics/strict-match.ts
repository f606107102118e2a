import { squadTokens } from '../short-answers.ts'
import type { Metric } from './metric.ts'

const YES_NO = new Set(['yes', 'no'])
const isNumber = (token: string): boolean => /^\p{N}+(?:st|nd|rd|th)?$/u.test(token)

/** No other answer than the possible ones may be given where these are known: the first word decides on yes and no; of numbers there is one. */
function matches(answer: readonly string[], accepted: readonly string[]): boolean {
  const [only, ...more] = accepted
  if (only === undefined) return false
  if (more.length === 0 && YES_NO.has(only)) return answer[0] === only
  if (!` ${answer.join(' ')} `.includes(` ${accepted.join(' ')} `)) return false
  return more.length > 0 || !isNumber(only) || answer.every((token) => !isNumber(token) || token === only)
}

export const strictMatch = {
  id: 'strict_match',
  label: 'strict match',
  definition:
    'for short answers: 1 when an answer holds an accepted one as whole words in order, begins with it where it is yes or no, and gives no other number where it is one, else 0; no model is asked',
  class: 'answer',
  better: 'higher',
  range: [0, 1],
  needs: ['ground_truth', 'short_answer'],
  unit: 'score',
  ranking: 'unless_answered_by_rules',
  report: { place: 14, parts: [] },
  score: ({ answer, answerKeys }) =>
    answerKeys[0]!.some((accepted) => matches(squadTokens(answer), squadTokens(accepted))) ? 1 : 0,
} as const satisfies Metric
