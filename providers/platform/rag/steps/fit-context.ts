import { isTooLong } from '../../models/model-host.ts'

/** Asks a model with all items in their order; with the first half of them, and half of that, where they are too long for it. */
export async function askWithThoseThatFit<Item, Result>(
  items: readonly Item[],
  ask: (items: readonly Item[]) => Promise<Result>,
): Promise<Result> {
  try {
    return await ask(items)
  } catch (error) {
    if (!isTooLong(error) || items.length < 2) throw error
    return askWithThoseThatFit(items.slice(0, Math.ceil(items.length / 2)), ask)
  }
}
