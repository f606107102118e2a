import { approachDescriptor, CANONICAL_APPROACHES, KEYWORD_BASELINE } from '../../contract/approaches.ts'
import type { EvaluationMetric } from '../../contract/common.ts'
import type { Alias } from '../../contract/manifests/aliases.ts'
import { matchedHybrid } from '../../core/matched-hybrid.ts'
import { metricOfId } from '../../contract/metrics/metrics.ts'
import type { Experiment, LadderDataset } from './experiment.ts'
import { InputError, type RunnerInputs } from './runner-inputs.ts'
import { remedyFor } from '../evidence/typed-command.ts'

const listed = (names: Iterable<string>): string => [...names].join(', ')

function flavorProblems(experiment: Experiment, names: readonly string[]): string[] {
  const all = [...experiment.aliases.values()]
  const known = new Set<string>(['all', ...all.flatMap(({ alias, flavor }) => [alias, flavor.flavor ?? []].flat())])
  const unknown = names.filter((name) => !known.has(name))
  return unknown.length > 0 ? [unknownFlavor(unknown, all)] : []
}

/** The aliases of the project and the flavors of a person; baselines and own approaches are in a run that names them. */
export const declaredAliases = ({ aliases }: Pick<Experiment, 'aliases'>): string[] =>
  [...aliases.values()].filter(({ base }) => approachDescriptor(base).isBesides !== true).map(({ alias }) => alias)

/** Returns what is wrong with a selection of aliases; empty when `selectAliases` takes it. */
export function aliasProblems(experiment: Experiment, models: string[] | null, flavors: string[] | null): string[] {
  const unknown = (models ?? []).filter(
    (name) => !experiment.aliases.has(name) && matchedHybrid(experiment.aliases, name) === null,
  )
  const unusable = experiment.ownApproaches.unusable.filter(({ name }) => unknown.includes(name))
  if (unusable.length > 0)
    return unusable.map(({ name, file, problems }) => `${name}: ${file} cannot be used: ${problems.join('; ')}`)
  return [
    ...(unknown.length > 0
      ? [`unknown alias: ${listed(unknown)}; declared are ${listed(experiment.aliases.keys())}`]
      : []),
    ...(flavors === null ? [] : flavorProblems(experiment, flavors)),
  ]
}

/**
 * The aliases of a run, in the order of the consumer manifest. `models` is an exact set; `flavors` names flavors by alias, or by their own
 * name for every approach that has one (`fast`), or approaches that are taken with all their flavors, or `all` flavors; neither gives the six
 * canonical approaches and, unless a gateway or plugin `elsewhere` answers, the keyword baseline. Throws `InputError` for unknown names.
 */
export function selectAliases(
  experiment: Experiment,
  models: string[] | null,
  flavors: string[] | null,
  elsewhere: string | null = null,
): Alias[] {
  if (models !== null && flavors !== null)
    throw new InputError(['models and flavors exclude each other: give one of them'])
  const problems = aliasProblems(experiment, models, flavors)
  if (problems.length > 0) throw new InputError(problems)
  const all = [...experiment.aliases.values()]
  if (models !== null) {
    const baselines = models.flatMap((name) => matchedHybrid(experiment.aliases, name) ?? [])
    return [...all.filter((alias) => models.includes(alias.alias)), ...baselines]
  }
  if (flavors !== null)
    return all.filter(
      ({ alias, base, flavor }) =>
        flavors.includes(alias) ||
        (flavor.flavor !== null &&
          alias !== KEYWORD_BASELINE &&
          base !== 'own-approach' &&
          (flavors.includes(base) || flavors.includes('all') || flavors.includes(flavor.flavor))),
    )
  return all.filter(({ alias }) => isByDefault(alias, elsewhere))
}

/** True for what a run has unless its approaches are chosen. */
export const isByDefault = (alias: string, elsewhere: string | null): boolean =>
  (CANONICAL_APPROACHES as readonly string[]).includes(alias) || (elsewhere === null && alias === KEYWORD_BASELINE)

/** Address of the gateway or plugin that answers in the place of the embedded one, which need not have the keyword baseline; null without one. */
export const answersElsewhere = ({
  gatewayUrl,
  pluginUrl,
}: Pick<RunnerInputs, 'gatewayUrl' | 'pluginUrl'>): string | null => gatewayUrl ?? pluginUrl

