import type { Metric } from './metric.ts'

export const ndcgAt10 = {
  id: 'ndcg_at_10',
  label: 'nDCG@10',
  definition:
    'how much gold evidence the first 10 contexts hold and how far up, relative to one piece of it per rank; 0 to 1, higher is better, no model is asked',
  class: 'retrieval',
  better: 'higher',
  range: [0, 1],
  needs: ['contexts', 'gold'],
  unit: 'score',
} as const satisfies Metric
