import type { Metric } from './metric.ts'

export const answerRelevancy = {
  id: 'answer_relevancy',
  label: 'answer relevancy',
  definition: 'how closely an answer addresses its question, graded by the evaluator; 0 to 1, higher is better',
  class: 'ragas',
  better: 'higher',
  range: [0, 1],
  needs: [],
  unit: 'score',
  shortLabel: 'relevancy',
  ranking: 'unless_graded_by_rules',
  report: { place: 5, parts: ['board', 'hops'] },
} as const satisfies Metric
