import type { Estimate, FlipRates, LengthCorrelation, PositionEffect } from '../../../contract/evidence/statistics.ts'
import { type ClusterStatistic, estimateStatistic, numbered, total } from '../estimate.ts'
import type { IntervalOptions } from '../options.ts'

// A judge's scores depend on more than the answers: their position in the prompt, their length, and the judge's own inconsistency.
//
// Each figure is a statistic of sums per cluster, so that `estimateStatistic` can resample clusters. Effects of position and length are
// taken from residuals: what is left of scores, positions and lengths when the levels of questions, approaches or answers are taken out.

/** One judge's score for one answer in one prompt. */
export interface PlacedScore {
  question: string
  /** Questions of one cluster are resampled together. */
  cluster: string
  approach: string
  /** Which ordering of the answers this prompt had. */
  rotation: number
  /** Position in the prompt: 1 is first. */
  position: number
  score: number
  /** Characters of the answer as the judge saw it; at least 0. */
  length: number
}

/** A property of a score that groups it with others. */
type Grouping = (score: PlacedScore) => string

const byQuestion: Grouping = ({ question }) => question
const byApproach: Grouping = ({ approach }) => approach
const byAnswer: Grouping = ({ question, approach }) => `${question}\n${approach}`

/** For each function of a score's index, its sum in every cluster. */
function clusterSums(scores: readonly PlacedScore[], values: readonly ((at: number) => number)[]): Float64Array[] {
  const { indexes, size } = numbered(scores.map(({ cluster }) => cluster))
  return values.map((valueOf) => {
    const sums = new Float64Array(size)
    for (const [at, cluster] of indexes.entries()) sums[cluster]! += valueOf(at)
    return sums
  })
}

/** Returns how many scores each cluster has in those groups in which at least one score is informative. */
function informativeCounts(
  scores: readonly PlacedScore[],
  grouping: Grouping,
  isInformative: (at: number) => boolean,
): Float64Array {
  const groups = scores.map(grouping)
  const informative = new Set(groups.filter((_, at) => isInformative(at)))
  return clusterSums(scores, [(at) => (informative.has(groups[at]!) ? 1 : 0)])[0]!
}

/**
 * √(df before / df after) for fixed effects beyond the first grouping: they are estimated from the whole sample, and resampling residuals does
 * not see what they took. The first grouping lies within clusters, where resampling sees it.
 */
function effectInflation(scores: readonly PlacedScore[], effects: readonly Grouping[]): number {
  const [first, ...others] = effects.map((effect) => new Set(scores.map(effect)).size)
  const before = scores.length - (first ?? 0)
  const after = others.reduce((df, groups) => df - (groups - 1), before)
  return after > 0 ? Math.sqrt(before / after) : 1
}

/**
 * Linear effect of the position on one judge's score, and what the first and the last position get beyond the others. Where rotations show the same answer in several positions, the slope is taken within
 * answers (fixed effect of question × approach), so that no quality can leak into it. Without rotations it is taken among the answers to
 * one question with the level of each approach removed (fixed effects of question and approach): unbiased as long as the order was random.
 */
export function positionEffect(scores: readonly PlacedScore[], options: IntervalOptions): PositionEffect {
  const groups = Map.groupBy(scores, ({ question, rotation }) => `${rotation} ${question}`)
  const lastOf = new Map(Array.from(groups, ([key, own]) => [key, Math.max(...own.map(({ position }) => position))]))
  const values: Readonly<Record<'position' | 'first' | 'last', PositionValue>> = {
    position: ({ position }) => position,
    first: ({ position }) => (position === 1 ? 1 : 0),
    last: ({ position, question, rotation }) => (position === lastOf.get(`${rotation} ${question}`) ? 1 : 0),
  }
  const within = slopeStatistic(scores, [byAnswer], values.position)
  const isRotated = within.weights.some((weight) => weight > 0)
  const effects = isRotated ? ([byAnswer] as const) : ([byQuestion, byApproach] as const)
  const estimate = (name: keyof typeof values): Estimate =>
    estimateStatistic(slopeStatistic(scores, effects, values[name]), name, options)
  const slope = estimate('position')
  const basis = slope.value === null ? 'none' : isRotated ? 'within_answer' : 'within_question'
  return { basis, slope, first: estimate('first'), last: estimate('last') }
}

/** The property of a position whose effect is estimated. */
type PositionValue = (score: PlacedScore) => number

/** Σ x̃ỹ / Σ x̃² of residuals, as two sums per cluster; a cluster weighs as much as its positions vary. */
function slopeStatistic(
  scores: readonly PlacedScore[],
  effects: readonly [Grouping, ...Grouping[]],
  positionOf: PositionValue,
): ClusterStatistic {
  const groupings = effects.map((effect) => scores.map(effect))
  const x = withoutGroupMeans(Float64Array.from(scores, positionOf), groupings)
  const y = withoutGroupMeans(
    Float64Array.from(scores, ({ score }) => score),
    groupings,
  )
  const [xy, xx] = clusterSums(scores, [(at) => x[at]! * y[at]!, (at) => x[at]! ** 2]) as [Float64Array, Float64Array]
  const least = 1e-9 * total(xx)
  return {
    method: 'percentile',
    inflation: effectInflation(scores, effects),
    columns: [xy, xx],
    weights: xx,
    n: total(informativeCounts(scores, effects[0], (at) => x[at] !== 0)),
    of: ([products, squares]) => (squares! > least ? products! / squares! : NaN),
  }
}

