import type { Fusion } from './vector-store.ts'

/** An object as one leg of a search found it; a leg lists its objects best first. */
export interface LegHit {
  id: number
  score: number
}

export interface FusedHit {
  id: number
  score: number
  denseScore: number | null
  keywordScore: number | null
}

/** Fused scores closer than this count as equal. */
const TIE = 1e-7
/** Constant of reciprocal rank fusion: score 1 / (rank + 60), ranks from zero. */
const RANK_OFFSET = 60

/**
 * One ranking out of a dense and a keyword leg, best first: alpha weighs the dense leg, 1 − alpha the keyword leg, and a leg that
 * did not find an object adds nothing. relative_score: each leg min–max scaled to 0..1. ranked: reciprocal ranks.
 * Ties break by the raw score (the dense one where there is one), then by id.
 */
export function fuseLegs(
  dense: readonly LegHit[],
  keyword: readonly LegHit[],
  alpha: number,
  fusion: Fusion,
): FusedHit[] {
  const fused = new Map<number, FusedHit>()
  const add = (leg: readonly LegHit[], weight: number, field: 'denseScore' | 'keywordScore'): void => {
    const shares = fusion === 'ranked' ? leg.map((_, rank) => 1 / (rank + RANK_OFFSET)) : relativeScores(leg)
    leg.forEach(({ id, score }, index) => {
      const hit = fused.get(id) ?? { id, score: 0, denseScore: null, keywordScore: null }
      hit.score += weight * shares[index]!
      hit[field] = score
      fused.set(id, hit)
    })
  }
  add(dense, alpha, 'denseScore')
  add(keyword, 1 - alpha, 'keywordScore')
  return orderByScore([...fused.values()])
}

/** Min–max scaling to 0..1; a leg whose scores are all equal (also a single hit) is all ones: it keeps its full weight. */
export function relativeScores(leg: readonly LegHit[]): number[] {
  let lowest = Infinity
  let highest = -Infinity
  for (const { score } of leg) {
    lowest = Math.min(lowest, score)
    highest = Math.max(highest, score)
  }
  const range = highest - lowest
  return leg.map(({ score }) => (range === 0 ? 1 : (score - lowest) / range))
}

function orderByScore(hits: FusedHit[]): FusedHit[] {
  hits.sort((left, right) => right.score - left.score)
  // "Nearly equal" is not transitive, so it cannot be a comparator: runs of near neighbours are ordered one by one.
  const ordered: FusedHit[] = []
  for (let start = 0; start < hits.length;) {
    let end = start + 1
    while (end < hits.length && hits[end - 1]!.score - hits[end]!.score < TIE) end += 1
    ordered.push(
      ...hits.slice(start, end).sort((left, right) => rawScore(right) - rawScore(left) || left.id - right.id),
    )
    start = end
  }
  return ordered
}

const rawScore = (hit: FusedHit): number => hit.denseScore ?? hit.keywordScore ?? 0
