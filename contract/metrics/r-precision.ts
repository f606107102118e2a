import type { Metric } from './metric.ts'

export const rPrecision = {
  id: 'r_precision',
  label: 'R-precision',
  definition:
    'share of the gold facts in as many first contexts as there are gold facts; 0 to 1, higher is better, no model is asked',
  class: 'retrieval',
  better: 'higher',
  range: [0, 1],
  needs: ['contexts', 'gold'],
  unit: 'score',
  ranking: 'always',
  score: (ranks) => ranks.filter((rank) => rank < ranks.length).length / ranks.length,
  stored: () => undefined,
} as const satisfies Metric
