import { CANONICAL_APPROACHES } from '../../contract/approaches.ts'
import { EvaluationMetric } from '../../contract/common.ts'
import { DEFAULT_CONTEXT_BUDGET } from '../../contract/evidence/context-budget.ts'
import { knownOf } from '../manifests/models/model-records.ts'
import type { Alias } from '../../contract/manifests/aliases.ts'
import { isCloudModel, type ModelChoice } from '../../contract/manifests/model-backends.ts'
import { metricOfId } from '../../contract/metrics/metrics.ts'
import type { AliasView, DatasetView, ExperimentView, ModelSetView } from '../../contract/control/experiment.ts'
import { BUILTIN_JUDGES } from '../judge/builtin/builtin-judges.ts'
import { panelSettings, resolveJudgePanel } from '../judge/panel-settings.ts'
import type { Experiment, LadderDataset } from '../manifests/experiment.ts'
import type { RunnerInputs } from '../manifests/runner-inputs.ts'
import { isOwnDataset } from '../manifests/datasets/own-datasets.ts'
import { parametersToSet } from '../manifests/own-flavors.ts'
import { isByDefault, answersElsewhere } from '../manifests/selection.ts'
import { declaredPanel, panelProblem } from '../runner/prepare/prepare-run.ts'

const canonical: readonly string[] = CANONICAL_APPROACHES

/** A dataset with what its questions hold. */
export function datasetView(declared: LadderDataset): DatasetView {
  const { dataset, questions } = declared
  return {
    id: dataset.id,
    own: isOwnDataset(declared),
    label: dataset.label,
    description: dataset.description,
    complexity_level: dataset.complexity_level,
    questions: questions.length,
    with_gold: questions.filter(({ gold }) => gold.length > 0).length,
    with_ground_truth: questions.filter((question) => question.ground_truth !== null).length,
    unanswerable: questions.filter(({ answerable }) => !answerable).length,
    published: dataset.published ?? null,
  }
}

const aliasView = (alias: Alias, { consumer, ownAliases }: Experiment, elsewhere: string | null): AliasView => ({
  alias: alias.alias,
  own: ownAliases.includes(alias.alias),
  base: alias.base,
  flavor: alias.flavor.flavor,
  experimental: alias.experimental,
  evidence: alias.evidence,
  requires_reingest: alias.flavor.requires_reingest,
  parameters: { ...alias.flavor.parameters },
  settable: parametersToSet(alias, consumer),
  canonical: canonical.includes(alias.alias),
  by_default: isByDefault(alias.alias, elsewhere),
})

/** The aliases of the project and of the person who works in it. */
export const aliasViews = (experiment: Experiment, elsewhere: string | null): AliasView[] =>
  [...experiment.aliases.values()].map((alias) => aliasView(alias, experiment, elsewhere))

const roleView = (choice: ModelChoice, root: string) => ({
  backend: choice.backend,
  model: choice.model,
  cloud: isCloudModel(choice),
  ...knownOf(root, choice),
})

/** The model sets of the project and of the person who works in it. */
export const modelSetViews = (
  { models, declaredSets, ownModelSets }: Pick<Experiment, 'models' | 'declaredSets' | 'ownModelSets'>,
  root: string,
): ModelSetView[] =>
  Object.entries(models.sets).map(([name, set]) => ({
    name,
    description: set.description,
    is_default: name === models.default_set,
    own: ownModelSets.includes(name),
    roles: Object.fromEntries(Object.entries(set.roles).map(([role, choice]) => [role, roleView(choice, root)])),
    declared: declaredSets[name]!,
  }))

/** The manifests as pages show them; `inputs` are environment and settings. */
export async function experimentView(experiment: Experiment, inputs: RunnerInputs): Promise<ExperimentView> {
  const { evaluation, consumer } = experiment
  const requested = evaluation.metrics.ragas
  const declared = await declaredPanel(experiment, inputs)
  const panel = resolveJudgePanel(declared, inputs)
  return {
    project: consumer.project,
    datasets: experiment.datasets.map(datasetView),
    aliases: aliasViews(experiment, answersElsewhere(inputs)),
    metrics: EvaluationMetric.options.map((metric) => ({
      metric,
      requested: requested.includes(metric),
      needs_contexts: metricOfId(metric).needs.includes('contexts'),
      needs_ground_truth: metricOfId(metric).needs.includes('ground_truth'),
    })),
    primary_metric: evaluation.metrics.primary ?? null,
    exclude_cut_answers: evaluation.metrics.exclude_cut_answers ?? false,
    model_sets: modelSetViews(experiment, experiment.root),
    run: {
      ...evaluation.run,
      concurrency: inputs.concurrency ?? evaluation.run.concurrency,
      context_budget: inputs.contextBudget ?? evaluation.run.context_budget ?? DEFAULT_CONTEXT_BUDGET,
    },
    repeats: inputs.repeats ?? 1,
    judge_panel: {
      settings: panelSettings(panel, declared),
      builtin: [...BUILTIN_JUDGES],
      problem: panelProblem(panel, experiment),
    },
    unusable: experiment.unusable.map(({ id, file, problems }) => ({ id, file, problems: [...problems] })),
  }
}
