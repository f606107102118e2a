import type { ExperimentView } from '../../../contract/control/experiment.ts'
import type { RunRequestInput } from '../../../contract/control/run-job.ts'
import type { LaunchSearch } from '../../app/search-params.ts'

type Choices = Required<Omit<LaunchSearch, 'step' | 'datasets' | 'models'>>
type Open = 'primary' | 'concurrency' | 'contextBudget' | 'trace' | 'budget' | 'modelSet' | 'retry'

/**
 * Holds a person's choices besides datasets and approaches, by the names that the address has. Null, an empty name and no judges: as the stored
 * run, the settings, the environment and the manifest define.
 */
export type RunDraft = Omit<Choices, Open> & { [Name in Open]: Choices[Name] | null }

const asManifest = (experiment: ExperimentView): RunDraft => ({
  name: '',
  metrics: experiment.metrics.filter(({ requested }) => requested).map(({ metric }) => metric),
  primary: null,
  excludeCut: experiment.exclude_cut_answers,
  judge: experiment.judge_panel.settings.enabled,
  judges: [],
  repeats: experiment.repeats,
  concurrency: null,
  contextBudget: null,
  trace: null,
  budget: null,
  modelSet: null,
  retry: null,
  cold: false,
  publish: false,
})

/** As the manifests define, except what the address overrides. */
export function draftOf(experiment: ExperimentView, search: LaunchSearch): RunDraft {
  const base = asManifest(experiment)
  const given = Object.entries(search as Record<string, unknown>).filter(
    ([name, value]) => name in base && value !== undefined,
  )
  return { ...base, ...Object.fromEntries(given) }
}

/** Returns what an address must hold to bring a draft back: only where it differs from the manifests. */
export function searchOf(draft: RunDraft, experiment: ExperimentView): Omit<LaunchSearch, 'datasets' | 'models'> {
  const base = asManifest(experiment)
  const isUsual = (name: keyof RunDraft): boolean => JSON.stringify(draft[name]) === JSON.stringify(base[name])
  const names = Object.keys(base) as (keyof RunDraft)[]
  return Object.fromEntries(names.map((name) => [name, isUsual(name) ? undefined : draft[name]]))
}

/**
 * Chosen datasets and aliases. When nothing is chosen: the first dataset of the person's own that has questions, else the first of the project above the
 * smoke set, and the canonical approaches with the keyword baseline.
 */
export function chosen(
  experiment: ExperimentView,
  search: { datasets?: string[]; models?: string[] },
): { datasets: string[]; models: string[] } {
  const first =
    experiment.datasets.find(({ own, questions }) => own && questions > 0) ??
    experiment.datasets.find(({ complexity_level: level }) => level > 0)
  const usual = experiment.aliases.filter(({ by_default: isByDefault }) => isByDefault).map(({ alias }) => alias)
  return { datasets: search.datasets ?? (first === undefined ? [] : [first.id]), models: search.models ?? usual }
}

/** The request of a draft; unchanged values are left out. */
export const requestOf = (draft: RunDraft, datasets: string[], models: string[]): RunRequestInput => ({
  run_id: draft.name.trim() || undefined,
  dataset_ids: datasets,
  models,
  metrics: draft.metrics,
  primary_metric: draft.primary ?? undefined,
  exclude_cut_answers: draft.excludeCut,
  judge: { enabled: draft.judge, ...(draft.judge && draft.judges.length > 0 ? { models: draft.judges } : {}) },
  repeats: draft.repeats,
  concurrency: draft.concurrency ?? undefined,
  context_budget: draft.contextBudget ?? undefined,
  trace: draft.trace ?? undefined,
  budget: draft.budget ?? undefined,
  model_set: draft.modelSet ?? undefined,
  retry_failed: draft.retry ?? undefined,
  cold_reset: draft.cold,
  publish: draft.publish,
})
