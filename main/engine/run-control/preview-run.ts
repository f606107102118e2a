import type { DatasetPlan, PlanOutcome } from '../../../contract/control/run-job.ts'
import type { Aggregate } from '../../../contract/evidence/aggregate.ts'
import { conflictingRows, type RunPlan } from '../../../contract/evidence/run-event.ts'
import { plural } from '../../../contract/words.ts'
import { sumOfUse } from '../../../core/planned-use-words.ts'
import { plannedCells } from '../../estimates/planned-cells.ts'
import { plannedUse } from '../../estimates/planned-use.ts'
import { checkCorpus, type LadderDataset } from '../../manifests/experiment.ts'
import { checkGold } from '../../manifests/datasets/gold-problems.ts'
import { ManifestError } from '../../manifests/manifest-error.ts'
import { coverageNotices } from '../../manifests/selection.ts'
import { differingWords } from '../../runner/cells/differing-conditions.ts'
import { EvidenceRefusedError } from '../../runner/cells/open-evidence.ts'
import type { CellPlan } from '../../runner/cells/ladder-cells.ts'
import { coldPlan, type PlanInput } from '../../runner/cells/plan-dataset.ts'
import { plannedDecision } from '../../runner/prepare/planned-decision.ts'
import { corpusRootFor, evaluatorFor, filesOf, type PreparedRun } from '../../runner/prepare/prepare-run.ts'
import { effectsOf, foreignFilesOf, refusedPublications } from '../../runner/reset/run-effects.ts'
import type { RunIndexApi } from '../index-gateway.ts'
import { currentAggregate } from '../queries/coverage.ts'

const MAX_CONFLICTS = 100

interface CheckOptions {
  platform: PlanInput['platform']
  /** Folder of the embedded platform's collections; null for an external platform. */
  collectionsOf: (profile: string) => string | null
}

/** States what earlier runs show: a help, not a condition. */
interface PastRuns {
  /** Summaries of earlier runs of a dataset, newest first. */
  summariesOf: (datasetId: string) => AsyncIterable<Aggregate> | Iterable<Aggregate>
  /** Those of runs whose working files are here: published ones were made elsewhere. */
  ownSummariesOf: (datasetId: string) => AsyncIterable<Aggregate> | Iterable<Aggregate>
}

type Preview = Extract<PlanOutcome, { ok: true }>

/** States what a run would do and delete, and why it would be refused. */
export interface CheckedRun extends Pick<Preview, 'deletions' | 'publications' | 'blockers' | 'notices'> {
  datasets: { dataset: LadderDataset; plan: RunPlan }[]
  /** Plans of the cells of the datasets that have rows. */
  plans: Record<string, CellPlan>
}

/** The cells of one dataset and why the run would be refused. A cold reset leaves nothing to reuse and nothing to conflict with. */
async function checkDataset(
  run: PreparedRun,
  dataset: LadderDataset,
  { platform }: CheckOptions,
): Promise<{ plan: RunPlan; cells: CellPlan | null; blockers: Preview['blockers']; notices: string[] }> {
  const { id } = dataset.dataset
  const notices: string[] = []
  const blockers: Preview['blockers'] = []
  const nothingKept = coldPlan(run, dataset)
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
  const { plan, cells, remedy } = run.request.cold_reset
    ? { plan: nothingKept, cells: null, remedy: null }
    : await plannedCells(input).catch((error: unknown) => {
        if (!(error instanceof EvidenceRefusedError)) throw error
        blockers.push({ code: error.code, message: error.message })
        return { plan: { ...nothingKept, run: 0 }, cells: null, remedy: null }
      })
  if (plan.conflicts.length > 0)
    blockers.push({
      code: 'run_conflict',
      message: `${id}: ${run.runId} has ${plural(conflictingRows(plan.conflicts), 'stored answer')} made under other conditions: ${differingWords(plan.conflicts)}; ${remedy ?? 'choose another run name, or "Cold start"'}`,
    })
  return { plan, cells, blockers, notices }
}

