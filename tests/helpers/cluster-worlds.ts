import { loadExperiment } from '../../main/manifests/experiment.ts'
import { clusterQuestions } from '../../main/statistics/clusters.ts'
import { comparePairs } from '../../main/statistics/compare-pairs.ts'
import { normalCdf } from '../../main/statistics/distributions.ts'
import { PROJECT_ROOT } from './project-root.ts'
import { randomInterceptValue } from './random-intercept.ts'
import { type RandomStream, seededRandom } from './seeded-random.ts'

/** Differences of two approaches with a known mean, over questions that depend on each other through gold documents. */
export interface ClusterWorld {
  name: string
  /** Documents of each question. */
  documents: readonly (readonly string[])[]
  /** Share of the variance that documents cause; 0 makes questions independent. */
  share: number
  /** normal: with the standard deviation that plans assume. ceiling: 9 of 10 differences are 0, the others 1 or −1. */
  kind: 'normal' | 'ceiling'
}

const SPREAD = 0.35

/** So many questions on each of the documents, one document each. */
const sized = (sizes: readonly number[]): string[][] =>
  sizes.flatMap((size, document) => Array.from({ length: size }, () => [String(document)]))

/** Two documents per question out of so many, in a fixed pattern. */
const shared = (questions: number, documents: number): string[][] =>
  Array.from({ length: questions }, (_, at) => [String(at % documents), String((at * 7 + 3) % documents)])

const STRUCTURES: readonly (readonly [name: string, documents: string[][]])[] = [
  ['96 questions, 12 equal clusters', sized(Array.from({ length: 12 }, () => 8))],
  ['96 questions, 48 equal clusters', sized(Array.from({ length: 48 }, () => 2))],
  ['60 questions, 9 unequal clusters', sized([10, 10, 9, 8, 8, 6, 4, 3, 2])],
  ['72 questions, 13 unequal clusters', sized([10, 10, 9, 8, 7, 6, 5, 5, 4, 3, 2, 2, 1])],
  ['96 questions, 56 shared documents', shared(96, 56)],
]

const RUNGS = ['baseline_curated', 'graph_native', 'cyber_threat_intel'] as const

/** The built-in levels with their own gold documents, and equal, unequal and shared clusters, near a ceiling too. */
export async function clusterWorlds(): Promise<ClusterWorld[]> {
  const { datasets } = await loadExperiment(PROJECT_ROOT)
  const rungs = RUNGS.map((id) => {
    const { questions } = datasets.find(({ dataset }) => dataset.id === id)!
    const documents = questions.map(({ gold }) => [...new Set(gold.map(({ document }) => document))])
    return [id, documents.filter((names) => names.length > 0)] as const
  })
  const all = [...rungs, ...STRUCTURES]
  return [
    ...all.flatMap(([name, documents]) =>
      [0, 0.5].map((share): ClusterWorld => ({ name, documents, share, kind: 'normal' })),
    ),
    ...all.slice(2).map(([name, documents]): ClusterWorld => ({ name, documents, share: 0.3, kind: 'ceiling' })),
  ]
}

interface ClusteredDraw {
  clusters: readonly string[]
  cutPerKept: number
  /** One experiment with this true difference. */
  draw: (random: RandomStream, difference: number) => Float64Array
}

/** Sum of twelve uniforms: nearly normal, variance 1. */
function noise(random: RandomStream): number {
  let sum = -6
  for (let drawn = 0; drawn < 12; drawn += 1) sum += random.uniform()
  return sum
}

/** Limit beyond which a standard normal is with this chance. */
function limitOf(chance: number): number {
  let [low, high] = [-8, 8]
  for (let step = 0; step < 60; step += 1) {
    const middle = (low + high) / 2
    if (1 - normalCdf(middle) > chance) low = middle
    else high = middle
  }
  return low
}

