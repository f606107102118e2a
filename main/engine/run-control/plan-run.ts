import type { DatasetPlan, PlanOutcome } from '../../../contract/control/run-job.ts'
import { conflictingRows, type Aggregate } from '../../../contract/index.ts'
import { plural } from '../../../contract/words.ts'
import { checkCorpus } from '../../manifests/experiment.ts'
import { checkGold } from '../../manifests/gold-problems.ts'
import { ManifestError } from '../../manifests/manifest-error.ts'
import { coverageNotices } from '../../manifests/selection.ts'
import { expectedCost, newestUsage, type PastUsages } from '../../runner/expected-cost.ts'
import { EvidenceRefusedError } from '../../runner/open-evidence.ts'
import { planDataset, type PlanInput } from '../../runner/plan-dataset.ts'
import { corpusRootFor, evaluatorFor, filesOf, type PreparedRun } from '../../runner/prepare-run.ts'
import { effectsOf, refusedPublications } from '../../runner/run-effects.ts'
import { plannedDifferences } from '../../statistics/planned-difference.ts'
import type { RunIndexApi } from '../index-gateway.ts'
import { currentAggregate } from '../queries/coverage.ts'

const MAX_CONFLICTS = 100

/** Mean latency of answered cells in milliseconds, by alias; null for an alias that was never timed on the dataset. */
type PastLatencies = (datasetId: string, aliases: readonly string[]) => Promise<ReadonlyMap<string, number | null>>

interface PlanOptions {
  platform: PlanInput['platform']
  /** Folder of the embedded platform's collections; null for an external platform. */
  collectionsOf: (profile: string) => string | null
  pastLatencies: PastLatencies
  pastUsages: PastUsages
}

type Blocker = Extract<PlanOutcome, { ok: true }>['blockers'][number]

/** What is estimated: the calls of the approaches, at the run's concurrency. Ingestion, evaluation and judges come on top. */
function estimate(run: PreparedRun, cellsToRun: number, total: number, latencies: ReadonlyMap<string, number | null>) {
  const unknown = run.aliases.map(({ alias }) => alias).filter((alias) => (latencies.get(alias) ?? null) === null)
  if (cellsToRun === 0) return { estimated_ms: 0, unknown_latency: unknown }
  if (unknown.length > 0) return { estimated_ms: null, unknown_latency: unknown }
  const perRound = [...latencies.values()].reduce<number>((sum, latency) => sum + (latency ?? 0), 0)
  const rounds = total / Math.max(1, run.aliases.length)
  const share = cellsToRun / Math.max(1, total)
  return { estimated_ms: (perRound * rounds * share) / run.experiment.evaluation.run.concurrency, unknown_latency: [] }
}

/** The plan of each dataset and why the run would be refused. A cold reset leaves nothing to reuse and nothing to conflict with. */
async function planDatasets(
  run: PreparedRun,
  options: PlanOptions,
): Promise<{ datasets: DatasetPlan[]; blockers: Blocker[]; notices: string[] }> {
  const datasets: DatasetPlan[] = []
  const notices: string[] = []
  const blockers: Blocker[] = []
  for (const dataset of run.datasets) {
    const { id } = dataset.dataset
    const total = dataset.questions.length * run.aliases.length * run.repeats
    const nothingKept = {
      dataset_id: id,
      total,
      reuse: 0,
      run: total,
      resume_answered: 0,
      conflicts: [],
      unavailable: [],
    }
    const { platform } = options
    const evaluator = evaluatorFor(run.inputs, platform)
    let isCorpusHere = true
    await checkCorpus(run.experiment, dataset, corpusRootFor(run.inputs, platform)).catch((error: unknown) => {
      if (!(error instanceof ManifestError)) throw error
      isCorpusHere = false
      blockers.push({ code: 'corpus_missing', message: error.message })
    })
    await checkGold(run.root, dataset).catch((error: unknown) => {
      if (!(error instanceof ManifestError)) throw error
      blockers.push({ code: 'gold_missing', message: error.message })
    })
    const onNotice = ({ message }: { message: string }): void => void notices.push(message)
    const input = { ...run, dataset, files: filesOf(run, id), platform, evaluator, isCorpusHere, onNotice }
    const plan = run.request.cold_reset
      ? nothingKept
      : await planDataset(input).catch((error: unknown) => {
          if (!(error instanceof EvidenceRefusedError)) throw error
          blockers.push({ code: error.code, message: error.message })
          return { ...nothingKept, run: 0 }
        })
    if (plan.conflicts.length > 0)
      blockers.push({
        code: 'run_conflict',
        message: `${id}: ${plural(conflictingRows(plan.conflicts), 'stored row')} of ${run.runId} were made under other conditions; take another name, or reset`,
      })
    const latencies = await options.pastLatencies(
      id,
      run.aliases.map(({ alias }) => alias),
    )
    const { enabled, models, rotations } = run.judgePanel
    datasets.push({
      ...plan,
      conflicts: plan.conflicts.slice(0, MAX_CONFLICTS),
      conflict_count: plan.conflicts.length === 0 ? 0 : Math.max(1, conflictingRows(plan.conflicts)),
      evaluations: run.metrics.length === 0 ? 0 : plan.run + plan.resume_answered,
      verdicts: enabled ? models.length * rotations * dataset.questions.length : 0,
      ...estimate(run, plan.run, total, latencies),
      expected_cost: await expectedCost(run, id, plan.run, options.pastUsages),
      planned_difference: plannedDifferences(dataset.questions, run.aliases.length),
    })
  }
  return { datasets, blockers, notices }
}

