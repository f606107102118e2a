import { setImmediate as nextTurn } from 'node:timers/promises'

/** Longest stretch of work before other requests get their turn. */
const TURN_MS = 20

/** Maps items by synchronous work, giving way to other requests in between. */
export async function inTurns<Item, Result>(
  items: readonly Item[],
  work: (item: Item, index: number) => Result,
): Promise<Result[]> {
  const results: Result[] = []
  let turnStarted = performance.now()
  for (const [index, item] of items.entries()) {
    results.push(work(item, index))
    if (performance.now() - turnStarted < TURN_MS) continue
    await nextTurn()
    turnStarted = performance.now()
  }
  return results
}
