import type { Passage } from '../approach.ts'

/** Of Cormack, Clarke and Büttcher 2009: how much the first ranks count more than those after them. */
const RANK_CONSTANT = 60

/** Ranked lists as one by reciprocal ranks, Σ 1/(60 + rank) with ranks from 1; of equal sums, the passage of the earlier list and rank comes first. */
export function fuseRanks(lists: readonly (readonly Passage[])[]): Passage[] {
  const sums = new Map<string, Passage>()
  for (const list of lists)
    for (const [index, { chunk }] of list.entries()) {
      const key = JSON.stringify([chunk.document, chunk.chunkIndex])
      const share = 1 / (RANK_CONSTANT + index + 1)
      sums.set(key, { chunk, score: (sums.get(key)?.score ?? 0) + share })
    }
  return [...sums.values()].sort((left, right) => right.score - left.score)
}
