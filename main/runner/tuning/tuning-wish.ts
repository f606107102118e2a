import { DEFAULT_CONTEXT_BUDGET } from '../../../contract/evidence/context-budget.ts'
import { TunedMetric, TuningName } from '../../../contract/evidence/tuning.ts'
import type { Alias } from '../../../contract/manifests/aliases.ts'
import { remedyFor } from '../../evidence/typed-command.ts'
import { nearestName } from '../../lib/text/nearest-name.ts'
import type { Experiment } from '../../manifests/experiment.ts'
import { InputError } from '../../manifests/runner-inputs.ts'
import { isRetrievalMetric } from './ask-trial.ts'
import { writeAnswers } from './search-space.ts'
import type { TuningWish } from './plan-tuning.ts'

/** Holds a wish as the command line and the panel have it: a metric that may be unknown, and the budget of the experiment. */
export interface TuningAsk extends Omit<TuningWish, 'alias' | 'metric' | 'contextBudget'> {
  /** Null for the primary one of the project where it can be computed, else facts found. */
  metric: string | null
}

/** Completes the wish. Throws `InputError` for a metric that no trial can compute, a budget without a number, and a name that is none of a folder. */
export function tuningWish({ evaluation }: Pick<Experiment, 'evaluation'>, alias: Alias, ask: TuningAsk): TuningWish {
  const budget = evaluation.run.context_budget ?? DEFAULT_CONTEXT_BUDGET
  if (budget === 'none')
    throw new InputError([
      `${remedyFor({ panel: 'Context budget', commandLine: '--context-budget' })}: name a number of tokens: with a budget of its own each setting would win by handing over more text`,
    ])
  if (ask.name !== null && !TuningName.safeParse(ask.name).success)
    throw new InputError([
      `${remedyFor({ panel: 'Name', commandLine: '--name' })}: expected at most 100 letters, digits, "_", "-" and ".", the first a letter or digit, got ${ask.name}`,
    ])
  const metric = metricOf(ask.metric, evaluation.metrics.primary ?? null, ask.answers)
  return { ...ask, alias, metric, contextBudget: budget }
}

function metricOf(named: string | null, primary: string | null, answers: boolean): TunedMetric {
  const isComputed = (name: string): boolean =>
    TunedMetric.safeParse(name).success && (answers || isRetrievalMetric(name))
  if (named === null) return primary !== null && isComputed(primary) ? (primary as TunedMetric) : 'facts_found'
  if (isComputed(named)) return named as TunedMetric
  const field = remedyFor({ panel: 'Metric', commandLine: '--metric' })
  if (TunedMetric.safeParse(named).success)
    throw new InputError([`${field}: ${named} needs answers: ${writeAnswers()}`])
  const meant = nearestName(named, TunedMetric.options)
  throw new InputError([
    `${field}: ${named} cannot be tuned for${meant === null ? '.' : `, did you mean ${meant}?`} Known: ${TunedMetric.options.join(', ')}`,
  ])
}