/** Returns what a prepared run would do and delete, before anything is called or written. */
export async function checkRun(run: PreparedRun, options: CheckOptions): Promise<CheckedRun> {
  const datasets: CheckedRun['datasets'] = []
  const plans: CheckedRun['plans'] = {}
  const notices = coverageNotices(run.metrics, run.aliases, run.datasets)
  const blockers: Preview['blockers'] = []
  for (const dataset of run.datasets) {
    const checked = await checkDataset(run, dataset, options)
    datasets.push({ dataset, plan: checked.plan })
    if (checked.cells !== null) plans[dataset.dataset.id] = checked.cells
    notices.push(...checked.notices)
    blockers.push(...checked.blockers)
  }
  const effects = await effectsOf(run, options.collectionsOf)
  blockers.push(
    ...(await foreignFilesOf(run, effects)).map((message) => ({ code: 'foreign_file', message })),
    ...refusedPublications(effects).map((message) => ({ code: 'narrower_publication', message })),
  )
  return { datasets, plans, ...effects, notices, blockers }
}

/** The plan of one dataset with time, cost and the difference that the run can decide, as far as earlier runs show them. */
async function previewDataset(
  run: PreparedRun,
  dataset: LadderDataset,
  plan: RunPlan,
  cells: CellPlan | null,
  past: PastRuns,
): Promise<DatasetPlan> {
  const { id } = dataset.dataset
  const { enabled, models } = run.judgePanel
  return {
    ...plan,
    conflicts: plan.conflicts.slice(0, MAX_CONFLICTS),
    conflict_count: plan.conflicts.length === 0 ? 0 : Math.max(1, conflictingRows(plan.conflicts)),
    evaluations: run.metrics.length === 0 ? 0 : plan.run + plan.resume_answered,
    ...(await plannedUse(run, dataset, plan, past.ownSummariesOf(id), cells)),
    planned_difference: await plannedDecision({
      questions: dataset.questions,
      approaches: run.aliases.length,
      primary: run.experiment.evaluation.metrics.primary,
      judges: enabled ? models : [],
      earlier: past.summariesOf(id),
    }),
  }
}

/** Returns what a prepared run would do, with estimates. */
export async function previewRun(run: PreparedRun, options: CheckOptions & PastRuns): Promise<Preview> {
  const { datasets: checked, plans, ...rest } = await checkRun(run, options)
  const datasets = await Array.fromAsync(checked, ({ dataset, plan }) =>
    previewDataset(run, dataset, plan, plans[dataset.dataset.id] ?? null, options),
  )
  const sum = (of: (plan: DatasetPlan) => number): number => datasets.reduce((total, plan) => total + of(plan), 0)
  const inAll = (of: (plan: DatasetPlan) => number | null): number | null =>
    datasets.every((plan) => of(plan) !== null) ? sum((plan) => of(plan)!) : null
  const time = inAll(({ parts }) => sumOfUse(parts).ms)
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
    estimated_minutes: time === null ? null : time / 60_000,
    model_calls: inAll(({ parts }) => sumOfUse(parts).calls),
    ...rest,
  }
}

/** The newest runs in which earlier rows are searched. */
const MAX_RUNS_SEARCHED = 30

/** Summaries of a dataset from the newest indexed runs, newest first. What they show is a help, not a condition: without an index there are none. */
export async function* newestSummaries(
  index: RunIndexApi,
  datasetId: string,
  isOwnOnly = false,
): AsyncGenerator<Aggregate> {
  try {
    yield* indexedSummaries(index, datasetId, isOwnOnly)
  } catch {
    // The plan then names its assumption.
  }
}

async function* indexedSummaries(index: RunIndexApi, datasetId: string, isOwnOnly: boolean): AsyncGenerator<Aggregate> {
  const { runs, samples } = await index.query('listRuns', { limit: MAX_RUNS_SEARCHED })
  for (const run of runs) {
    if (isOwnOnly && samples.includes(run.run_id)) continue
    if (!run.datasets.some(({ dataset_id, cells }) => dataset_id === datasetId && cells.ok > 0)) continue
    const { datasets } = (await index.query('runSummary', { run_id: run.run_id })).summary
    const dataset = datasets.find(({ dataset_id }) => dataset_id === datasetId)
    const aggregate = dataset === undefined ? null : await currentAggregate(dataset)
    if (aggregate !== null) yield aggregate
  }
}
