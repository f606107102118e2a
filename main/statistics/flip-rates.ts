import type { Estimate, FlipRates } from '../../contract/index.ts'
import { estimateStatistic } from './estimate.ts'
import type { IntervalOptions } from './options.ts'
import type { PlacedScore } from './placed-scores.ts'
import { numbered } from './residuals.ts'

/** One judge's best vote in one prompt; null where it gave none, which is compared with nothing. */
export interface BestVote {
  question: string
  cluster: string
  rotation: number
  best: string | null
}

/** A comparison of one thing in two rotations: did it come out otherwise? */
interface Repeat {
  cluster: string
  flipped: boolean
}

/** How often a judge contradicts itself under rotation: best votes that change, strict preferences between two answers that reverse. */
export function flipRates(
  votes: readonly BestVote[],
  scores: readonly PlacedScore[],
  options: IntervalOptions,
): FlipRates {
  return {
    best: flipRate(bestRepeats(votes), 'flip_best', options),
    order: flipRate(orderRepeats(scores), 'flip_order', options),
  }
}

function flipRate(repeats: readonly Repeat[], name: string, options: IntervalOptions): Estimate {
  const { indexes, size } = numbered(repeats.map(({ cluster }) => cluster))
  const flips = new Float64Array(size)
  const counts = new Float64Array(size)
  for (const [at, cluster] of indexes.entries()) {
    flips[cluster]! += repeats[at]!.flipped ? 1 : 0
    counts[cluster]! += 1
  }
  const of = ([flipped, compared]: Float64Array): number => flipped! / compared!
  return estimateStatistic(
    { method: 'bca', columns: [flips, counts], weights: counts, n: repeats.length, of },
    name,
    options,
  )
}

function bestRepeats(votes: readonly BestVote[]): Repeat[] {
  const given = votes.filter(({ best }) => best !== null)
  return [...Map.groupBy(given, ({ question }) => question).values()].flatMap((ofQuestion) =>
    pairsOf(ofQuestion).map(([one, other]) => ({ cluster: one.cluster, flipped: one.best !== other.best })),
  )
}

function orderRepeats(scores: readonly PlacedScore[]): Repeat[] {
  return [...Map.groupBy(scores, ({ question }) => question).values()].flatMap((ofQuestion) => {
    const prompts = [...Map.groupBy(ofQuestion, ({ rotation }) => rotation).values()].map(
      (prompt) => new Map(prompt.map(({ approach, score }) => [approach, score])),
    )
    const approaches = [...new Set(ofQuestion.map(({ approach }) => approach))]
    return pairsOf(prompts).flatMap(([one, other]) =>
      pairsOf(approaches).flatMap(([a, b]) => {
        // A missing score makes the sign NaN, which is neither strict nor 0.
        const before = Math.sign((one.get(a) ?? NaN) - (one.get(b) ?? NaN))
        const after = Math.sign((other.get(a) ?? NaN) - (other.get(b) ?? NaN))
        const isStrict = Math.abs(before * after) === 1
        return isStrict ? [{ cluster: ofQuestion[0]!.cluster, flipped: before !== after }] : []
      }),
    )
  })
}

const pairsOf = <Item>(items: readonly Item[]): [Item, Item][] =>
  items.flatMap((one, at) => items.slice(at + 1).map((other): [Item, Item] => [one, other]))
