import type { PositionEffect } from '../../contract/index.ts'
import { type ClusterStatistic, estimateStatistic, total } from './estimate.ts'
import type { IntervalOptions } from './options.ts'
import {
  byAnswer,
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
 * Linear effect of the place on one judge's score. Where rotations show the same answer in several places, the slope is taken within
 * answers (fixed effect of question × approach), so that no quality can leak into it. Without rotations it is taken among the answers to
 * one question with the level of each approach removed (fixed effects of question and approach): unbiased as long as the order was random.
 */
export function positionEffect(scores: readonly PlacedScore[], options: IntervalOptions): PositionEffect {
  const within = slopeStatistic(scores, [byAnswer])
  const isRotated = within.weights.some((weight) => weight > 0)
  const statistic = isRotated ? within : slopeStatistic(scores, [byQuestion, byApproach])
  const slope = estimateStatistic(statistic, 'position', options)
  const basis = slope.value === null ? 'none' : isRotated ? 'within_answer' : 'within_question'
  return { basis, slope }
}

/** Σ x̃ỹ / Σ x̃² of residuals, as two sums per cluster; a cluster weighs as much as its places vary. */
function slopeStatistic(scores: readonly PlacedScore[], effects: readonly [Grouping, ...Grouping[]]): ClusterStatistic {
  const groupings = effects.map((effect) => scores.map(effect))
  const x = withoutGroupMeans(
    Float64Array.from(scores, ({ position }) => position),
    groupings,
  )
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
