import { createHash } from 'node:crypto'

// Seeded samples that do not depend on the order of the source: a candidate's place is the hash of seed and key.

export interface Candidate {
  key: string
  /** Kinds keep their share of the whole. */
  stratum: string
}

const placeOf = (key: string, seed: number): string =>
  createHash('sha256').update(`${seed}\0${key}`).digest('hex').slice(0, 16)

/** The first by the seed; there must be one. */
export const firstOf = <Item>(items: readonly Item[], keyOf: (item: Item) => string, seed: number): Item =>
  items.toSorted((one, other) => (placeOf(keyOf(one), seed) < placeOf(keyOf(other), seed) ? -1 : 1))[0]!

/** Keys of a stratified sample of `size`, or of all: each stratum gets its share, the largest remainders the rest. */
export function sampleOf(candidates: readonly Candidate[], size: number, seed: number): Set<string> {
  if (size >= candidates.length) return new Set(candidates.map(({ key }) => key))
  const strata = [...Map.groupBy(candidates, ({ stratum }) => stratum)]
    .map(([name, members]) => {
      const share = (size * members.length) / candidates.length
      return { name, members, count: Math.floor(share), rest: share - Math.floor(share) }
    })
    .toSorted((one, other) => other.rest - one.rest || (one.name < other.name ? -1 : 1))
  let left = size - strata.reduce((sum, { count }) => sum + count, 0)
  for (const stratum of strata) {
    if (left === 0) break
    stratum.count += 1
    left -= 1
  }
  return new Set(
    strata.flatMap(({ members, count }) =>
      members
        .map(({ key }) => ({ key, place: placeOf(key, seed) }))
        .toSorted((one, other) => (one.place < other.place ? -1 : 1))
        .slice(0, count)
        .map(({ key }) => key),
    ),
  )
}
