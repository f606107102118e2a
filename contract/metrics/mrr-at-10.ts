import type { Metric } from './metric.ts'

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
} as const satisfies Metric
