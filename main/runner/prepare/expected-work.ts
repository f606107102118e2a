import { existsSync } from 'node:fs'
import { join } from 'node:path'
import packageFile from '../../../package.json' with { type: 'json' }
import { APPROACHES } from '../../../contract/approaches.ts'
import type { EvaluationMetric } from '../../../contract/common.ts'
import type { ExpectedWork, WorkOfApproach } from '../../../contract/control/expected-work.ts'
import type { Aggregate, ApproachSummary } from '../../../contract/evidence/aggregate.ts'
import type { ModelUsage } from '../../../contract/evidence/model-usage.ts'
import type { Alias } from '../../../contract/manifests/aliases.ts'
import { isRuleBased, isService } from '../../../contract/manifests/model-backends.ts'
import { ModelRole, type ModelSet } from '../../../contract/manifests/models.ts'
import { isEmbedded, metricOfId } from '../../../contract/metrics/metrics.ts'
import type { LadderDataset } from '../../manifests/experiment.ts'
import { STATE_FOLDER } from '../../manifests/project/project-folder.ts'
import { thisMachine } from '../../lib/this-machine.ts'
import { areSameModels } from '../../evidence/rows/conditions.ts'
import { declaredBeside } from '../../manifests/project/declared-models.ts'
import { configHashes } from '../../manifests/project/provenance.ts'
import { EVALUATED_AGAIN } from '../finish/evaluate-again.ts'
import { calibrationsOf, isAnswering } from './calibrations.ts'
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
  /** Rows of runs that graded. */
  graded: number
  /** Sum over the rows whose grading was timed, and how many those are. */
  gradingMs: number
  gradingTimed: number
}

const NOTHING: PastRows = {
  rows: 0,
  latencyMs: 0,
  timed: 0,
  answerCalls: 0,
  counted: 0,
  gradingCalls: 0,
  graded: 0,
  gradingMs: 0,
  gradingTimed: 0,
}

const callsOf = (usage: readonly ModelUsage[]): number => usage.reduce((sum, { calls }) => sum + calls, 0)

function withRows(before: PastRows, { cells, operational, usage }: ApproachSummary): PastRows {
  const gradingCalls = callsOf(usage?.grading ?? [])
  // Answers that the evaluator did not grade to the end do not show what grading takes.
  const { ungraded_cells: ungraded = 0 } = usage ?? {}
  const { latency_ms: latency, waited_ms: waited, llm_calls: calls, grading_ms: grading } = operational
  return {
    rows: before.rows + cells.ok,
    // A plan is about the time that passes: answers that waited for each other will do so again.
    latencyMs: before.latencyMs + (latency.sum ?? 0) + (waited?.sum ?? 0),
    timed: before.timed + latency.n,
    answerCalls: before.answerCalls + (calls.sum ?? 0),
    counted: before.counted + calls.n,
    gradingCalls: before.gradingCalls + gradingCalls,
    graded: before.graded + (gradingCalls === 0 ? 0 : cells.ok - ungraded),
    gradingMs: before.gradingMs + (grading?.sum ?? 0),
    gradingTimed: before.gradingTimed + (grading?.n ?? 0),
  }
}

