import { comparePairs } from '../../main/statistics/compare-pairs.ts'
import { positionEffect } from '../../main/statistics/agreement/judge-bias.ts'
import { seededRandom } from './seeded-random.ts'
import type { ScoreTable } from '../../main/statistics/score-table.ts'
import { type BiasedJudge, judgedByBiased, simulatedTable, truthOf, type World } from './simulated-scores.ts'

const holds = (interval: { low: number; high: number } | null, truth: number): boolean =>
  interval !== null && interval.low <= truth && truth <= interval.high

/** Shares of experiments whose 95 % interval holds the truth; an experiment without interval counts as a miss. */
export function coverageIn(world: World, experiments: number, resamples: number): { difference: number; mean: number } {
  const truth = truthOf(world)
  const random = seededRandom(world.name)
  let difference = 0
  let mean = 0
  for (let experiment = 0; experiment < experiments; experiment += 1) {
    const result = comparePairs(simulatedTable(random, world), { seed: `${world.name}/${experiment}`, resamples })
    if (holds(result.pairs[0]!.difference.interval, truth.difference)) difference += 1
    if (holds(result.approaches[0]!.mean.interval, truth.mean)) mean += 1
  }
  return { difference: difference / experiments, mean: mean / experiments }
}

/** Share of runs in which a constant of .96 is decided against 0/1 scores of the same mean; at most 5 % may be. */
export function constantDecisions(questions: number, runs: number): number {
  const random = seededRandom(`constant ${questions}`)
  let wrong = 0
  for (let run = 0; run < runs; run += 1) {
    const scores = Array.from({ length: questions }, () => [0.96, random.uniform() < 0.96 ? 1 : 0])
    const table: ScoreTable = {
      metric: 'constant',
      questions: scores.map((_, index) => ({ id: `q${index}`, cluster: `q${index}` })),
      approaches: ['constant', 'binary'],
      scores: Float64Array.from(scores.flat()),
      range: [0, 1],
    }
    if (comparePairs(table, { seed: String(run), resamples: 500 }).decided.decided > 0) wrong += 1
  }
  return wrong / runs
}

/** Share of runs whose interval for the position effect holds the judge's true bias. */
export function positionCoverage(judge: BiasedJudge, runs: number, resamples: number): number {
  let held = 0
  for (let run = 0; run < runs; run += 1) {
    const seed = `${judge.bias}/${judge.rotations}/${run}`
    const { slope } = positionEffect(judgedByBiased(seed, judge), { seed, resamples })
    if (holds(slope.interval, judge.bias)) held += 1
  }
  return held / runs
}

/** Share of runs of seven equal approaches on 24 questions in 16 clusters in which any of the 21 pairs is decided. */
export function falseDecisions(runs: number, resamples: number): number {
  const random = seededRandom('false decisions')
  let wrong = 0
  for (let run = 0; run < runs; run += 1) {
    const table: ScoreTable = {
      metric: 'alike',
      questions: Array.from({ length: 24 }, (_, index) => ({ id: `q${index}`, cluster: `c${index % 16}` })),
      approaches: Array.from({ length: 7 }, (_, index) => `m${index}`),
      scores: new Float64Array(24 * 7).map(() => (random.uniform() < 0.4 ? 1 : Math.sqrt(random.uniform()))),
    }
    if (comparePairs(table, { seed: String(run), resamples }).decided.decided > 0) wrong += 1
  }
  return wrong / runs
}
