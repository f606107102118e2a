import { squadTokens, tokenF1Of } from '../short-answers.ts'
import type { Metric } from './metric.ts'

const WHOLE = new Set(['yes', 'no', 'noanswer'])

/** HotpotQA's script gives no part of a point for yes and no: they are right or wrong. */
function f1Of(answer: string, accepted: string): number {
  const [given, wanted] = [squadTokens(answer).join(' '), squadTokens(accepted).join(' ')]
  return given !== wanted && (WHOLE.has(given) || WHOLE.has(wanted)) ? 0 : tokenF1Of(answer, accepted)
}

export const paperF1 = {
  id: 'paper_f1',
  label: 'paper F1',
  definition:
    'for short answers: best overlap of words with an accepted answer, as SQuAD, HotpotQA and MuSiQue score, 0 unless yes or no is the whole answer where it is expected; 0 to 1, higher is better, no model is asked',
  class: 'answer',
  better: 'higher',
  range: [0, 1],
  needs: ['ground_truth', 'short_answer'],
  unit: 'score',
  ranking: 'unless_answered_by_rules',
  report: { place: 13, parts: [] },
  score: ({ answer, answerKeys }) => Math.max(...answerKeys[0]!.map((accepted) => f1Of(answer, accepted))),
} as const satisfies Metric
