/**
 * Results in the order of their items, of which at most `limit` are worked on at once. The first failure ends it, after everything under way has
 * settled: no work continues after the generator has ended.
 */
export async function* inOrder<Item, Result>(
  items: Iterable<Item> | AsyncIterable<Item>,
  limit: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const underWay: Promise<Result>[] = []
  try {
    for await (const item of items) {
      const result = work(item)
      // A failure is thrown when its turn comes.
      result.catch(() => undefined)
      underWay.push(result)
      if (underWay.length >= limit) yield await underWay.shift()!
    }
    while (underWay.length > 0) yield await underWay.shift()!
  } finally {
    await Promise.allSettled(underWay)
  }
}