/** What a prepared run would do, before anything is called or written. */
export async function planRun(run: PreparedRun, options: PlanOptions): Promise<Extract<PlanOutcome, { ok: true }>> {
  const { datasets, blockers, notices } = await planDatasets(run, options)
  const sum = (of: (plan: DatasetPlan) => number): number => datasets.reduce((total, plan) => total + of(plan), 0)
  const effects = await effectsOf(run, options.collectionsOf)
  const isKnown = datasets.every((plan) => plan.estimated_ms !== null)
  return {
    ok: true,
    run_id: run.runId,
    datasets,
    totals: {
      total: sum((plan) => plan.total),
      reuse: sum((plan) => plan.reuse),
      run: sum((plan) => plan.run),
      answered: sum((plan) => plan.resume_answered),
      conflicts: sum((plan) => plan.conflict_count),
      unavailable: sum((plan) => plan.unavailable.length),
      evaluations: sum((plan) => plan.evaluations),
      verdicts: sum((plan) => plan.verdicts),
    },
    estimated_minutes: isKnown ? sum((plan) => plan.estimated_ms!) / 60_000 : null,
    ...effects,
    notices: [...coverageNotices(run.metrics, run.aliases, run.datasets), ...notices],
    blockers: [
      ...blockers,
      ...refusedPublications(effects).map((message) => ({ code: 'narrower_publication', message })),
    ],
  }
}

/** The newest runs in which latency and usage of an alias are searched. */
const MAX_RUNS_SEARCHED = 30

/** Latencies from the newest indexed run that has each alias on the dataset. */
export function pastLatenciesFrom(index: RunIndexApi): PastLatencies {
  return async (datasetId, aliases) => {
    const found = new Map<string, number | null>(aliases.map((alias) => [alias, null]))
    const { runs } = await index.query('listRuns', { limit: MAX_RUNS_SEARCHED })
    for (const run of runs) {
      if ([...found.values()].every((latency) => latency !== null)) break
      if (!run.datasets.some(({ dataset_id, cells }) => dataset_id === datasetId && cells.ok > 0)) continue
      const { datasets } = (await index.query('runSummary', { run_id: run.run_id })).summary
      const known = datasets.find(({ dataset_id }) => dataset_id === datasetId)?.aliases ?? []
      for (const { model, mean_latency_ms } of known) if (found.get(model) === null) found.set(model, mean_latency_ms)
    }
    return found
  }
}

/** Usage from the summaries of the newest indexed runs. */
export const pastUsagesFrom =
  (index: RunIndexApi): PastUsages =>
  (datasetId, aliases, modelSet) =>
    newestUsage(newestSummaries(index, datasetId), aliases, modelSet)

async function* newestSummaries(index: RunIndexApi, datasetId: string): AsyncGenerator<Aggregate> {
  const { runs } = await index.query('listRuns', { limit: MAX_RUNS_SEARCHED })
  for (const run of runs) {
    if (!run.datasets.some(({ dataset_id, cells }) => dataset_id === datasetId && cells.ok > 0)) continue
    const { datasets } = (await index.query('runSummary', { run_id: run.run_id })).summary
    const dataset = datasets.find(({ dataset_id }) => dataset_id === datasetId)
    const aggregate = dataset === undefined ? null : await currentAggregate(dataset)
    if (aggregate !== null) yield aggregate
  }
}