/** Returns true for a run whose rows this machine made, as far as they name one, with the models, flavors and program of the planned run. */
export function countsFor(run: PreparedRun, dataset: LadderDataset): (past: Aggregate) => boolean {
  const { experiment, modelSet, root, inputs } = run
  const set = modelSet ?? experiment.models.default_set
  const wanted = configHashes(experiment, dataset)
  const here = thisMachine()
  return ({ run_id: runId, reproducibility, machines = [] }) => {
    if (reproducibility === null || machines.some((machine) => machine !== here)) return false
    const { runtime, config_hashes: hashes } = reproducibility
    const isSame =
      inputs.gatewayUrl === null
        ? runtime.gateway === 'embedded' &&
          areSameModels(runtime.models, declaredBeside(experiment, set, runtime.models))
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

/** The usual number of calls of a language model for a graded metric: one for statements and one for their verdicts, or one for questions that are then embedded. */
const callsFor = (metric: EvaluationMetric): number => (isEmbedded(metric) ? 1 : 2)
/** Whether an answer refuses is asked beside the metrics. */
const REFUSAL_CALLS = 1

/** Calls that embed for the grades of an answer: one for all texts, where a model embeds. */
export function gradingEmbeddings(run: PreparedRun): number {
  const model = setOf(run)?.roles.evaluator_embed
  return model !== undefined && !isRuleBased(model.backend) && run.metrics.some(isEmbedded) ? 1 : 0
}

/** Calls that grade an answer where rows show none; none where rules grade. Metrics that need contexts are not asked of an approach that hands over none. */
function usualGrading(run: PreparedRun, { evidence }: Alias): number {
  const evaluator = setOf(run)?.roles.evaluator
  if (evaluator === undefined || isRuleBased(evaluator.backend)) return 0
  const metrics = run.metrics.filter(
    (metric) => evidence !== 'answer_only' || !metricOfId(metric).needs.includes('contexts'),
  )
  if (metrics.length === 0) return 0
  return metrics.reduce((sum, metric) => sum + callsFor(metric), REFUSAL_CALLS) + gradingEmbeddings(run)
}

/** Estimates an answer by the usual calls of its approach, where each language model among them was calibrated here. */
function calibratedWork(run: PreparedRun, alias: Alias): WorkOfApproach | null {
  const set = setOf(run)
  const calls = usualCallsOf(alias)
  if (set === null || calls === null) return null
  const calibrationOf = calibrationsOf(run.root)
  let latencyMs = 0
  let models = 0
  for (const [role, count] of calls) {
    const choice = set.roles[role]
    if (isRuleBased(choice.backend)) continue
    const calibration = calibrationOf(choice)
    if (calibration === null) return null
    models += 1
    // A file of weights answers one call at a time: the cells under way wait for each other, as they do in rows.
    const waiting = isService(choice.backend) ? 1 : run.experiment.evaluation.run.concurrency
    latencyMs += count * calibration.latency_ms * waiting
  }
  if (models === 0) return null
  return {
    alias: alias.alias,
    rows: 0,
    calibrated: true,
    latency_ms: latencyMs,
    answer_calls: calls.reduce((sum, [, count]) => sum + count, 0),
    grading_calls: usualGrading(run, alias),
    grading_ms: null,
  }
}

/** The set of an embedded platform; null for a platform elsewhere, whose models are not known. */
const setOf = ({ experiment: { models }, modelSet, inputs }: PreparedRun): ModelSet | null =>
  inputs.gatewayUrl === null ? (models.sets[modelSet ?? models.default_set] ?? null) : null

const canCalibrate = (run: PreparedRun): boolean => {
  const set = setOf(run)
  return set !== null && ModelRole.options.some((role) => isAnswering(role, set))
}

/** Roles with the calls of one answer; null where they are unknown. */
export function usualCallsOf({ base, flavor }: Alias): [ModelRole, number][] | null {
  const approach = APPROACHES[base]
  if (!('usualCalls' in approach)) return [['light_gen', 1]]
  const calls: Readonly<Record<string, number>> | undefined = approach.usualCalls?.(flavor.parameters)
  if (calls === undefined) return null
  return Object.entries(calls).map(([role, count]) => [ModelRole.parse(role), count])
}

function workOf(run: PreparedRun, alias: Alias, past: PastRows | undefined): WorkOfApproach {
  const none = {
    alias: alias.alias,
    rows: 0,
    calibrated: false,
    latency_ms: null,
    answer_calls: null,
    grading_calls: null,
    grading_ms: null,
  }
  if (past === undefined) return calibratedWork(run, alias) ?? none
  return {
    alias: alias.alias,
    calibrated: false,
    rows: past.rows,
    latency_ms: past.timed === 0 ? null : past.latencyMs / past.timed,
    answer_calls: past.counted === 0 ? null : past.answerCalls / past.counted,
    grading_calls: past.graded === 0 ? usualGrading(run, alias) : past.gradingCalls / past.graded,
    grading_ms: past.gradingTimed === 0 ? null : past.gradingMs / past.gradingTimed,
  }
}

/**
 * Estimates time and model calls of `cells` of a run, as many of each approach, from rows that this machine made with the same models and approaches
 * on the dataset; of an approach without rows from three calls of each of its models, where they were made here. `summaries` are those of working files: published runs are of other machines. The time is that of the answers: grading, ingestion and judges take more.
 */
export async function expectedWork(
  run: PreparedRun,
  dataset: LadderDataset,
  cells: number,
  summaries: AsyncIterable<Aggregate> | Iterable<Aggregate>,
): Promise<ExpectedWork> {
  const past = await pastRows(summaries, countsFor(run, dataset))
  const approaches = run.aliases.map((alias) => workOf(run, alias, past.get(alias.alias)))
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
    can_calibrate: canCalibrate(run),
    estimated_ms: time === null ? null : time / run.experiment.evaluation.run.concurrency,
    model_calls: cells === 0 ? 0 : calls === null ? null : Math.round(calls),
    rows: approaches.reduce((sum, { rows }) => sum + rows, 0),
  }
}
