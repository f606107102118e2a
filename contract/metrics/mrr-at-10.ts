import type { Metric } from './metric.ts'
import { recallAt5 } from './recall-at-5.ts'

export const mrrAt10 = {
  id: 'mrr_at_10',
  label: 'MRR@10',
  definition:
    '1 divided by the rank of the first context that holds gold evidence, 0 when none of the first 10 does; no model is asked',
  class: 'retrieval',
  better: 'higher',
  range: [0, 1],
  needs: ['contexts', 'gold'],
  unit: 'score',
  ranking: { contexts: 10, instead: recallAt5.label },
  score: (ranks) => {
    const first = Math.min(...ranks)
    return first < 10 ? 1 / (first + 1) : 0
  },
} as const satisfies Metric
