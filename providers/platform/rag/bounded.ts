import { createPauses } from '../stores/graph-engine/sliced-work.ts'

/**
 * Maps items with at most `limit` calls under way; results in the order of the items. After the first failure nothing new starts, what
 * is under way finishes, then that failure is thrown. Other requests get their turn between items whose work never waits.
 */
export async function mapBounded<Item, Result>(
  items: readonly Item[],
  limit: number,
  work: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const failures: unknown[] = []
  const pause = createPauses()
  let next = 0
  const worker = async () => {
    while (next < items.length && failures.length === 0) {
      const index = next++
      await pause()
      try {
        results[index] = await work(items[index]!, index)
      } catch (error) {
        failures.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker))
  if (failures.length > 0) throw failures[0]
  return results
}
