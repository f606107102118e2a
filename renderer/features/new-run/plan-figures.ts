import type { ModelSetView } from '../../../contract/control/experiment.ts'
import type { DatasetPlan } from '../../../contract/control/run-job.ts'
import { isService } from '../../../contract/manifests/model-backends.ts'
import type { Cost } from '../../../contract/manifests/prices.ts'
import { costWords } from '../../../contract/words.ts'
import { joinedParts, sumOfUse } from '../../../core/planned-use-words.ts'
import { count, duration } from '../../components/format.ts'
import type { Plan } from './effects.ts'
import { NEW_RUN_WORDS } from './new-run-words.ts'

const WORDS = NEW_RUN_WORDS.planView

/** Of all datasets; null where no model is asked that the set marks as paid. */
export function costOfPlan(datasets: readonly DatasetPlan[]): Cost | null {
  const costs = datasets.flatMap(({ expected_cost: cost }) => (cost === null ? [] : [cost]))
  const [first] = costs
  if (first === undefined) return null
  return {
    amount: costs.reduce((sum, { amount }) => sum + amount, 0),
    currency: first.currency,
    unknown: [...new Set(costs.flatMap(({ unknown }) => unknown))],
  }
}

/** Models of a set that are services without a price, because the set does not mark them as paid. */
export const unpricedIn = (set: ModelSetView | undefined): string[] => [
  ...new Set(
    Object.values(set?.roles ?? {}).flatMap(({ backend, model, cloud }) =>
      !cloud && isService(backend) ? [model] : [],
    ),
  ),
]

/** Answers, model calls, time and cost of a plan with a model set; what is unknown says so. */
export function planFigures(plan: Plan, set: ModelSetView | undefined): [string, string][] {
  const { totals, datasets, estimated_minutes: minutes, model_calls: calls } = plan
  const cost = costOfPlan(datasets)
  const { untimed } = sumOfUse(joinedParts(datasets.map(({ parts }) => parts)))
  const without = untimed.length === 0 ? '' : `, ${WORDS.without(untimed.join(', '))}`
  const isFree = set !== undefined && unpricedIn(set).length === 0
  return [
    [WORDS.answers, count(totals.total)],
    ...(totals.reuse === 0 ? [] : ([[WORDS.reused, count(totals.reuse)]] satisfies [string, string][])),
    [WORDS.calls, calls === null ? WORDS.unknown : `≈ ${count(calls)}`],
    [WORDS.time, minutes === null ? WORDS.unknown : `≈ ${duration(minutes * 60_000)}${without}`],
    [WORDS.cost, cost !== null ? costWords(cost) : isFree ? WORDS.free : WORDS.unknown],
  ]
}
