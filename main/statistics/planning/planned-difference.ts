import { testDifferences } from '../compare-large.ts'
import { POWER } from '../pair-decision.ts'
import { fillBits, streamState } from '../random.ts'

/** Describes what a plan simulates: the clusters of the questions that the metric can score. */
export interface PlannedDesign {
  /** Cluster of each scored question. */
  clusters: readonly string[]
  cutPerKept: number
  /** Standard deviation of a question's difference between two approaches, as a share of the scale. */
  spread: number
  /** Pairs that are compared at the same time, at Holm's strictest step. */
  pairs: number
}

const LEVEL = 0.95
/** Simulated scores in a plan, of 1,000 experiments at most and 100 at least: under a second. */
const [MOST_SCORES, MOST_EXPERIMENTS, LEAST_EXPERIMENTS] = [100_000, 1000, 100]
/** The power of a plan is known to 1 to 2 %, so a finer difference would be noise. */
const STEPS = 9

const planned = new Map<string, number | null>()
const MOST_PLANS = 200

/**
 * Smallest true difference that the test of the verdict decides with 80 % power, by simulation (Landau and Stahl 2013, Statistical Methods in Medical
 * Research 22:324-345): normal differences over the set's own clusters, the same noise for every difference that is tried. Null where even the whole
 * scale is not decided, as with fewer clusters than an interval needs. The seed is fixed, so that equal plans are equal.
 */
export function plannedDifference(design: PlannedDesign): number | null {
  const { clusters, cutPerKept, spread, pairs } = design
  const names = new Map(Array.from(new Set(clusters), (name, index) => [name, index]))
  const indexes = Int32Array.from(clusters, (name) => names.get(name)!)
  const key = `${indexes.join()} ${cutPerKept} ${spread} ${pairs}`
  const known = planned.get(key)
  if (known !== undefined) return known
  const random = noise('plan')
  const count = Math.max(LEAST_EXPERIMENTS, Math.min(MOST_EXPERIMENTS, Math.floor(MOST_SCORES / clusters.length)))
  const experiments = Array.from({ length: count }, () => Float64Array.from(indexes, () => spread * random()))
  const isDecided = (values: Float64Array): boolean => {
    const p = testDifferences(indexes, values, { range: [0, 1], cutPerKept, level: LEVEL })
    return p !== null && p <= (1 - LEVEL) / pairs
  }
  const isEnough = (size: number): boolean => {
    let decided = 0
    for (const [at, values] of experiments.entries()) {
      if (isDecided(values.map((value) => size + value))) decided += 1
      else if (at + 1 - decided > (1 - POWER) * count) return false
    }
    return true
  }
  const found = isEnough(1) ? smallestIn(isEnough) : null
  if (planned.size >= MOST_PLANS) planned.clear()
  planned.set(key, found)
  return found
}

/** Halves the range in which the answer changes. */
function smallestIn(isEnough: (size: number) => boolean): number {
  let [low, high] = [0, 1]
  for (let step = 0; step < STEPS; step += 1) {
    const middle = (low + high) / 2
    if (isEnough(middle)) high = middle
    else low = middle
  }
  return high
}

/** Nearly normal numbers of variance 1: sums of twelve uniform ones, the same on every platform. */
function noise(seed: string): () => number {
  const state = streamState(seed)
  const bits = new Uint32Array(6)
  return () => {
    fillBits(state, bits)
    let sum = -6
    for (const word of bits) sum += ((word & 0xffff) + (word >>> 16) + 1) / 0x1_0000
    return sum
  }
}