function drawsOf({ documents, share, kind }: ClusterWorld): ClusteredDraw {
  const { clusters, cutPerKept } = clusterQuestions(documents.map((names, at) => ({ id: `q${at}`, documents: names })))
  const all = [...new Set(documents.flat())]
  return {
    clusters,
    cutPerKept,
    draw: (random, difference) => {
      const effects = new Map(all.map((name) => [name, noise(random)]))
      const limits = [limitOf(0.05 + difference / 2), limitOf(0.05 - difference / 2)] as const
      return Float64Array.from(documents, (names) => {
        const common = names.reduce((sum, name) => sum + Math.sqrt(share / names.length) * effects.get(name)!, 0)
        const value = common + Math.sqrt(1 - share) * noise(random)
        if (kind === 'normal') return difference + SPREAD * value
        return value > limits[0] ? 1 : value < -limits[1] ? -1 : 0
      })
    },
  }
}

/** Shares of experiments, of the tool's test and of a random intercept by REML on the same draws. */
export interface ClusterFigures {
  coverage: number
  nullError: number
  power: number
  mixedError: number
  mixedPower: number
}

/** A true difference of .10 of normal differences, of .08 near a ceiling. */
const effectOf = ({ kind }: ClusterWorld): number => (kind === 'normal' ? 0.1 : 0.08)

export function clusterFigures(world: ClusterWorld, runs: number): ClusterFigures {
  const { clusters, cutPerKept, draw } = drawsOf(world)
  const random = seededRandom(`${world.name} ${world.share} ${world.kind}`)
  const effect = effectOf(world)
  const count = { coverage: 0, nullError: 0, power: 0, mixedError: 0, mixedPower: 0 }
  for (let run = 0; run < runs; run += 1)
    for (const truth of [0, effect]) {
      const values = draw(random, truth)
      const { difference, decision } = comparePairs(
        {
          metric: world.name,
          questions: clusters.map((cluster, index) => ({ id: `q${index}`, cluster })),
          cutPerKept,
          approaches: ['a', 'b'],
          scores: Float64Array.from(
            [...values].flatMap((value) => {
              const other = random.uniform()
              return [other + value, other]
            }),
          ),
          range: [0, 1],
        },
        { seed: 'clusters', method: 'student' },
      ).pairs[0]!
      const isMixed = randomInterceptValue(values, clusters) <= 0.05
      if (truth === 0) {
        if (decision !== 'undecided') count.nullError += 1
        if (isMixed) count.mixedError += 1
        continue
      }
      const { low, high } = difference.interval!
      if (low <= truth && truth <= high) count.coverage += 1
      if (decision !== 'undecided') count.power += 1
      if (isMixed) count.mixedPower += 1
    }
  return Object.fromEntries(
    Object.entries(count).map(([name, value]) => [name, value / runs]),
  ) as unknown as ClusterFigures
}

/** Share of experiments whose interval of a mean holds the truth, with scores that pile up near 1 (the cube root of a uniform number). */
export function meanCoverage({ documents, share }: ClusterWorld, runs: number): number {
  const { clusters, cutPerKept } = clusterQuestions(documents.map((names, at) => ({ id: `q${at}`, documents: names })))
  const random = seededRandom(`mean ${share} ${documents.length}`)
  const all = [...new Set(documents.flat())]
  let held = 0
  for (let run = 0; run < runs; run += 1) {
    const effects = new Map(all.map((name) => [name, noise(random)]))
    const scores = documents.map((names) => {
      const common = names.reduce((sum, name) => sum + Math.sqrt(share / names.length) * effects.get(name)!, 0)
      return Math.cbrt(normalCdf(common + Math.sqrt(1 - share) * noise(random)))
    })
    const { interval } = comparePairs(
      {
        metric: 'mean',
        questions: clusters.map((cluster, index) => ({ id: `q${index}`, cluster })),
        cutPerKept,
        approaches: ['a'],
        scores: Float64Array.from(scores),
        range: [0, 1],
      },
      { seed: 'means', method: 'student' },
    ).approaches[0]!.mean
    if (interval!.low <= 0.75 && interval!.high >= 0.75) held += 1
  }
  return held / runs
}
