import type { Metric } from './metric.ts'

export const faithfulness = {
  id: 'faithfulness',
  label: 'faithfulness',
  definition:
    'share of the statements of an answer that its contexts support, graded by the evaluator; 0 to 1, higher is better',
  class: 'ragas',
  better: 'higher',
  range: [0, 1],
  needs: ['contexts'],
  unit: 'score',
  ranking: 'unless_graded_by_rules',
  report: { place: 4, parts: ['board', 'pairs', 'hops'] },
} as const satisfies Metric
