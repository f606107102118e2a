import type { Metric } from './metric.ts'
import { recallAt5 } from './recall-at-5.ts'

const CUTOFF = 5

export const precisionAt5 = {
  id: 'precision_at_5',
  label: 'precision@5',
  definition:
    'share of 5 places whose contexts hold gold evidence, where an empty place holds none; 0 to 1, higher is better, no model is asked',
  class: 'retrieval',
  better: 'higher',
  range: [0, 1],
  needs: ['contexts', 'gold'],
  unit: 'score',
  ranking: { contexts: CUTOFF, instead: recallAt5.label },
  score: (_, contexts) => contexts.slice(0, CUTOFF).filter(({ size }) => size > 0).length / CUTOFF,
  stored: () => undefined,
} as const satisfies Metric
