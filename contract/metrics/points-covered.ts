import type { Metric } from './metric.ts'

export const pointsCovered = {
  id: 'points_covered',
  label: 'points covered',
  definition: 'share of the required points that an answer mentions; 0 to 1, higher is better, no model is asked',
  class: 'answer',
  better: 'higher',
  range: [0, 1],
  needs: ['answer_keys'],
  unit: 'score',
} as const satisfies Metric
