import { fillBits, streamState } from '../random.ts'

/** Differences of one trial from the default, a sum per cluster; the clusters of all trials are the same, in the same order. */
export type ClusterSums = Float64Array

/** 2,000: a p-value of .05 then has a standard error of .005. */
const FLIPS = 2000

/**
 * One-sided p-value of "not better than the default" for each trial, corrected over all of them: how often the largest of all trials' statistics would be at least as
 * large as this trial's, were the signs of the clusters random (single-step maxT; Westfall and Young 1993, Resampling-Based Multiple Testing, §2.6). All trials share the
 * signs, so trials that answer alike cost little. The statistic is Σd / √Σd², which the signs leave its denominator. A trial without any difference has 1.
 */
export function correctedTrials(trials: readonly ClusterSums[], seed: string, flips = FLIPS): number[] {
  const moving = trials.map((sums) => Math.sqrt(sums.reduce((sum, value) => sum + value * value, 0)))
  const scaled = trials.map((sums, at) => sums.map((value) => (moving[at] === 0 ? 0 : value / moving[at]!)))
  const observed = scaled.map((sums) => sums.reduce((sum, value) => sum + value, 0))
  const clusters = trials[0]?.length ?? 0
  const state = streamState(`${seed}/signs`)
  const bits = new Uint32Array(Math.ceil(clusters / 32))
  const signs = new Float64Array(clusters)
  const reached = new Float64Array(trials.length)
  for (let flip = 0; flip < flips; flip += 1) {
    fillBits(state, bits)
    for (let cluster = 0; cluster < clusters; cluster += 1)
      signs[cluster] = ((bits[cluster >> 5]! >>> (cluster & 31)) & 1) === 0 ? 1 : -1
    let largest = -Infinity
    for (const sums of scaled) {
      let sum = 0
      for (let cluster = 0; cluster < clusters; cluster += 1) sum += signs[cluster]! * sums[cluster]!
      if (sum > largest) largest = sum
    }
    for (let trial = 0; trial < trials.length; trial += 1) if (largest >= observed[trial]! - 1e-12) reached[trial]! += 1
  }
  // The signs as they are, are one of the possible patterns.
  return observed.map((_, trial) => (moving[trial] === 0 ? 1 : (reached[trial]! + 1) / (flips + 1)))
}
