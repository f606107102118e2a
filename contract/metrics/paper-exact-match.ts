import { squadTokens } from '../short-answers.ts'
import type { Metric } from './metric.ts'

const normalized = (text: string): string => squadTokens(text).join(' ')

export const paperExactMatch = {
  id: 'paper_exact_match',
  label: 'paper exact match',
  definition:
    'for short answers: 1 when an answer is an accepted one and nothing else, whatever its case, punctuation and articles, as SQuAD, HotpotQA and MuSiQue score, else 0; no model is asked',
  class: 'answer',
  better: 'higher',
  range: [0, 1],
  needs: ['ground_truth', 'short_answer'],
  unit: 'score',
  ranking: 'unless_answered_by_rules',
  report: { place: 12, parts: [] },
  score: ({ answer, answerKeys }) =>
    answerKeys[0]!.some((accepted) => normalized(accepted) === normalized(answer)) ? 1 : 0,
} as const satisfies Metric
