import { existsSync } from 'node:fs'
import { join } from 'node:path'
import packageFile from '../../../package.json' with { type: 'json' }
import type { ExpectedWork, WorkOfApproach } from '../../../contract/control/expected-work.ts'
import type { Aggregate, ApproachSummary } from '../../../contract/evidence/aggregate.ts'
import type { ModelUsage } from '../../../contract/evidence/model-usage.ts'
import type { LadderDataset } from '../../manifests/experiment.ts'
import { STATE_FOLDER } from '../../manifests/project/project-folder.ts'
import { configHashes } from '../../manifests/project/provenance.ts'
import { EVALUATED_AGAIN } from '../finish/evaluate-again.ts'
import type { PreparedRun } from './prepare-run.ts'

/** Answers of an approach in earlier runs, with what they took. */
interface PastRows {
  rows: number
  /** Sum over the rows with a latency, and how many those are. */
  latencyMs: number
  timed: number
  /** Calls of models for answers, rules included, and in how many rows they were counted. */
  answerCalls: number
  counted: number
  gradingCalls: number
}

const NOTHING: PastRows = { rows: 0, latencyMs: 0, timed: 0, answerCalls: 0, counted: 0, gradingCalls: 0 }

const callsOf = (usage: readonly ModelUsage[]): number => usage.reduce((sum, { calls }) => sum + calls, 0)

function withRows(before: PastRows, { cells, operational, usage }: ApproachSummary): PastRows {
  const { latency_ms: latency, llm_calls: calls } = operational
  return {
    rows: before.rows + cells.ok,
    latencyMs: before.latencyMs + (latency.sum ?? 0),
    timed: before.timed + latency.n,
    answerCalls: before.answerCalls + (calls.sum ?? 0),
    counted: before.counted + calls.n,
    gradingCalls: before.gradingCalls + callsOf(usage?.grading ?? []),
  }
}

/** Returns true for a run whose rows this machine made with the models, flavors and program of the planned run. */
function countsFor(run: PreparedRun, dataset: LadderDataset): (past: Aggregate) => boolean {
  const { experiment, modelSet, root, inputs } = run
  const set = modelSet ?? experiment.models.default_set
  const wanted = configHashes(experiment, dataset, modelSet)
  return ({ run_id: runId, reproducibility }) => {
    if (reproducibility === null) return false
    const { runtime, config_hashes: hashes } = reproducibility
    const isSame =
      inputs.gatewayUrl === null
        ? runtime.models?.set === set && hashes['models'] === wanted['models'] && runtime.gateway === 'embedded'
        : runtime.gateway === inputs.gatewayUrl
    return (
      isSame &&
      hashes['flavors'] === wanted['flavors'] &&
      runtime.platform.version === packageFile.version &&
      hashes[EVALUATED_AGAIN] === undefined &&
      !existsSync(join(root, STATE_FOLDER, 'bundles', runId))
    )
  }
}

/** Reads no more summaries than this. */
const MAX_READ = 30

async function pastRows(
  newestFirst: AsyncIterable<Aggregate> | Iterable<Aggregate>,
  counts: (past: Aggregate) => boolean,
): Promise<Map<string, PastRows>> {
  const found = new Map<string, PastRows>()
  let read = 0
  for await (const past of newestFirst) {
    if (counts(past))
      for (const approach of past.approaches)
        if (approach.cells.ok > 0) found.set(approach.model, withRows(found.get(approach.model) ?? NOTHING, approach))
    if ((read += 1) === MAX_READ) break
  }
  return found
}

function workOf(alias: string, past: PastRows | undefined): WorkOfApproach {
  if (past === undefined) return { alias, rows: 0, latency_ms: null, answer_calls: null, grading_calls: null }
  return {
    alias,
    rows: past.rows,
    latency_ms: past.timed === 0 ? null : past.latencyMs / past.timed,
    answer_calls: past.counted === 0 ? null : past.answerCalls / past.counted,
    grading_calls: past.gradingCalls / past.rows,
  }
}

/**
 * Estimates time and model calls of `cells` of a run, as many of each approach, from rows that this machine made with the same models and approaches
 * on the dataset. `summaries` are those of working files: published runs are of other machines. The time is that of the answers: grading, ingestion and judges take more.
 */
export async function expectedWork(
  run: PreparedRun,
  dataset: LadderDataset,
  cells: number,
  summaries: AsyncIterable<Aggregate> | Iterable<Aggregate>,
): Promise<ExpectedWork> {
  const past = await pastRows(summaries, countsFor(run, dataset))
  const approaches = run.aliases.map(({ alias }) => workOf(alias, past.get(alias)))
  const each = cells / Math.max(1, approaches.length)
  const sumOf = (of: (work: WorkOfApproach) => number | null): number | null =>
    approaches.reduce<number | null>((sum, work) => {
      const one = of(work)
      return sum === null || one === null ? null : sum + one * each
    }, 0)
  const time = cells === 0 ? 0 : sumOf(({ latency_ms: ms }) => ms)
  const isGraded = run.metrics.length > 0
  const calls = sumOf(({ answer_calls: answer, grading_calls: grading }) =>
    answer === null || grading === null ? null : answer + (isGraded ? grading : 0),
  )
  return {
    approaches,
    estimated_ms: time === null ? null : time / run.experiment.evaluation.run.concurrency,
    model_calls: cells === 0 ? 0 : calls === null ? null : Math.round(calls),
    rows: approaches.reduce((sum, { rows }) => sum + rows, 0),
  }
}
