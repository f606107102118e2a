import { streamState, fillBits, scaledBits } from '../random.ts'

export type Side = 'development' | 'holdout'

/** The questions of each side, in the order given. */
export interface QuestionSplit {
  development: string[]
  holdout: string[]
}

interface SplitOptions {
  /** Names the random order of the clusters. */
  seed: string
  /** Share of the questions that are held out, above 0 and below 1. */
  share: number
  /** Sides that are recorded already: they never change, and a cluster with such a question follows it. */
  known?: ReadonlyMap<string, Side>
}

/**
 * Divides questions into development and a holdout, whole clusters at a time, because questions about one document succeed and fail together: a setting that was chosen
 * on one of them has seen the others. Clusters come in a random order that the seed names, and each goes to the side that lacks most of its share. Deterministic.
 */
export function splitQuestions(
  questions: readonly { id: string; cluster: string }[],
  { seed, share, known = new Map() }: SplitOptions,
): QuestionSplit {
  const sides = new Map<string, Side>()
  const counts = { development: 0, holdout: 0 }
  const put = (id: string, side: Side): void => {
    sides.set(id, side)
    counts[side] += 1
  }
  const clusters = [...Map.groupBy(questions, ({ cluster }) => cluster).values()]
  const open: string[][] = []
  for (const members of clusters) {
    const ids = members.map(({ id }) => id)
    const recorded = ids.flatMap((id) => known.get(id) ?? [])
    // A holdout that has seen development once proves nothing, so a cluster with both is development from now on.
    const side = recorded.includes('development') ? 'development' : recorded[0]
    if (side === undefined) open.push(ids)
    else for (const id of ids) put(id, known.get(id) ?? side)
  }
  for (const ids of shuffled(open, seed)) {
    const lacking = share * (counts.development + counts.holdout + ids.length) - counts.holdout
    const side = lacking >= ids.length / 2 ? 'holdout' : 'development'
    for (const id of ids) put(id, side)
  }
  const of = (side: Side): string[] => questions.flatMap(({ id }) => (sides.get(id) === side ? [id] : []))
  return { development: of('development'), holdout: of('holdout') }
}

/** A random order (Fisher and Yates 1938) that the seed names. */
export function shuffled<Item>(items: readonly Item[], seed: string): Item[] {
  const order = [...items]
  const bits = new Uint32Array(order.length)
  fillBits(streamState(seed), bits)
  for (let last = order.length - 1; last > 0; last -= 1) {
    const other = scaledBits(bits[last]!, last + 1)
    ;[order[last], order[other]] = [order[other]!, order[last]!]
  }
  return order
}
