/** Sets what a passage counts after one of the same document, where that is a repetition. */
const REPEATED = 0.7

/**
 * Returns what a passage counts after another one of its document, 0.7 to 1. That it repeats the other is likely to the share of different documents among as many
 * passages drawn at random from the collection: nearly 1 where documents are many; in a few long ones passages meet by chance, and what is asked is a
 * passage. A passage is in the middle of its document on average, which gives the length of documents, and so their number. `places`: how many passages
 * are before each in its document, where known.
 */
export function shareOfRepeated(places: readonly number[], passages: number, inCollection: number | undefined): number {
  if (inCollection === undefined || places.length === 0) return REPEATED
  const lengthOfDocument = 1 + (2 * places.reduce((sum, place) => sum + place, 0)) / places.length
  const documents = Math.max(1, inCollection / lengthOfDocument)
  return REPEATED ** ((documents * (1 - (1 - 1 / documents) ** passages)) / passages)
}

/** Items, best first, with each further one of a document at its share: one document does not take all places. */
export function spread<Item extends { score: number }>(
  items: readonly Item[],
  documentOf: (item: Item) => string,
  share: number,
): Item[] {
  const taken = new Map<string, number>()
  return items
    .map((item) => {
      const before = taken.get(documentOf(item)) ?? 0
      taken.set(documentOf(item), before + 1)
      return { ...item, score: item.score * share ** before }
    })
    .sort((left, right) => right.score - left.score)
}
