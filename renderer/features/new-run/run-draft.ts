import type { ExperimentView } from '../../../contract/control/experiment.ts'
import type { RunRequestInput } from '../../../contract/control/run-job.ts'
import type { ContextBudget } from '../../../contract/evidence/context-budget.ts'
import type { TraceLevel } from '../../../contract/evidence/trace.ts'
import type { RetryFailed } from '../../../contract/evidence/run-event.ts'
import type { EvaluationMetric, PrimaryMetric } from '../../../contract/common.ts'
import type { LaunchSearch } from '../../app/search-params.ts'

/** Describes what a person has chosen, besides the datasets and aliases that the address holds. */
export interface RunDraft {
  runId: string
  metrics: EvaluationMetric[]
  /** Null: the manifest's, else the first that the run has. */
  primaryMetric: PrimaryMetric | null
  excludeCut: boolean
  judge: boolean
  /** Empty: as the manifest and the settings define. */
  judges: string[]
  repeats: number
  /** Null: as the settings, the environment and the manifest define. */
  concurrency: number | null
  /** Tokens of text for every answer; null: as the stored run, the environment and the manifest define. */
  contextBudget: ContextBudget | null
  /** Null: as the manifest defines. */
  trace: TraceLevel | null
  /** Null: the run may cost anything. */
  budget: number | null
  modelSet: string | null
  /** Failed cells of a stored run to try again; null: as the environment defines. */
  retryFailed: RetryFailed | null
  coldReset: boolean
  publish: boolean
}

const asManifest = ({
  metrics,
  exclude_cut_answers: excludeCut,
  judge_panel: panel,
  repeats,
}: ExperimentView): RunDraft => ({
  runId: '',
  metrics: metrics.filter(({ requested }) => requested).map(({ metric }) => metric),
  primaryMetric: null,
  excludeCut,
  judge: panel.settings.enabled,
  judges: [],
  repeats,
  concurrency: null,
  contextBudget: null,
  trace: null,
  budget: null,
  modelSet: null,
  retryFailed: null,
  coldReset: false,
  publish: false,
})

/** As the manifests define, except what the address overrides. */
export function draftOf(experiment: ExperimentView, search: LaunchSearch): RunDraft {
  const base = asManifest(experiment)
  return {
    runId: search.name ?? base.runId,
    metrics: search.metrics ?? base.metrics,
    primaryMetric: search.primary ?? base.primaryMetric,
    excludeCut: search.excludeCut ?? base.excludeCut,
    judge: search.judge ?? base.judge,
    judges: search.judges ?? base.judges,
    repeats: search.repeats ?? base.repeats,
    concurrency: search.concurrency ?? base.concurrency,
    contextBudget: search.contextBudget ?? base.contextBudget,
    trace: search.trace ?? base.trace,
    budget: search.budget ?? base.budget,
    modelSet: search.modelSet ?? base.modelSet,
    retryFailed: search.retry ?? base.retryFailed,
    coldReset: search.cold ?? base.coldReset,
    publish: search.publish ?? base.publish,
  }
}

/** Returns what an address must hold to bring a draft back: only where it differs from the manifests. */
export function searchOf(draft: RunDraft, experiment: ExperimentView): Omit<LaunchSearch, 'datasets' | 'models'> {
  const base = asManifest(experiment)
  const other = <Key extends keyof RunDraft>(key: Key): RunDraft[Key] | undefined =>
    JSON.stringify(draft[key]) === JSON.stringify(base[key]) ? undefined : draft[key]
  return {
    name: other('runId'),
    metrics: other('metrics'),
    primary: draft.primaryMetric ?? undefined,
    excludeCut: other('excludeCut'),
    judge: other('judge'),
    judges: other('judges'),
    repeats: other('repeats'),
    concurrency: draft.concurrency ?? undefined,
    contextBudget: draft.contextBudget ?? undefined,
    trace: draft.trace ?? undefined,
    budget: draft.budget ?? undefined,
    modelSet: other('modelSet') ?? undefined,
    retry: draft.retryFailed ?? undefined,
    cold: other('coldReset'),
    publish: other('publish'),
  }
}

/** Chosen datasets and aliases; rungs above the smoke set and the canonical approaches with the keyword baseline when nothing is chosen. */
export function chosen(
  experiment: ExperimentView,
  search: { datasets?: string[]; models?: string[] },
): { datasets: string[]; models: string[] } {
  const rungs = experiment.datasets.filter(({ complexity_level: level }) => level > 0).map(({ id }) => id)
  return {
    datasets: search.datasets ?? rungs.slice(0, 1),
    models:
      search.models ??
      experiment.aliases.filter(({ by_default: isByDefault }) => isByDefault).map(({ alias }) => alias),
  }
}

/** The request of a draft; unchanged values are left out. */
export const requestOf = (draft: RunDraft, datasets: string[], models: string[]): RunRequestInput => ({
  ...(draft.runId.trim() === '' ? {} : { run_id: draft.runId.trim() }),
  dataset_ids: datasets,
  models,
  metrics: draft.metrics,
  ...(draft.primaryMetric === null ? {} : { primary_metric: draft.primaryMetric }),
  exclude_cut_answers: draft.excludeCut,
  judge: { enabled: draft.judge, ...(draft.judge && draft.judges.length > 0 ? { models: draft.judges } : {}) },
  repeats: draft.repeats,
  ...(draft.concurrency === null ? {} : { concurrency: draft.concurrency }),
  ...(draft.contextBudget === null ? {} : { context_budget: draft.contextBudget }),
  ...(draft.trace === null ? {} : { trace: draft.trace }),
  ...(draft.budget === null ? {} : { budget: draft.budget }),
  ...(draft.modelSet === null ? {} : { model_set: draft.modelSet }),
  ...(draft.retryFailed === null ? {} : { retry_failed: draft.retryFailed }),
  cold_reset: draft.coldReset,
  publish: draft.publish,
})
