import type { Metric } from './metric.ts'
import { recallAt5 } from './recall-at-5.ts'

/** Contexts that count: with more, an approach that returns more of them could only gain. */
const DEPTH = 10

/**
 * Mean over the gold facts of the precision at the rank of the first context that holds each (trec_eval's `map`, with facts in the place of
 * documents); a fact that no context holds adds nothing.
 */
function averagePrecision(ranks: readonly number[], contexts: readonly ReadonlySet<number>[]): number {
  const holding = (depth: number): number => contexts.slice(0, depth).filter(({ size }) => size > 0).length
  const found = ranks.filter((rank) => rank < DEPTH)
  return found.reduce((sum, rank) => sum + holding(rank + 1) / (rank + 1), 0) / ranks.length
}

export const averagePrecisionAt10 = {
  id: 'average_precision',
  label: 'MAP@10',
  definition:
    'mean over the gold facts of the precision at the rank of the first context that holds each, in the first 10; 0 to 1, higher is better, no model is asked',
  class: 'retrieval',
  better: 'higher',
  range: [0, 1],
  needs: ['contexts', 'gold'],
  unit: 'score',
  ranking: { contexts: DEPTH, instead: recallAt5.label },
  score: averagePrecision,
  stored: () => undefined,
} as const satisfies Metric
