// The claims of this folder, each in a world with known truth. Seeds are fixed; the bench runs the same at full length.
import { describe, expect, it } from 'vitest'
import {
  constantDecisions,
  coverageIn,
  falseDecisions,
  positionCoverage,
} from '../../tests/helpers/interval-coverage.ts'
import { clusterFigures, clusterWorlds, meanCoverage } from '../../tests/helpers/cluster-worlds.ts'
import { PROJECT_ROOT } from '../../tests/helpers/project-root.ts'
import { HARD_WORLDS, simulatedTable, WORLDS } from '../../tests/helpers/simulated-scores.ts'
import { loadExperiment } from '../manifests/experiment.ts'
import { clusterQuestions } from './clusters.ts'
import { comparePairs } from './compare-pairs.ts'
import { type RandomStream, seededRandom } from '../../tests/helpers/seeded-random.ts'
import type { ScoreTable } from './score-table.ts'

const resamples = 500

/** Sum of twelve uniforms: nearly normal, variance 1, without a logarithm. */
const noise = (random: RandomStream): number => {
  let sum = -6
  for (let draw = 0; draw < 12; draw += 1) sum += random.uniform()
  return sum
}

describe('95 % intervals', () => {
  it.each(WORLDS)('hold the truth in about 95 of 100 experiments: $name', (world) => {
    // A share of 1,000 has a standard error of 0.7 %; the bench runs 2,000, for which the claim is 93 to 97 %.
    const { difference, mean } = coverageIn(world, 1000, resamples)
    for (const share of [difference, mean]) {
      expect(share).toBeGreaterThanOrEqual(0.92)
      expect(share).toBeLessThanOrEqual(0.98)
    }
  })

  it.each(HARD_WORLDS)('hold the truth also near the ceiling and from 8 clusters up: $name', (world) => {
    // Of 0/1 scores few means can come, so that an interval that never falls short holds more than 95 %. Experiments without interval are misses.
    const { difference, mean } = coverageIn(world, 1000, resamples)
    for (const share of [difference, mean]) expect(share).toBeGreaterThanOrEqual(0.93)
    expect(mean).toBeLessThanOrEqual(0.995)
  })

  it('hold with the clusters of a giant component, where single questions fall short', () => {
    // 24 questions over up to three documents each, the shape of a multi-hop rung: eleven hang together.
    const documents = [
      [0],
      [1],
      [2],
      [3, 4],
      [4, 5],
      [5, 6],
      [6, 7],
      [7, 8],
      [8, 9],
      [9, 10, 4],
      [10, 11, 5],
      [11, 12],
      [12, 13, 6],
      [13, 14, 7],
      [15, 16],
      [15, 17],
      [18, 19],
      [18, 20],
      [21, 22],
      [21, 23],
      [24],
      [25],
      [26],
      [27],
    ]
    const { clusters, summary } = clusterQuestions(
      documents.map((names, index) => ({ id: `q${index}`, documents: names.map(String) })),
    )
    expect(summary).toMatchObject({ basis: 'gold_documents_split', largest: 6 })
    const random = seededRandom('giant')
    const experiments = 600
    const held = { split: 0, single: 0 }
    for (let experiment = 0; experiment < experiments; experiment += 1) {
      const effects = Array.from({ length: 28 }, () => noise(random))
      const scores = documents.map(
        (names) =>
          names.reduce((sum, name) => sum + Math.sqrt(0.6 / names.length) * effects[name]!, 0) +
          Math.sqrt(0.4) * noise(random),
      )
      for (const kind of ['split', 'single'] as const) {
        const table: ScoreTable = {
          metric: kind,
          questions: scores.map((_, index) => ({
            id: `q${index}`,
            cluster: kind === 'split' ? clusters[index]! : `q${index}`,
          })),
          approaches: ['a', 'b'],
          scores: Float64Array.from(scores.flatMap((score) => [score, 0])),
        }
        const { interval } = comparePairs(table, { seed: String(experiment), resamples }).pairs[0]!.difference
        if (interval!.low <= 0 && interval!.high >= 0) held[kind] += 1
      }
    }
    expect(held.split / experiments).toBeGreaterThanOrEqual(0.925)
    expect(held.single / experiments).toBeLessThan(0.92)
  })
})

