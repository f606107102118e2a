import type { Metric } from './metric.ts'

export const contextPrecision = {
  id: 'context_precision',
  label: 'context precision',
  definition:
    'how far up the useful contexts are in their order, graded by the evaluator against the ground truth; 0 to 1, higher is better',
  class: 'ragas',
  better: 'higher',
  range: [0, 1],
  needs: ['contexts', 'ground_truth'],
  unit: 'score',
  ranking: 'unless_graded_by_rules',
  report: { place: 7, parts: [] },
} as const satisfies Metric
