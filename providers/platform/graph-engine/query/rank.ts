/** Something chosen for the context, with the score of the step that ordered it. */
export interface Ranked<Item> {
  item: Item
  score: number
}

/** Items by score, best first, equal ones in their former order. */
export function ranked<Item>(items: readonly Item[], score: (item: Item) => number): Ranked<Item>[] {
  return items.map((item) => ({ item, score: score(item) })).sort((a, b) => b.score - a.score)
}

/** Takes from each list in turn, leaving out what was taken before. */
export function roundRobin<Item>(lists: readonly (readonly Ranked<Item>[])[]): Ranked<Item>[] {
  const taken = new Set<Item>()
  const merged: Ranked<Item>[] = []
  const longest = Math.max(0, ...lists.map(({ length }) => length))
  for (let place = 0; place < longest; place += 1) {
    for (const list of lists) {
      const next = list[place]
      if (next === undefined || taken.has(next.item)) continue
      taken.add(next.item)
      merged.push(next)
    }
  }
  return merged
}

/** Scores scaled so that the highest is 1; as they are when none is above zero. */
export function scaled(scores: ArrayLike<number>): Float64Array {
  const values = Float64Array.from(scores)
  const top = values.reduce((most, value) => Math.max(most, value), 0)
  return top > 0 ? values.map((value) => value / top) : values
}