describe('questions of a built-in rung, whose gold documents connect nearly all of them', () => {
  const rungs = ['baseline_curated', 'graph_native', 'cyber_threat_intel'] as const
  it.each(rungs.flatMap((id) => [0.3, 0.6].map((share) => ({ id, share }))))(
    'have intervals that hold and decisions that are right where documents cause $share of the variance: $id',
    async ({ id, share }) => {
      const { datasets } = await loadExperiment(PROJECT_ROOT)
      const asked = datasets
        .find(({ dataset }) => dataset.id === id)!
        .questions.map(({ id: name, gold }) => ({
          id: name,
          documents: [...new Set(gold.map((fact) => fact.document))],
        }))
        .filter(({ documents }) => documents.length > 0)
      const { clusters, summary } = clusterQuestions(asked)
      expect(summary.basis).toBe('gold_documents_split')
      expect(summary.clusters).toBeGreaterThanOrEqual(14)
      const names = [...new Set(asked.flatMap(({ documents }) => documents))]
      const random = seededRandom(`rung ${id} ${share}`)
      const experiments = 500
      let held = 0
      let decided = 0
      for (let experiment = 0; experiment < experiments; experiment += 1) {
        const effects = new Map(names.map((name) => [name, noise(random)]))
        const scores = asked.map(
          ({ documents }) =>
            documents.reduce((sum, name) => sum + Math.sqrt(share / documents.length) * effects.get(name)!, 0) +
            Math.sqrt(1 - share) * noise(random),
        )
        const table: ScoreTable = {
          metric: id,
          questions: asked.map(({ id: name }, index) => ({ id: name, cluster: clusters[index]! })),
          approaches: ['a', 'b'],
          scores: Float64Array.from(scores.flatMap((score) => [score, 0])),
        }
        const { difference, decision } = comparePairs(table, { seed: String(experiment), resamples }).pairs[0]!
        if (difference.interval!.low <= 0 && difference.interval!.high >= 0) held += 1
        if (decision !== 'undecided') decided += 1
      }
      // A share of 500 has a standard error of 1 %.
      expect(held / experiments).toBeGreaterThanOrEqual(0.93)
      expect(decided / experiments).toBeLessThanOrEqual(0.07)
    },
  )
})

/** Those that were hardest; the bench prints the table of all. */
const clustered = (await clusterWorlds()).filter(({ name }) => /^cyber|13 unequal|shared/.test(name))

it.each(clustered)(
  'questions that share documents have intervals that hold, few false decisions and most of the power of a mixed model: $name, $share from documents, $kind',
  (world) => {
    // A share of 300 has a standard error of 1.3 %.
    const { coverage, nullError, power, mixedPower } = clusterFigures(world, 300)
    expect(coverage).toBeGreaterThanOrEqual(0.9)
    expect(nullError).toBeLessThanOrEqual(0.09)
    // With strong document effects a mixed model decides falsely too often to be a standard for power.
    if (world.share === 0) expect(power).toBeGreaterThanOrEqual(0.8 * mixedPower)
    expect(meanCoverage(world, 300)).toBeGreaterThanOrEqual(0.92)
  },
)

describe('decisions', () => {
  it.each([24, 60, 200])(
    'a constant against 0/1 of the same mean is not decided more often than 1 in 20: %d questions',
    (questions) => {
      // 5 % and three standard errors of a share of 300.
      expect(constantDecisions(questions, 300)).toBeLessThanOrEqual(0.088)
    },
  )

  it('are wrong somewhere among 21 pairs in at most 5 % of runs without any difference', () => {
    // 5 % and three standard errors of a share of 300; without the correction it would be about 35 %. The bench runs 2,000.
    expect(falseDecisions(300, resamples)).toBeLessThanOrEqual(0.088)
  })

  it('find the smallest detectable difference in about 80 % of runs', () => {
    const random = seededRandom('power')
    const run = (shift: number, seed: string): ReturnType<typeof comparePairs>['pairs'][0] => {
      const table = simulatedTable(random, { ...WORLDS[3]!, a: WORLDS[3]!.b })
      const shifted = { ...table, scores: table.scores.map((score, cell) => (cell % 2 === 0 ? score + shift : score)) }
      return comparePairs(shifted, { seed, resamples }).pairs[0]!
    }
    const reported = Array.from({ length: 100 }, (_, at) => run(0, `plan ${at}`).smallest_detectable!)
    const shift = reported.reduce((sum, value) => sum + value, 0) / reported.length
    const runs = 400
    let found = 0
    for (let at = 0; at < runs; at += 1) if (run(shift, `run ${at}`).decision === 'better') found += 1
    expect(found / runs).toBeGreaterThan(0.74)
    expect(found / runs).toBeLessThan(0.86)
  })
})

it.each([
  { bias: -0.15, rotations: 2 },
  { bias: 0.2, rotations: 2 },
  { bias: 0.2, rotations: 1 },
])('the interval of a position effect holds a known bias of $bias with $rotations rotation(s)', (judge) => {
  // A share of 400 has a standard error of 1.1 %; the bench holds 2,000 to at least 93 %.
  expect(positionCoverage({ ...judge, questions: 24, approaches: 6 }, 400, resamples)).toBeGreaterThanOrEqual(0.92)
})