/** A notice that a run by default has no keyword baseline, where what answers elsewhere need not have it. */
export const baselineNotices = (inputs: Pick<RunnerInputs, 'gatewayUrl' | 'pluginUrl'>): string[] =>
  answersElsewhere(inputs) === null
    ? []
    : [
        `${KEYWORD_BASELINE}, the keyword baseline, is left out, because ${inputs.gatewayUrl === null ? 'a plugin at RAG_PLUGIN_URL' : 'a gateway elsewhere'} answers, which need not have it. If it does, name it with the approaches of the run${remedyFor({ panel: '', commandLine: ' (--models)' })}`,
      ]

function unknownFlavor(unknown: readonly string[], all: readonly Alias[]): string {
  const declared = all.filter(
    ({ alias, base, flavor }) => flavor.flavor !== null && alias !== KEYWORD_BASELINE && base !== 'own-approach',
  )
  const approaches = new Set(declared.map(({ base }) => base))
  return `unknown flavor: ${listed(unknown)}; there are ${listed(declared.map(({ alias }) => alias))}; ${listed(approaches)} or "all" mean all of theirs`
}

/** Returns what is wrong with a selection of datasets; empty when `selectDatasets` takes it. */
export function datasetProblems(experiment: Experiment, ids: readonly string[]): string[] {
  const known = experiment.datasets.map(({ dataset }) => dataset.id)
  const unusable = experiment.unusable.filter(({ id }) => ids.includes(id))
  const unknown = ids.filter((id) => !known.includes(id) && !unusable.some((each) => each.id === id))
  const empty = experiment.datasets.filter(
    ({ dataset, questions }) => ids.includes(dataset.id) && questions.length === 0,
  )
  return [
    ...(unknown.length > 0 ? [`unknown dataset: ${listed(unknown)}; the catalogue has ${listed(known)}`] : []),
    ...unusable.map((each) => unusableWords(each)),
    ...empty.map(({ dataset }) => `${dataset.id} has no question yet: add one to ${dataset.queries_file}`),
  ]
}

/** Why the file of a dataset cannot be used, for a command that names the dataset. */
export const unusableWords = ({ id, file, problems }: Experiment['unusable'][number]): string =>
  `${id}: ${file} cannot be used: ${problems.join('; ')}`

/** One sentence per dataset that a run of all rungs leaves out because its file cannot be used. */
export const unusableNotices = ({ unusable }: Pick<Experiment, 'unusable'>): string[] =>
  unusable.map(({ id, file, problems }) => `${id} is left out: ${file} cannot be used: ${problems.join('; ')}`)

/**
 * The datasets of a run, in catalogue order; null selects every rung (level 1 and above), so not the smoke set. Throws `InputError` for
 * unknown ids.
 */
export function selectDatasets(experiment: Experiment, ids: string[] | null): LadderDataset[] {
  if (ids === null) return experiment.datasets.filter(({ dataset }) => dataset.complexity_level > 0)
  const problems = datasetProblems(experiment, ids)
  if (problems.length > 0) throw new InputError(problems)
  return experiment.datasets.filter(({ dataset }) => ids.includes(dataset.id))
}

/**
 * Returns what the requested metrics will not be able to measure, and datasets that share a rung, reported before the first call: one sentence each.
 */
export function coverageNotices(
  metrics: readonly EvaluationMetric[],
  aliases: readonly Alias[],
  datasets: readonly LadderDataset[],
): string[] {
  const notices: string[] = []
  const needContexts = metrics.filter((metric) => metricOfId(metric).needs.includes('contexts'))
  const answerOnly = aliases.filter((alias) => alias.evidence === 'answer_only').map((alias) => alias.alias)
  if (needContexts.length > 0 && answerOnly.length > 0)
    notices.push(
      answerOnly.length === 1
        ? `${answerOnly[0]} answers without contexts: ${listed(needContexts)} cannot be evaluated for it; retrieval metrics use the passages that its engine reports as used`
        : `${listed(answerOnly)} answer without contexts: ${listed(needContexts)} cannot be evaluated for them; retrieval metrics use the passages that their engine reports as used`,
    )
  const rungs = Map.groupBy(datasets, ({ dataset }) => dataset.complexity_level)
  for (const [level, those] of rungs)
    if (level > 0 && those.length > 1)
      notices.push(
        `${listed(those.map(({ dataset }) => dataset.id))} are all on rung ${level}: each step of the ladder compares one dataset; give them different complexity_level values, or run them separately`,
      )
  const needReference = metrics.filter((metric) => metricOfId(metric).needs.includes('ground_truth'))
  if (needReference.length > 0)
    for (const { dataset, questions } of datasets) {
      const without = questions.filter((question) => question.ground_truth === null).length
      if (without > 0)
        notices.push(
          `${dataset.id}: ${listed(needReference)} cannot be evaluated for ${without} of ${questions.length} questions: they have no ground_truth`,
        )
    }
  return notices
}
