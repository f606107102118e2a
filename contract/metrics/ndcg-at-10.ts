import type { Metric } from './metric.ts'
import { recallAt5 } from './recall-at-5.ts'

const CUTOFF = 10

/** The facts of one context, by their numbers. */
type Held = ReadonlySet<number>

/** A context's gain is the number of gold facts that it is the first to hold: repeating a fact earns nothing. */
function discountedGain(contexts: readonly Held[]): number {
  const seen = new Set<number>()
  return contexts.slice(0, CUTOFF).reduce((sum, facts, rank) => {
    const before = seen.size
    facts.forEach((fact) => seen.add(fact))
    return sum + (seen.size - before) / Math.log2(rank + 2)
  }, 0)
}

/** The context with the most new facts first, and again; a fact that no context holds gets a context of its own. */
function idealOrder(contexts: readonly Held[], facts: number): Held[] {
  const open = new Set(Array.from({ length: facts }, (_, fact) => fact))
  const order: Held[] = []
  while (open.size > 0 && order.length < CUTOFF) {
    let most = new Set([...open].slice(0, 1))
    for (const held of contexts) {
      const gained = new Set([...held].filter((fact) => open.has(fact)))
      if (gained.size > most.size) most = gained
    }
    order.push(most)
    most.forEach((fact) => open.delete(fact))
  }
  return order
}

/**
 * nDCG with novelty (Järvelin and Kekäläinen 2002; Clarke et al. 2008 with alpha 1), normalized by the best order of the contexts at hand, of
 * which one may hold several facts. A greedy order is not always the best: where the order at hand is better, that one is the ideal.
 */
function ndcg(ranks: readonly number[], contexts: readonly Held[]): number {
  const gained = discountedGain(contexts)
  return gained / Math.max(gained, discountedGain(idealOrder(contexts, ranks.length)))
}

export const ndcgAt10 = {
  id: 'ndcg_at_10',
  label: 'nDCG@10',
  definition:
    'how much gold evidence the first 10 contexts hold and how far up, relative to the best order of these contexts; 0 to 1, higher is better, no model is asked',
  class: 'retrieval',
  better: 'higher',
  range: [0, 1],
  needs: ['contexts', 'gold'],
  unit: 'score',
  ranking: { contexts: 10, instead: recallAt5.label },
  report: { place: 9, parts: [] },
  score: ndcg,
} as const satisfies Metric
