import type { Metric } from './metric.ts'

export const hitAt5 = {
  id: 'hit_at_5',
  label: 'hit@5',
  definition: '1 when the first 5 contexts hold any gold evidence, else 0; no model is asked',
  class: 'retrieval',
  better: 'higher',
  range: [0, 1],
  needs: ['contexts', 'gold'],
  unit: 'score',
  ranking: 'always',
  score: (ranks) => (ranks.some((rank) => rank < 5) ? 1 : 0),
} as const satisfies Metric
