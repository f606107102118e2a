import type { Metric } from './metric.ts'
import { recallAt5 } from './recall-at-5.ts'

const CUTOFF = 10

/**
 * A context's gain is the number of gold facts that it is the first to hold, so that repeating one fact earns nothing (Järvelin and Kekäläinen
 * 2002). The ideal list holds one gold fact per rank; a context that holds several can exceed it, so the ratio is capped.
 */
function ndcg(ranks: readonly number[]): number {
  const sumOver = (gains: readonly number[]): number =>
    gains.reduce((sum, gain, rank) => sum + gain / Math.log2(rank + 2), 0)
  const gains = Array.from({ length: CUTOFF }, (_, rank) => ranks.filter((other) => other === rank).length)
  return Math.min(1, sumOver(gains) / sumOver(ranks.slice(0, CUTOFF).map(() => 1)))
}

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
  ranking: { contexts: 10, instead: recallAt5.label },
  report: { place: 8, parts: [] },
  score: ndcg,
} as const satisfies Metric