/**
 * Correlation of score and ln(1 + length) among the answers to one question, with the position in the prompt partialled out (fixed effects as above,
 * then the linear effect of the position). `within_approach` removes each approach's level too: an approach that writes long and good answers
 * makes the first figure positive, not the second. Correlation, not proof of a preference.
 */
export function lengthCorrelation(scores: readonly PlacedScore[], options: IntervalOptions): LengthCorrelation {
  const correlation = (effects: readonly [Grouping, ...Grouping[]], name: string): Estimate =>
    estimateStatistic(correlationStatistic(scores, effects), name, options)
  return {
    within_question: correlation([byQuestion], 'length_in_question'),
    within_approach: correlation([byQuestion, byApproach], 'length_in_approach'),
  }
}

function correlationStatistic(
  scores: readonly PlacedScore[],
  effects: readonly [Grouping, ...Grouping[]],
): ClusterStatistic {
  const groupings = effects.map((effect) => scores.map(effect))
  const residual = (valueOf: (score: PlacedScore) => number): Float64Array =>
    withoutGroupMeans(Float64Array.from(scores, valueOf), groupings)
  const position = residual((score) => score.position)
  const x = withoutLine(
    residual(({ length }) => Math.log1p(length)),
    position,
  )
  const y = withoutLine(
    residual(({ score }) => score),
    position,
  )
  const columns = clusterSums(scores, [(at) => x[at]! * y[at]!, (at) => x[at]! ** 2, (at) => y[at]! ** 2])
  const counted = informativeCounts(scores, effects[0], (at) => x[at] !== 0 || y[at] !== 0)
  return {
    method: 'percentile',
    inflation: effectInflation(scores, effects),
    columns,
    weights: counted,
    n: total(counted),
    of: ([xy, xx, yy]) => (xx! > 1e-12 && yy! > 1e-12 ? xy! / Math.sqrt(xx! * yy!) : NaN),
  }
}

/** Residuals of the line through the origin: both sides have no group means left. */
function withoutLine(values: Float64Array, along: Float64Array): Float64Array {
  let products = 0
  let squares = 0
  for (let at = 0; at < values.length; at += 1) {
    products += values[at]! * along[at]!
    squares += along[at]! ** 2
  }
  return squares === 0 ? values : values.map((value, at) => value - (products / squares) * along[at]!)
}

/** One judge's best vote in one prompt; null where it gave none, which is compared with nothing. */
export interface BestVote {
  question: string
  cluster: string
  rotation: number
  best: string | null
}

/** One comparison made in two rotations, and whether its outcome differed. */
interface Repeat {
  cluster: string
  flipped: boolean
}

/** Returns how often a judge contradicts itself under rotation: best votes that change, strict preferences between two answers that reverse. */
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

/** Sweeps stop when no group mean is further from 0 than this share of the values' size, or after as many. */
const TOLERANCE = 1e-12
const MOST_SWEEPS = 1000

/**
 * Returns what is left of the values when the mean of every group in every grouping is taken out: the residuals of a regression on fixed
 * effects, by alternating projections (Halperin 1962; Guimarães and Portugal 2010, Stata Journal 10).
 */
function withoutGroupMeans(values: Float64Array, groupings: readonly (readonly string[])[]): Float64Array {
  const residuals = Float64Array.from(values)
  const size = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
  const groups = groupings.map(numbered)
  const sweeps = groupings.length === 1 ? 1 : MOST_SWEEPS
  for (let sweep = 0; sweep < sweeps; sweep += 1) {
    const largest = Math.max(...groups.map(({ indexes, size: count }) => centre(residuals, indexes, count)))
    if (largest <= TOLERANCE * size) break
  }
  // Rounding leaves tiny values where everything is explained; later sums must see zero.
  return residuals.map((residual) => (Math.abs(residual) <= 1e-9 * size ? 0 : residual))
}

/** Takes the mean out of each group and gives the largest one found. */
function centre(values: Float64Array, indexes: Int32Array, count: number): number {
  const sums = new Float64Array(count)
  const counts = new Float64Array(count)
  for (const [at, group] of indexes.entries()) {
    sums[group]! += values[at]!
    counts[group]! += 1
  }
  const means = sums.map((sum, group) => sum / counts[group]!)
  for (const [at, group] of indexes.entries()) values[at]! -= means[group]!
  return means.reduce((most, mean) => Math.max(most, Math.abs(mean)), 0)
}
