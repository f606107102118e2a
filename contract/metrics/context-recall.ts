import type { Metric } from './metric.ts'

export const contextRecall = {
  id: 'context_recall',
  label: 'context recall',
  definition:
    'share of the statements of the ground truth that the contexts support, graded by the evaluator; 0 to 1, higher is better',
  class: 'ragas',
  better: 'higher',
  range: [0, 1],
  needs: ['contexts', 'ground_truth'],
  unit: 'score',
  ranking: 'unless_graded_by_rules',
  report: { place: 8, parts: [] },
} as const satisfies Metric
