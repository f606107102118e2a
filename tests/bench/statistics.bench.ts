import { monitorEventLoopDelay } from 'node:perf_hooks'
import { seededRandom } from '../helpers/seeded-random.ts'
import { compareInWorker } from '../../main/statistics/thread/run-in-worker.ts'
import type { ScoreTable } from '../../main/statistics/score-table.ts'
import { constantDecisions, coverageIn, falseDecisions, positionCoverage } from '../helpers/interval-coverage.ts'
import { clusterFigures, clusterWorlds, meanCoverage, type ClusterFigures } from '../helpers/cluster-worlds.ts'
import { HARD_WORLDS, WORLDS } from '../helpers/simulated-scores.ts'

export interface StatisticsFigures {
  /** 10,000 paired resamples, 7 approaches × 4 metrics × 2,000 questions, threads and their start included; median and best of 5 (P13). */
  compareMs: number
  compareBestMs: number
  /** Processor time of all threads for one of them: what remains comparable on a busy machine. */
  compareCpuMs: number
  /** 99th percentile of the calling thread's hold-ups meanwhile. */
  eventLoopDelayP99Ms: number
  /** Shares of experiments whose 95 % interval holds the truth (P13: 0.93 to 0.97). */
  experiments: number
  coverage: { world: string; difference: number; mean: number }[]
  /** Questions that share documents, against a random intercept by REML; `mean` holds the coverage of a mean. */
  clustered: (ClusterFigures & { world: string; mean: number })[]
  /** Share of runs of equal approaches with a decided pair; at most 0.05. */
  falseDecisions: number
  /** Share of runs in which a constant is decided against 0/1 scores of the same mean; at most 0.05. */
  constantDecisions: { questions: number; share: number }[]
  /** Shares of runs whose interval holds a judge's true position bias (P14: at least 0.93). */
  positionRuns: number
  position: { bias: number; rotations: number; coverage: number }[]
}

const RESAMPLES_PER_EXPERIMENT = 1000

/** P13 and P14. */
export async function benchStatistics(experiments = 2000): Promise<StatisticsFigures> {
  const timing = await compareTimes(5)
  const coverage = [...WORLDS, ...HARD_WORLDS].map((world) => ({
    world: world.name,
    ...coverageIn(world, experiments, RESAMPLES_PER_EXPERIMENT),
  }))
  const clustered = (await clusterWorlds()).map((world) => ({
    world: `${world.name}, ${world.share} from documents${world.kind === 'ceiling' ? ', near a ceiling' : ''}`,
    ...clusterFigures(world, experiments),
    mean: meanCoverage(world, experiments),
  }))
  const judges = [-0.15, 0, 0.2].flatMap((bias) => [2, 1].map((rotations) => ({ bias, rotations })))
  const position = judges.map((judge) => ({
    ...judge,
    coverage: positionCoverage({ ...judge, questions: 24, approaches: 6 }, experiments, RESAMPLES_PER_EXPERIMENT),
  }))
  const wrong = falseDecisions(experiments, RESAMPLES_PER_EXPERIMENT)
  const constants = [24, 60, 200].map((questions) => ({ questions, share: constantDecisions(questions, experiments) }))
  return {
    ...timing,
    experiments,
    coverage,
    clustered,
    falseDecisions: wrong,
    constantDecisions: constants,
    positionRuns: experiments,
    position,
  }
}

async function compareTimes(
  rounds: number,
): Promise<Pick<StatisticsFigures, 'compareMs' | 'compareBestMs' | 'compareCpuMs' | 'eventLoopDelayP99Ms'>> {
  const tables = ['faithfulness', 'answer_relevancy', 'context_precision', 'context_recall'].map(largeTable)
  const times: number[] = []
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const cpuBefore = process.cpuUsage()
  for (let round = 0; round < rounds; round += 1) {
    const startedAt = performance.now()
    await compareInWorker(tables, { seed: 'bench', resamples: 10_000 })
    times.push(performance.now() - startedAt)
  }
  delay.disable()
  const cpu = process.cpuUsage(cpuBefore)
  times.sort((left, right) => left - right)
  return {
    compareMs: times[rounds >> 1]!,
    compareBestMs: times[0]!,
    compareCpuMs: (cpu.user + cpu.system) / 1000 / rounds,
    eventLoopDelayP99Ms: delay.percentile(99) / 1e6,
  }
}

/** Every question is its own cluster: nothing is added up beforehand, the slowest case without gaps. */
function largeTable(metric: string): ScoreTable {
  const random = seededRandom(metric)
  const questions = Array.from({ length: 2000 }, (_, index) => ({ id: `q${index}`, cluster: `q${index}` }))
  const approaches = Array.from({ length: 7 }, (_, index) => `m${index}`)
  const scores = new Float64Array(questions.length * approaches.length).map(() => random.uniform())
  return { metric, questions, approaches, scores }
}

if (import.meta.main) process.stdout.write(`${JSON.stringify(await benchStatistics(), null, 2)}\n`)
