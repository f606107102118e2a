import { tokenF1Of } from '../short-answers.ts'
import type { Metric } from './metric.ts'

export const tokenF1 = {
  id: 'token_f1',
  label: 'token F1',
  definition:
    "overlap of an answer's words with those of the ground truth, as SQuAD's evaluation script computes it; 0 to 1, higher is better, no model is asked",
  class: 'answer',
  better: 'higher',
  range: [0, 1],
  needs: ['ground_truth'],
  unit: 'score',
  ranking: 'always',
  primary: 3,
  report: { place: 10, parts: [] },
  score: ({ answer, groundTruth }) => tokenF1Of(answer, groundTruth),
} as const satisfies Metric
