import type { Metric } from './metric.ts'

export const abstention = {
  id: 'abstention',
  label: 'abstention',
  definition:
    '1 when an answer to an unanswerable question states that it cannot answer and claims nothing besides, else 0',
  class: 'answer',
  better: 'higher',
  range: [0, 1],
  needs: ['unanswerable_question'],
  unit: 'score',
  ranking: 'always',
  score: ({ refused }) => (refused ? 1 : 0),
} as const satisfies Metric
