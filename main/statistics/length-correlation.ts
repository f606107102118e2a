import type { Estimate, LengthCorrelation } from '../../contract/index.ts'
import { type ClusterStatistic, estimateStatistic, total } from './estimate.ts'
import type { IntervalOptions } from './options.ts'
import {
  byApproach,
  byQuestion,
  clusterSums,
  effectInflation,
  type Grouping,
  informativeCounts,
  type PlacedScore,
} from './placed-scores.ts'
import { withoutGroupMeans } from './residuals.ts'

/**
 * Correlation of score and ln(1 + length) among the answers to one question, with the place in the prompt partialled out (fixed effects as above,
 * then the linear effect of the place). `within_approach` removes each approach's level too: an approach that writes long and good answers
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
