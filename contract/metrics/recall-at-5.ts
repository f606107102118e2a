import type { Metric } from './metric.ts'

export const recallAt5 = {
  id: 'recall_at_5',
  label: 'recall@5',
  definition: 'share of the gold evidence that the first 5 contexts hold; 0 to 1, higher is better, no model is asked',
  class: 'retrieval',
  better: 'higher',
  range: [0, 1],
  needs: ['contexts', 'gold'],
  unit: 'score',
  ranking: 'always',
  report: { place: 6, parts: ['board', 'pairs', 'hops', 'terminal'] },
  score: (ranks) => ranks.filter((rank) => rank < 5).length / ranks.length,
} as const satisfies Metric
